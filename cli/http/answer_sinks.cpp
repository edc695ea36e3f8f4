// SPDX-License-Identifier: Apache-2.0
// Sinks.
#include "answer_sinks.hpp"

#include "cli/message.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

class discarding final : public curl::body_sink {
 public:
  void begin(int /*status*/, const http::header_list& /*headers*/) override {}
  void write(std::string_view /*bytes*/) override {}
  void complete() override {}
};

class head_first final : public curl::body_sink {
 public:
  head_first(curl::sink inner, std::function<std::string_view()> version)
      : inner_(std::move(inner)), version_(std::move(version)) {}

  void begin(int status, const http::header_list& headers) override {
    inner_->begin(status, headers);
    inner_->write(head_text(version_(), status, headers));
  }
  void write(std::string_view bytes) override { inner_->write(bytes); }
  void complete() override { inner_->complete(); }

 private:
  curl::sink inner_;
  std::function<std::string_view()> version_;
};

[[noreturn]] void throw_error(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

}  // namespace

curl::sink stdout_sink() {
  return curl::spooled_sink([](std::string_view bytes) {
    errno = 0;
    if (!write_all(STDOUT_FILENO, bytes)) throw_error(errno, "stdout");
  });
}

curl::sink discarding_sink() { return std::make_shared<discarding>(); }

std::string head_text(std::string_view version, int status, const http::header_list& headers) {
  std::string text = fmt::format("HTTP/{} {}\r\n", version, status);
  for (const http::header& each : headers)
    text.append(each.name).append(": ").append(each.value).append("\r\n");
  return text + "\r\n";
}

curl::sink with_head(curl::sink inner, std::function<std::string_view()> version) {
  return std::make_shared<head_first>(std::move(inner), std::move(version));
}

void check_place(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw_error(EISDIR, path);
    if (!S_ISREG(status.st_mode)) return;
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_error(errno, path);
}

}  // namespace relent::cli
