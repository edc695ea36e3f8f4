// SPDX-License-Identifier: Apache-2.0
// The kinds of bodies.
#include <relent/curl/body.hpp>

#include "src/curl/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace relent::curl {
namespace {

class bytes_body : public body_source {
 public:
  explicit bytes_body(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t taken = bytes_.copy(to, most, place_);
    place_ += taken;
    return taken;
  }
  bool can_rewind() const override { return true; }
  bool rewind() override {
    place_ = 0;
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t place_ = 0;
};

class owned_body final : private std::string, public bytes_body {
 public:
  explicit owned_body(std::string bytes)
      : std::string(std::move(bytes)), bytes_body(static_cast<const std::string&>(*this)) {}
};

/// A descriptor, from where it stands; what can be wound back has a size, and must keep it.
class descriptor_source final : public body_source {
 public:
  explicit descriptor_source(int file, detail::descriptor owned = {})
      : owned_(std::move(owned)), file_(file), start_(::lseek(file, 0, SEEK_CUR)) {
    struct stat status {};
    if (start_ >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode))
      size_ = size_of(status.st_size);
    else
      start_ = -1;
  }

  std::optional<std::uint64_t> size() const override { return size_; }
  std::size_t read(char* to, std::size_t most) override {
    for (;;) {
      const ssize_t got = ::read(file_, to, most);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "the body cannot be read");
    }
  }
  bool can_rewind() const override { return start_ >= 0; }
  bool rewind() override { return start_ >= 0 && ::lseek(file_, start_, SEEK_SET) == start_; }

 private:
  /// A file of the system's own (/proc) says that it is empty, and is not.
  std::optional<std::uint64_t> size_of(off_t whole) const {
    char first = 0;
    if (whole <= start_ && ::pread(file_, &first, 1, start_) > 0) return std::nullopt;
    return static_cast<std::uint64_t>(std::max<off_t>(0, whole - start_));
  }

  detail::descriptor owned_;
  int file_;
  off_t start_;  // -1: it has no beginning to go back to
  std::optional<std::uint64_t> size_;
};

class function_body final : public body_source {
 public:
  function_body(std::function<std::size_t(char*, std::size_t)> read, std::function<bool()> rewind,
                std::optional<std::uint64_t> size)
      : read_(std::move(read)), rewind_(std::move(rewind)), size_(size) {}

  std::optional<std::uint64_t> size() const override { return size_; }
  std::size_t read(char* to, std::size_t most) override { return read_(to, most); }
  bool can_rewind() const override { return static_cast<bool>(rewind_); }
  bool rewind() override { return rewind_ && rewind_(); }

 private:
  std::function<std::size_t(char*, std::size_t)> read_;
  std::function<bool()> rewind_;
  std::optional<std::uint64_t> size_;
};

}  // namespace

body memory_body(std::string bytes) { return std::make_shared<owned_body>(std::move(bytes)); }

body borrowed_body(std::string_view bytes) { return std::make_shared<bytes_body>(bytes); }

body file_body(const std::string& path) {
  detail::descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  const int number = file.get();
  return std::make_shared<descriptor_source>(number, std::move(file));
}

body descriptor_body(int descriptor) { return std::make_shared<descriptor_source>(descriptor); }

body stream_body(std::function<std::size_t(char* to, std::size_t most)> read, std::function<bool()> rewind,
                 std::optional<std::uint64_t> size) {
  return std::make_shared<function_body>(std::move(read), std::move(rewind), size);
}

}  // namespace relent::curl
