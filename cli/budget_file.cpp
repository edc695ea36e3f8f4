// SPDX-License-Identifier: Apache-2.0
// What is in a budget file, and how it is checked.
#include "budget_file.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <type_traits>

namespace relent::cli {
namespace {

constexpr char file_magic[8] = {'r', 'e', 'l', 'e', 'n', 't', 'B', '\n'};
// Raise it with every change to the bytes below or to those of a relent::budget; a test tells of the latter.
constexpr std::uint32_t layout_version = 1;

/// The settings as they stand in a file.
struct stored_settings {
  double capacity;
  double success_credit;
  double retry_cost;
  double timeout_cost;
  double rate_limited_cost;
  std::uint8_t has_timeout_cost;
  std::uint8_t has_rate_limited_cost;
  std::uint8_t refund_last_cost;
  std::uint8_t unused[5];
};

stored_settings stored(const token_budget& rule) {
  return {rule.capacity,
          rule.success_credit,
          rule.retry_cost,
          rule.timeout_cost.value_or(0),
          rule.rate_limited_cost.value_or(0),
          std::uint8_t{rule.timeout_cost.has_value()},
          std::uint8_t{rule.rate_limited_cost.has_value()},
          std::uint8_t{rule.refund_last_cost},
          {}};
}

token_budget read(const stored_settings& from) {
  token_budget rule{
      .capacity = from.capacity, .success_credit = from.success_credit, .retry_cost = from.retry_cost};
  if (from.has_timeout_cost != 0) rule.timeout_cost = from.timeout_cost;
  if (from.has_rate_limited_cost != 0) rule.rate_limited_cost = from.rate_limited_cost;
  rule.refund_last_cost = from.refund_last_cost != 0;
  return rule;
}

// Where in a relent::budget its two words lie that use changes.
constexpr std::size_t tokens_at = 64;  // capacity in the upper half, level in the lower, both in thousandths
constexpr std::size_t refusals_at = 192;

}  // namespace

/// The whole file.
struct budget_file::layout {
  char magic[sizeof file_magic];
  std::uint32_t version;
  std::uint32_t budget_size;
  stored_settings settings;
  std::int64_t last_used;  // nanoseconds since 1970; 0: never
  alignas(64) unsigned char budget_bytes[sizeof(relent::budget)];

  std::uint64_t word(std::size_t at) const noexcept {
    return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(budget_bytes + at), __ATOMIC_RELAXED);
  }
  void set_word(std::size_t at, std::uint64_t value) noexcept {
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(budget_bytes + at), value, __ATOMIC_RELAXED);
  }
  relent::budget& budget() noexcept { return *std::launder(reinterpret_cast<relent::budget*>(budget_bytes)); }

  /// As a new file has it, the budget full.
  static std::unique_ptr<layout> make(const token_budget& rule);
  /// What is wrong with it; empty if nothing is.
  std::string objection() const;
};

std::unique_ptr<budget_file::layout> budget_file::layout::make(const token_budget& rule) {
  static_assert(std::is_trivially_copyable_v<layout> && std::is_trivially_destructible_v<relent::budget>);
  static_assert(alignof(relent::budget) <= 64 && sizeof(layout) % 64 == 0 && sizeof(layout) <= 4096);
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "else processes could not share it");
  auto made = std::make_unique<layout>();
  std::memset(static_cast<void*>(made.get()), 0, sizeof(layout));  // what lies between the members too
  std::memcpy(made->magic, file_magic, sizeof file_magic);
  made->version = layout_version;
  made->budget_size = sizeof(relent::budget);
  made->settings = stored(rule);
  ::new (static_cast<void*>(made->budget_bytes)) relent::budget(rule);
  return made;
}

std::string budget_file::layout::objection() const {
  if (std::memcmp(magic, file_magic, sizeof file_magic) != 0) return "is no budget of relent";
  if (version != layout_version || budget_size != sizeof(relent::budget))
    return "is the budget of another version of relent";
  const token_budget rule = read(settings);
  if (!problems(rule).empty()) return "is damaged";
  // All but the two words that use changes must be as they were made.
  const std::unique_ptr<layout> sound = make(rule);
  const std::uint64_t tokens = word(tokens_at);
  const std::uint64_t full = sound->word(tokens_at);
  if (tokens >> 32U != full >> 32U || static_cast<std::uint32_t>(tokens) > full >> 32U) return "is damaged";
  sound->set_word(tokens_at, tokens);
  sound->set_word(refusals_at, word(refusals_at));
  auto seen = std::make_unique<layout>();
  std::memcpy(static_cast<void*>(seen.get()), this, sizeof(layout));
  seen->set_word(tokens_at, tokens);  // others may have changed them meanwhile
  seen->set_word(refusals_at, sound->word(refusals_at));
  if (std::memcmp(seen->budget_bytes, sound->budget_bytes, sizeof(relent::budget)) != 0) return "is damaged";
  return {};
}

namespace {

[[noreturn]] void throw_useless(const std::string& path, std::string_view name, std::string_view why) {
  throw budget_file_error(
      fmt::format("{}: {}; remove it, or start anew with: relent budget {} --reset", path, why, name));
}

std::string why_not_opened(int error) {
  switch (error) {
    case ELOOP: return "is a symbolic link";
    case EISDIR: return "is a folder";
    case ENXIO: return "is not a regular file";
    default: return std::generic_category().message(error);
  }
}

}  // namespace

std::string budget_file::content(const token_budget& settings, const layout* like) {
  std::unique_ptr<layout> made = layout::make(settings);
  if (like != nullptr) {
    // Nobody else has this one, so its budget can be reconfigured as any other.
    made = layout::make(read(like->settings));
    made->set_word(tokens_at, like->word(tokens_at));
    made->set_word(refusals_at, like->word(refusals_at));
    made->budget().reconfigure(settings);
    made->settings = stored(settings);
    made->last_used = __atomic_load_n(&like->last_used, __ATOMIC_RELAXED);
  }
  return {reinterpret_cast<const char*>(made.get()), sizeof(layout)};
}

budget_file::budget_file(std::string_view name, std::string path, const owned_descriptor& file)
    : name_(name), path_(std::move(path)) {
  if (const std::string why = budget_folder::objection_to(file, sizeof(layout)); !why.empty())
    throw_useless(path_, name_, why);
  void* const mapped = ::mmap(nullptr, sizeof(layout), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED)
    throw budget_file_error(
        fmt::format("{}: cannot be mapped into memory: {}", path_, std::generic_category().message(errno)));
  mapped_ = static_cast<layout*>(mapped);
  // Again, now that it is mapped: what lies beyond the end of a file must not be touched.
  std::string why = budget_folder::objection_to(file, sizeof(layout));
  if (why.empty()) why = mapped_->objection();
  if (!why.empty()) {
    ::munmap(mapped, sizeof(layout));
    mapped_ = nullptr;
    throw_useless(path_, name_, why);
  }
  settings_ = read(mapped_->settings);
}

budget_file::~budget_file() {
  if (mapped_ != nullptr) ::munmap(static_cast<void*>(mapped_), sizeof(layout));
}

budget_file budget_file::open(std::string_view name, const token_budget& settings) {
  check_budget_name(name);
  if (const problem_list found = problems(settings); !found.empty())
    throw budget_file_error(options_error(found).what());
  const budget_folder folder(true);
  const std::string file_name(name);
  owned_descriptor file = folder.open(file_name);
  if (!file.is_open() && errno == ENOENT) {
    folder.add(file_name, content(settings));  // or somebody else was first
    file = folder.open(file_name);
  }
  if (!file.is_open()) throw_useless(folder.path_of(name), name, why_not_opened(errno));
  budget_file opened(name, folder.path_of(name), file);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  __atomic_store_n(&opened.mapped_->last_used,
                   std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), __ATOMIC_RELAXED);
  return opened;
}

std::optional<budget_file> budget_file::look(std::string_view name) {
  check_budget_name(name);
  const budget_folder folder(false);
  if (!folder.exists()) return std::nullopt;
  const owned_descriptor file = folder.open(std::string(name));
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  if (!file.is_open()) throw_useless(folder.path_of(name), name, why_not_opened(errno));
  return budget_file(name, folder.path_of(name), file);
}

budget_file budget_file::reset(std::string_view name, const token_budget& settings) {
  check_budget_name(name);
  const budget_folder folder(true);
  folder.put(std::string(name), content(settings));
  std::optional<budget_file> made = look(name);
  if (!made) throw budget_file_error(fmt::format("{}: was taken away meanwhile", folder.path_of(name)));
  return std::move(*made);
}

budget_file budget_file::with(const token_budget& settings) const {
  const budget_folder folder(true);
  folder.put(name_, content(settings, mapped_));
  std::optional<budget_file> made = look(name_);
  if (!made) throw budget_file_error(fmt::format("{}: was taken away meanwhile", path_));
  return std::move(*made);
}

relent::budget& budget_file::budget() noexcept { return mapped_->budget(); }
const relent::budget& budget_file::budget() const noexcept { return mapped_->budget(); }

std::optional<std::chrono::system_clock::time_point> budget_file::last_used() const noexcept {
  const std::int64_t count = __atomic_load_n(&mapped_->last_used, __ATOMIC_RELAXED);
  if (count <= 0) return std::nullopt;
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(count)));
}

std::string budget_file::note_on(const token_budget& asked) const {
  if (asked == settings_) return {};
  const auto text = [](const token_budget& rule) {
    std::string line = fmt::format("capacity {} and success credit {}", rule.capacity, rule.success_credit);
    const token_budget usual{.capacity = rule.capacity, .success_credit = rule.success_credit};
    return rule == usual ? line : line + " and costs of its own";
  };
  return fmt::format(
      "the budget {} keeps the {} that it was made with, not {}; to change it: "
      "relent budget {} --capacity {} --success-credit {}",
      name_, text(settings_), text(asked), name_, asked.capacity, asked.success_credit);
}

}  // namespace relent::cli
