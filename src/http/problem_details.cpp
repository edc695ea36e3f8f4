// SPDX-License-Identifier: Apache-2.0
// Reading problem details as they pass by, without building a tree: nothing is nested on the stack, and nothing
// is kept but the known members of the outermost object.
#include <relent/http/problem_details.hpp>

#include <relent/http/header_list.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <exception>

namespace relent::http {
namespace {

/// Takes the known members of the outermost object. The names of its functions are nlohmann-json's.
class member_reader {
 public:
  explicit member_reader(problem_details& into) noexcept : into_(into) {}

  bool is_object() const noexcept { return is_object_; }

  bool start_object(std::size_t) {
    if (depth_ == 0) is_object_ = true;
    return open();
  }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    name_ = name;
    return true;
  }
  bool string(std::string& value) {
    if (std::string* member = text_member()) *member = value;
    return true;
  }
  bool number_integer(std::int64_t) { return true; }
  bool number_unsigned(std::uint64_t value) {
    if (in_outermost() && name_ == "status" && value >= 100 && value <= 599)
      into_.status = static_cast<int>(value);
    return true;
  }
  bool number_float(double, const std::string&) { return true; }
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool binary(nlohmann::json::binary_t&) { return true; }
  bool parse_error(std::size_t, const std::string&, const std::exception&) { return false; }

 private:
  bool in_outermost() const noexcept { return is_object_ && depth_ == 1; }

  std::string* text_member() noexcept {
    if (!in_outermost()) return nullptr;
    if (name_ == "type") return &into_.type;
    if (name_ == "title") return &into_.title;
    if (name_ == "detail") return &into_.detail;
    if (name_ == "instance") return &into_.instance;
    return nullptr;
  }
  bool open() noexcept {
    ++depth_;
    return is_object_;
  }
  bool close() noexcept {
    --depth_;
    return true;
  }

  problem_details& into_;
  std::string name_;
  std::size_t depth_ = 0;
  bool is_object_ = false;
};

}  // namespace

bool is_problem_json(std::string_view content_type) noexcept {
  return same_name(trimmed(content_type.substr(0, content_type.find(';'))), "application/problem+json");
}

std::optional<problem_details> parse_problem_details(std::string_view content_type, std::string_view body) {
  if (!is_problem_json(content_type) || body.size() > max_problem_body) return std::nullopt;
  problem_details read;
  member_reader reader(read);
  if (!nlohmann::json::sax_parse(body, &reader) || !reader.is_object()) return std::nullopt;
  return read;
}

}  // namespace relent::http
