// SPDX-License-Identifier: Apache-2.0
// The two files.
#include "part_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): realpath is of POSIX
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

constexpr std::string_view first_line = "relent-part 1";

/// FNV-1a: tells addresses apart, and hides the secrets that some have in them from a casual look.
std::uint64_t digest_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// What follows a name at the beginning of a line.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  return line.substr(name.size());
}

std::string real_path_of(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
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

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether the name still stands for the file that is open: whoever had it before us may have put it in its place.
bool is_still(const owned_descriptor& file, const std::string& path) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(file.get(), &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/// Opens or makes the file, for this process alone.
owned_descriptor open_alone(const std::string& path) {
  for (;;) {
    owned_descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!file.is_open() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) throw_errno(path);
    if (is_still(file, path)) return file;
  }
}

}  // namespace

std::string to_text(const part_state& state, std::string_view address) {
  return fmt::format("{}\naddress {:016x}\ntotal {}\nvalidator {}\n", first_line, digest_of(address),
                     state.total ? std::to_string(*state.total) : "unknown", state.validator);
}

std::optional<part_state> parse_part_state(std::string_view text, std::string_view address) {
  if (!text.ends_with('\n') || take_line(text) != first_line) return std::nullopt;
  if (take_line(text) != fmt::format("address {:016x}", digest_of(address))) return std::nullopt;
  const auto total = value_of(take_line(text), "total ");
  const auto validator = value_of(take_line(text), "validator ");
  if (!total || !validator || validator->empty()) return std::nullopt;
  part_state state{.validator = std::string(*validator)};
  if (*total == "unknown") return state;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(total->data(), total->data() + total->size(), number);
  if (error != std::errc{} || end != total->data() + total->size()) return std::nullopt;
  state.total = number;
  return state;
}

part_file::part_file(const std::string& path, std::string address)
    : path_(real_path_of(path)), address_(std::move(address)), file_(open_alone(part_path())) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) throw_errno(part_path());
  size_ = static_cast<std::uint64_t>(status.st_size);
  const auto state = parse_part_state(read_all(state_path()), address_);
  if (state && (!state->total || size_ <= *state->total))
    state_ = *state;
  else
    start_over({});
}

part_file::~part_file() {
  if (!finished_ && !can_go_on()) remove();
}

void part_file::start_over(const part_state& state) {
  ::unlink(state_path().c_str());  // first, so that old bytes never have the new state
  if (::ftruncate(file_.get(), 0) != 0) throw_errno(part_path());
  size_ = 0;
  state_ = state;
  if (!state_.validator.empty()) write_state();
}

void part_file::append(std::string_view bytes) {
  write_all(file_.get(), bytes, part_path());
  size_ += bytes.size();
}

void part_file::finish() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) static_cast<void>(::fchmod(file_.get(), status.st_mode & 07777U));
  if (::rename(part_path().c_str(), path_.c_str()) != 0) throw_errno(path_);
  ::unlink(state_path().c_str());
  finished_ = true;
}

void part_file::write_state() const {
  const owned_descriptor file(::open(state_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) throw_errno(state_path());
  write_all(file.get(), to_text(state_, address_), state_path());
}

void part_file::remove() noexcept {
  ::unlink(state_path().c_str());
  ::unlink(part_path().c_str());
}

}  // namespace relent::cli
