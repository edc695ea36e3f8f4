// SPDX-License-Identifier: Apache-2.0
// The kinds of sinks.
#include <relent/curl/sink.hpp>

#include "src/curl/descriptor.hpp"

#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkostemp is of POSIX
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace relent::curl {
namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int file, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done > 0)
      bytes.remove_prefix(static_cast<std::size_t>(done));
    else if (errno != EINTR)
      throw_errno(name);
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Calls `make` with names beside the path until one is not taken; its name, or nothing and errno.
template <class Make>
std::string make_beside(const std::string& path, Make make) {
  constexpr int tries = 100;
  std::random_device random;
  for (int i = 0; i < tries; ++i) {
    std::string name = path + '.' + std::to_string(random());
    if (make(name)) return name;
    if (errno != EEXIST) break;
  }
  return {};
}

/// What a file is to be replaced with: without a name until it is whole where the file system can do that, so that
/// not even a killed process leaves anything; else beside it under a name of its own.
class replacing_file final : public body_sink {
 public:
  explicit replacing_file(std::string path) : path_(std::move(path)) {}
  ~replacing_file() override { drop(); }

  void begin(int /*status*/, const http::header_list& /*headers*/) override {
    drop();
    file_ = detail::descriptor(::open(folder_of(path_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
    if (!file_)
      name_ = make_beside(path_, [this](const std::string& name) {
        file_ = detail::descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        return static_cast<bool>(file_);
      });
    if (!file_) throw_errno(path_);
    struct stat status {};
    if (::stat(path_.c_str(), &status) == 0) ::fchmod(file_.get(), status.st_mode & 07777U);
  }

  void write(std::string_view bytes) override { write_all(file_.get(), bytes, path_); }

  void complete() override {
    if (name_.empty())
      name_ = make_beside(path_, [this](const std::string& name) { return give_name(name); });
    if (name_.empty() || !file_.close() || ::rename(name_.c_str(), path_.c_str()) != 0) throw_errno(path_);
    name_.clear();
  }

 private:
  bool give_name(const std::string& name) const {
    const std::string self = "/proc/self/fd/" + std::to_string(file_.get());
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }

  void drop() noexcept {
    file_.close();
    if (!name_.empty()) ::unlink(name_.c_str());
    name_.clear();
  }

  std::string path_;
  std::string name_;  // empty: it has none
  detail::descriptor file_;
};

struct free_text {
  void operator()(char* text) const noexcept { std::free(text); }
};
using unique_text = std::unique_ptr<char, free_text>;

/// Memory, and beyond a limit a file without a name.
class spool {
 public:
  void clear() {
    memory_.clear();
    file_.close();
  }

  void write(std::string_view bytes) {
    if (!file_ && memory_.size() + bytes.size() > in_memory) move_to_file();
    if (file_)
      write_all(file_.get(), bytes, "the answer cannot be kept");
    else
      memory_.append(bytes);
  }

  void hand_over(const std::function<void(std::string_view)>& take) {
    if (!file_) return take(memory_);
    if (::lseek(file_.get(), 0, SEEK_SET) != 0) throw_errno("the answer cannot be read again");
    std::array<char, 65536> piece{};
    for (;;) {
      const ssize_t got = ::read(file_.get(), piece.data(), piece.size());
      if (got == 0) return;
      if (got > 0)
        take({piece.data(), static_cast<std::size_t>(got)});
      else if (errno != EINTR)
        throw_errno("the answer cannot be read again");
    }
  }

 private:
  static constexpr std::size_t in_memory = std::size_t{1} << 20U;

  void move_to_file() {
    const char* const folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): only read
    std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/relent-XXXXXX";
    file_ = detail::descriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!file_) throw_errno(name);
    ::unlink(name.c_str());
    write_all(file_.get(), memory_, name);
    memory_ = {};
  }

  std::string memory_;
  detail::descriptor file_;
};

class spooled final : public body_sink {
 public:
  explicit spooled(std::function<void(std::string_view)> take) : take_(std::move(take)) {}

  void begin(int /*status*/, const http::header_list& /*headers*/) override { spool_.clear(); }
  void write(std::string_view bytes) override { spool_.write(bytes); }
  void complete() override {
    spool_.hand_over(take_);
    spool_.clear();
  }

 private:
  std::function<void(std::string_view)> take_;
  spool spool_;
};

}  // namespace

sink file_sink(std::string path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    if (const unique_text real(::realpath(path.c_str(), nullptr)); real) path = real.get();
    return std::make_shared<replacing_file>(std::move(path));
  }
  // A device or a pipe is no file to be replaced.
  return spooled_sink([path, file = std::make_shared<detail::descriptor>()](std::string_view bytes) {
    if (!*file) *file = detail::descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!*file) throw_errno(path);
    write_all(file->get(), bytes, path);
  });
}

sink spooled_sink(std::function<void(std::string_view bytes)> take) {
  return std::make_shared<spooled>(std::move(take));
}

}  // namespace relent::curl
