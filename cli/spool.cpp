// SPDX-License-Identifier: Apache-2.0
// Memory first, then a file without a name.
#include "spool.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace relent::cli {
namespace {

int open_unnamed_file() noexcept {
  try {
    const std::string folder = temporary_folder();
#if defined(O_TMPFILE)
    const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0) return unnamed;
#endif
    std::string path = folder + "/relent-XXXXXX";
    const int named = ::mkostemp(path.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(path.c_str());
    return named;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return -1;
  }
}

}  // namespace

std::string temporary_folder() {
  const char* set = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): there is one thread
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

bool spool::append(std::string_view bytes) noexcept {
  const std::size_t in_memory = size_ < memory_limit_ ? static_cast<std::size_t>(size_) : memory_limit_;
  const std::size_t fits = std::min(bytes.size(), memory_limit_ - in_memory);
  if (fits > 0 && !memory_) memory_.reset(new (std::nothrow) char[memory_limit_]);
  if (fits > 0 && !memory_) {
    errno = ENOMEM;
    return false;
  }
  // What goes to disk comes first: only that can fail from here on.
  if (fits < bytes.size() && !append_to_file(bytes.substr(fits), size_ + fits - memory_limit_)) return false;
  if (fits > 0) std::memcpy(memory_.get() + in_memory, bytes.data(), fits);
  size_ += bytes.size();
  return true;
}

bool spool::append_to_file(std::string_view bytes, std::uint64_t offset) noexcept {
  if (!file_.is_open()) file_ = owned_descriptor(open_unnamed_file());
  if (!file_.is_open()) return false;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

ssize_t spool::read_at(std::uint64_t offset, std::span<char> bytes) const noexcept {
  if (offset >= size_) return 0;
  bytes = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size_ - offset)));
  std::size_t got = 0;
  if (offset < memory_limit_) {
    got = std::min(bytes.size(), memory_limit_ - static_cast<std::size_t>(offset));
    std::memcpy(bytes.data(), memory_.get() + offset, got);
  }
  while (got < bytes.size()) {
    const auto from = static_cast<off_t>(offset + got - memory_limit_);
    const ssize_t part = ::pread(file_.get(), bytes.data() + got, bytes.size() - got, from);
    if (part < 0 && errno == EINTR) continue;
    if (part == 0) errno = EIO;  // somebody cut the file
    if (part <= 0) return -1;
    got += static_cast<std::size_t>(part);
  }
  return static_cast<ssize_t>(got);
}

void spool::clear() noexcept {
  size_ = 0;
  file_.close();
}

}  // namespace relent::cli
