// SPDX-License-Identifier: Apache-2.0
// Getting the text of a file, telling what is wrong with it, finding a policy in it.
#include <relent/policy_file/policy_file.hpp>

#include "reader.hpp"

#include "src/text/nearest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace relent {
namespace {

std::string text_of(std::string_view file, const std::vector<policy_file_problem>& problems) {
  std::string text;
  for (const policy_file_problem& each : problems) {
    if (!text.empty()) text += '\n';
    text += file;
    if (each.line > 0) text += ":" + std::to_string(each.line) + ":" + std::to_string(each.column);
    text += ": ";
    if (!each.field.empty()) text += each.field + " ";
    text += each.message;
  }
  return text;
}

[[noreturn]] void refuse(const std::string& path, std::string message) {
  throw policy_file_error(path, {{0, 0, {}, std::move(message)}});
}

[[noreturn]] void refuse_unreadable(const std::string& path, int error) {
  refuse(path, "cannot be read: " + std::generic_category().message(error));
}

/// An open file that closes itself.
class descriptor {
 public:
  explicit descriptor(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) refuse_unreadable(path, errno);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { ::close(number_); }
  int number() const { return number_; }

 private:
  int number_;
};

/// At most one byte more than a policy file may have.
std::string contents_of(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    refuse(path.substr(0, path.find('\0')), "has a zero byte in its name");
  const descriptor file(path);
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode)) refuse(path, "is a directory");
  std::string text;
  std::array<char, 16384> part{};
  while (text.size() <= detail::largest_file) {
    const ssize_t count = ::read(file.number(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_unreadable(path, errno);
    if (count == 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

dependency_options named_policy::dependency() const {
  dependency_options options;
  options.name = name;
  options.policy = policy;
  options.budget = budget;
  options.breaker = breaker;
  options.sender_limit = sender_limit;
  return options;
}

policy_file_error::policy_file_error(std::string_view file, std::vector<policy_file_problem> problems)
    : std::runtime_error(text_of(file, problems)), problems_(std::move(problems)) {}

policy_file policy_file::load(const std::string& path, const named_policy& base) {
  return parse(contents_of(path), path, base);
}

policy_file policy_file::parse(std::string_view text, std::string_view file, const named_policy& base) {
  policy_file read;
  read.file_ = file;
  read.policies_ = detail::read_policies(text, file, base, ready_profiles);
  return read;
}

const named_policy* policy_file::find(std::string_view name) const& noexcept {
  for (const named_policy& each : policies_)
    if (each.name == name) return &each;
  return nullptr;
}

const named_policy& policy_file::at(std::string_view name) const& {
  if (const named_policy* found = find(name)) return *found;
  std::vector<std::string_view> names;
  for (const named_policy& each : policies_) names.push_back(each.name);
  std::string message = file_ + " has no policy '" + std::string(name) + "'";
  if (const std::string_view near = text::nearest(name, names); !near.empty()) {
    message += ": did you mean " + std::string(near) + "?";
  } else if (names.empty()) {
    message += ": it has none at all";
  } else {
    message += ": it has ";
    for (std::size_t i = 0; i < names.size(); ++i) message += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw std::out_of_range(message);
}

}  // namespace relent
