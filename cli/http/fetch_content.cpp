// SPDX-License-Identifier: Apache-2.0
// The data flags, as curl reads them.
#include "fetch_content.hpp"

#include "percent.hpp"

#include "cli/descriptor.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>

namespace relent::cli {
namespace {

constexpr std::size_t most_in_memory = std::size_t{64} << 20U;
constexpr std::string_view form_type = "application/x-www-form-urlencoded";
constexpr std::string_view json_type = "application/json";
constexpr std::array<std::string_view, 5> data_flags{"--data", "--data-raw", "--data-binary",
                                                     "--data-urlencode", "--json"};

bool is_data_flag(std::string_view name) { return std::ranges::find(data_flags, name) != data_flags.end(); }

[[noreturn]] void throw_unreadable(std::string_view flag_name, std::string_view path, int error) {
  throw content_error(
      fmt::format("{}: '{}' cannot be read: {}", flag_name, path, std::generic_category().message(error)));
}

/// A whole file, or all of stdin for "-".
std::string contents_of(std::string_view flag_name, const std::string& path) {
  owned_descriptor file;
  if (path != "-") file = owned_descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (path != "-" && !file.is_open()) throw_unreadable(flag_name, path, errno);
  const int descriptor = path == "-" ? STDIN_FILENO : file.get();
  std::string all;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0) return all;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unreadable(flag_name, path, errno);
    all.append(piece.data(), static_cast<std::size_t>(got));
    if (all.size() > most_in_memory)
      throw content_error(
          fmt::format("{}: '{}' has more than 64MiB, which is too much to be changed in memory: "
                      "send it by --data-binary or --upload-file",
                      flag_name, path));
  }
}

std::string without_line_ends(std::string text) {
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
  return text;
}

/// TEXT, =TEXT, NAME=TEXT, @FILE or NAME@FILE.
std::string url_encoded(std::string_view text) {
  const std::size_t mark = text.find_first_of("=@");
  if (mark == std::string_view::npos) return percent_encoded(text);
  const std::string_view name = text.substr(0, mark);
  const std::string_view value = text.substr(mark + 1);
  const std::string encoded = percent_encoded(
      text[mark] == '=' ? std::string(value) : contents_of("--data-urlencode", std::string(value)));
  return name.empty() ? encoded : std::string(name) + "=" + encoded;
}

std::string piece_of(std::string_view flag_name, std::string_view text) {
  if (flag_name == "--data-urlencode") return url_encoded(text);
  if (flag_name == "--data-raw" || !text.starts_with('@')) return std::string(text);
  std::string all = contents_of(flag_name, std::string(text.substr(1)));
  return flag_name == "--data" ? without_line_ends(std::move(all)) : all;
}

/// A file that is sent as it is, be it as long as it may.
fetch_content as_it_is(std::string_view flag_name, std::string path) {
  struct stat status {};
  fetch_content content;
  if (path == "-") path.clear();
  content.is = fetch_content::kind::input;
  content.path = path;
  if (path.empty()) return content;
  if (::stat(path.c_str(), &status) != 0) throw_unreadable(flag_name, path, errno);
  if (S_ISDIR(status.st_mode)) throw_unreadable(flag_name, path, EISDIR);
  if (::access(path.c_str(), R_OK) != 0) throw_unreadable(flag_name, path, errno);
  if (S_ISREG(status.st_mode)) content.is = fetch_content::kind::file;
  return content;
}

bool stands_for_itself(std::string_view flag_name, std::string_view text) {
  return (flag_name == "--data-binary" || flag_name == "--json") && text.starts_with('@');
}

}  // namespace

fetch_content read_content(const flag_values& values, std::vector<std::string>& problems) {
  std::vector<std::pair<std::string_view, std::string_view>> pieces;
  for (const auto& each : values.all())
    if (is_data_flag(each.first)) pieces.push_back(each);

  if (const auto upload = values.text("--upload-file")) {
    if (!pieces.empty())
      problems.push_back(fmt::format("--upload-file: not together with {}", pieces.front().first));
    return as_it_is("--upload-file", *upload == "." ? "-" : std::string(*upload));
  }
  fetch_content content;
  if (pieces.empty()) return content;
  const auto& [first_name, first_text] = pieces.front();
  if (pieces.size() == 1 && stands_for_itself(first_name, first_text) && !values.given("--get")) {
    content = as_it_is(first_name, std::string(first_text.substr(1)));
    content.read_first = true;
  } else {
    content.is = fetch_content::kind::memory;
    for (const auto& [name, text] : pieces) {
      const bool first = &text == &first_text;
      if (!first && name != "--json") content.bytes += '&';
      content.bytes += piece_of(name, text);
    }
  }
  content.type = values.given("--json") ? json_type : form_type;
  return content;
}

}  // namespace relent::cli
