// SPDX-License-Identifier: Apache-2.0
// The kinds of content as bodies.
#include "outgoing_body.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

/// A body whose failures are told as those of what is sent.
class named_body final : public curl::body_source {
 public:
  explicit named_body(curl::body inner) : inner_(std::move(inner)) {}

  std::optional<std::uint64_t> size() const override { return inner_->size(); }
  std::size_t read(char* to, std::size_t most) override {
    try {
      return inner_->read(to, most);
    } catch (const std::system_error& error) {
      throw content_error(fmt::format("what is to be sent cannot be read: {}", error.code().message()));
    }
  }
  bool can_rewind() const override { return inner_->can_rewind(); }
  bool rewind() override { return inner_->rewind(); }

 private:
  curl::body inner_;
};

bool stdin_is_a_file() {
  struct stat status {};
  return ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
}

[[noreturn]] void throw_unreadable(const std::string& path, const std::string& why) {
  throw content_error(fmt::format("'{}' cannot be read: {}", path, why));
}

curl::body opened(const std::string& path) {
  try {
    return curl::file_body(path);
  } catch (const std::system_error& error) {
    throw_unreadable(path, error.code().message());
  }
}

}  // namespace

outgoing_body::outgoing_body(const fetch_content& content, std::uint64_t stdin_limit,
                             std::function<void()> check) {
  switch (content.is) {
    case fetch_content::kind::none: break;
    case fetch_content::kind::memory: body_ = curl::borrowed_body(content.bytes); break;
    case fetch_content::kind::file: body_ = std::make_shared<named_body>(opened(content.path)); break;
    case fetch_content::kind::input: take_input(content, stdin_limit, std::move(check)); break;
  }
}

void outgoing_body::take_input(const fetch_content& content, std::uint64_t limit,
                               std::function<void()> check) {
  if (content.path.empty() && stdin_is_a_file()) {
    body_ = std::make_shared<named_body>(curl::descriptor_body(STDIN_FILENO));
    return;
  }
  if (content.path.empty()) {
    piped_ = std::make_shared<piped_body>(limit, std::move(check));
  } else {
    owned_descriptor file(::open(content.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) throw_unreadable(content.path, std::generic_category().message(errno));
    piped_ = std::make_shared<piped_body>(std::move(file), limit, std::move(check));
  }
  if (content.read_first) piped_->read_first();
  body_ = piped_;
}

}  // namespace relent::cli
