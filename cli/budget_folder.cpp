// SPDX-License-Identifier: Apache-2.0
// Folders, names, links.
#include "budget_folder.hpp"

#include "message.hpp"

#include <fmt/format.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

constexpr std::string_view unfinished_prefix = ".new-";

bool is_budget_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 100 && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

/// $XDG_STATE_HOME or ~/.local/state. A path that is not absolute counts as unset (XDG base directories).
std::string state_home() {
  const char* const state =
      std::getenv("XDG_STATE_HOME");  // NOLINT(concurrency-mt-unsafe): there is one thread
  if (state != nullptr && *state == '/') return state;
  const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state";
  throw budget_file_error(
      "budgets have no place: neither XDG_STATE_HOME nor HOME is set to a path that begins with /");
}

[[noreturn]] void throw_cannot_make(const std::string& path, int error) {
  const char* const advice = error == EPERM || error == EOPNOTSUPP || error == ENOSYS
                                 ? "; set XDG_STATE_HOME to a folder on a local file system"
                                 : "";
  throw budget_file_error(
      fmt::format("{}: cannot be made: {}{}", path, std::generic_category().message(error), advice));
}

/// Makes the folder, and those above it that are absent.
void make_folders(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return;
  if (errno == ENOENT && path.rfind('/') > 0) {
    make_folders(path.substr(0, path.rfind('/')));
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return;
  }
  throw_cannot_make(path, errno);
}

}  // namespace

void check_budget_name(std::string_view name) {
  if (is_budget_name(name)) return;
  throw budget_file_error(fmt::format(
      "'{}' is no name for a budget: write 1 to 100 letters, digits, or . _ - with no dot first", name));
}

budget_folder::budget_folder(bool make) : path_(state_home() + "/relent/budgets") {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  folder_ = owned_descriptor(::open(path_.c_str(), flags));
  if (!folder_.is_open() && errno == ENOENT && make) {
    make_folders(path_);
    folder_ = owned_descriptor(::open(path_.c_str(), flags));
  }
  if (!folder_.is_open() && (make || errno != ENOENT))
    throw budget_file_error(
        fmt::format("{}: cannot be used: {}", path_, std::generic_category().message(errno)));
}

std::string budget_folder::path_of(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

std::vector<std::string> budget_folder::names() const {
  std::vector<std::string> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path_.c_str()), ::closedir);
  if (!folder) return found;
  while (const dirent* const each = ::readdir(folder.get()))  // NOLINT(concurrency-mt-unsafe): its own DIR
    if (is_budget_name(each->d_name)) found.emplace_back(each->d_name);
  std::sort(found.begin(), found.end());
  return found;
}

owned_descriptor budget_folder::open(const std::string& name) const noexcept {
  // Without O_NONBLOCK a pipe of that name would hold us up.
  return owned_descriptor(
      ::openat(folder_.get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

std::string budget_folder::objection_to(const owned_descriptor& file, std::size_t size) {
  struct stat is {};
  if (::fstat(file.get(), &is) != 0) return std::generic_category().message(errno);
  if (!S_ISREG(is.st_mode)) return "is not a regular file";
  if (is.st_uid != ::geteuid()) return "belongs to another user";
  if ((is.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by other users";
  if (is.st_size < static_cast<off_t>(size)) return "is cut short";
  if (is.st_size > static_cast<off_t>(size))
    return "is no budget of this version of relent: its size is wrong";
  return {};
}

/// A file under a hidden name. Its lock is held as long as somebody goes on with it; its hidden name goes at the
/// end, if it still has it.
struct budget_folder::unfinished {
  const int folder;
  const std::string name;
  const owned_descriptor file;

  explicit unfinished(int in)
      : folder(in),
        name(hidden_name()),
        file(::openat(in, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) {}
  unfinished(const unfinished&) = delete;
  unfinished& operator=(const unfinished&) = delete;
  ~unfinished() {
    if (file.is_open()) ::unlinkat(folder, name.c_str(), 0);
  }

  /// False, with errno set, if the content could not be written in full. Written through to the disk, so that a
  /// power cut does not leave an empty file behind.
  bool write(std::string_view content) const noexcept {
    if (!file.is_open()) return false;
    while (::flock(file.get(), LOCK_EX) != 0)
      if (errno != EINTR) return false;
    return ::fchmod(file.get(), 0600) == 0 && write_all(file.get(), content) && ::fdatasync(file.get()) == 0;
  }

 private:
  static std::string hidden_name() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return fmt::format("{}{}-{}-{}", unfinished_prefix, ::getpid(), now.tv_sec, now.tv_nsec);
  }
};

bool budget_folder::add(const std::string& name, std::string_view content) const {
  const int folder = folder_.get();
  remove_abandoned();
  for (int tries = 0;; ++tries) {
    const unfinished made(folder);
    if (!made.write(content)) throw_cannot_make(path_of(name), errno);
    if (::linkat(folder, made.name.c_str(), folder, name.c_str(), 0) == 0) return true;
    if (errno == EEXIST) return false;
    // Taken for abandoned, in the moment before it was locked.
    if (errno != ENOENT || tries >= 100) throw_cannot_make(path_of(name), errno);
  }
}

void budget_folder::put(const std::string& name, std::string_view content) const {
  const int folder = folder_.get();
  remove_abandoned();
  for (int tries = 0;; ++tries) {
    const unfinished made(folder);
    if (!made.write(content)) throw_cannot_make(path_of(name), errno);
    if (::renameat(folder, made.name.c_str(), folder, name.c_str()) == 0) return;
    if (errno != ENOENT || tries >= 100)
      throw budget_file_error(
          fmt::format("{}: cannot be replaced: {}", path_of(name), std::generic_category().message(errno)));
  }
}

void budget_folder::remove_abandoned() const noexcept {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path_.c_str()), ::closedir);
  if (!folder) return;
  while (const dirent* const each = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe): its own DIR
    if (!std::string_view(each->d_name).starts_with(unfinished_prefix)) continue;
    const owned_descriptor file(
        ::openat(folder_.get(), each->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0)
      ::unlinkat(folder_.get(), each->d_name, 0);
  }
}

}  // namespace relent::cli
