// SPDX-License-Identifier: Apache-2.0
// Memory first; the file has no name from its first moment where the system can do that.
#include "kept_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace relent::cli {
namespace {

int open_nameless_file() {
  const char* named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): there is one thread
  const std::string folder = named != nullptr && *named != '\0' ? named : "/tmp";
#if defined(O_TMPFILE)
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
#endif
  std::string path = folder + "/relent-XXXXXX";
  const int named_file = ::mkostemp(path.data(), O_CLOEXEC);
  if (named_file >= 0) ::unlink(path.c_str());
  return named_file;
}

}  // namespace

int kept_bytes::append(std::string_view bytes) {
  if (file_ < 0 && size_ + bytes.size() > memory_limit)
    if (const int error = move_to_file(); error != 0) return error;
  if (file_ < 0)
    memory_.append(bytes);
  else if (const int error = write_to_file(bytes, size_); error != 0)
    return error;
  size_ += bytes.size();
  return 0;
}

int kept_bytes::move_to_file() {
  file_ = open_nameless_file();
  if (file_ < 0) return errno;
  if (const int error = write_to_file(memory_, 0); error != 0) {
    ::close(file_);
    file_ = -1;
    return error;
  }
  std::string().swap(memory_);
  return 0;
}

int kept_bytes::write_to_file(std::string_view bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

std::ptrdiff_t kept_bytes::read_at(std::uint64_t offset, std::span<char> space) const {
  if (offset >= size_) return 0;
  const std::size_t wanted = std::min<std::uint64_t>(space.size(), size_ - offset);
  if (file_ < 0) {
    std::memcpy(space.data(), memory_.data() + offset, wanted);
    return static_cast<std::ptrdiff_t>(wanted);
  }
  for (;;) {
    const ssize_t got = ::pread(file_, space.data(), wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // somebody cut the file short
    return got == 0 ? -1 : got;
  }
}

void kept_bytes::clear() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  memory_.clear();
  size_ = 0;
}

}  // namespace relent::cli
