// SPDX-License-Identifier: Apache-2.0
// A token budget that all processes of a user and host share: a small file, mapped into each of them. Every
// change is one atomic step on one word of it, so a process that is killed at any instant leaves it whole, and
// takes along at most the token in its hand. Where the files are is known in budget_folder.hpp. Layer 5.
#pragma once

#include "budget_folder.hpp"

#include <relent/budget.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace relent::cli {

/// One budget file in use. Every function that opens or makes one throws budget_file_error.
class budget_file {
 public:
  /// Opens the budget of that name to use it; the first to come makes it, full, with these settings. One that
  /// is there keeps the settings that it was made with.
  static budget_file open(std::string_view name, const token_budget& settings);
  /// Opens it to look at it, or nothing if there is none of that name.
  static std::optional<budget_file> look(std::string_view name);
  /// Makes a new one, full, in the place of whatever has the name. Who uses the old one goes on with that.
  static budget_file reset(std::string_view name, const token_budget& settings);
  /// Makes a new one in the place of this one, under other settings; it keeps the filled fraction. Who uses the
  /// old one goes on with that.
  budget_file with(const token_budget& settings) const;

  budget_file(budget_file&& other) noexcept
      : name_(std::move(other.name_)),
        path_(std::move(other.path_)),
        settings_(other.settings_),
        mapped_(std::exchange(other.mapped_, nullptr)) {}
  budget_file& operator=(budget_file&&) = delete;
  ~budget_file();

  const std::string& name() const noexcept { return name_; }
  const std::string& path() const noexcept { return path_; }
  /// What it was made with.
  const token_budget& settings() const noexcept { return settings_; }
  /// The shared state. Thread-safe, and process-safe but for reconfigure(), which must not be called on it: a
  /// process killed within would leave its lock held.
  relent::budget& budget() noexcept;
  const relent::budget& budget() const noexcept;
  /// When a process last opened it to use it; nothing if none has.
  std::optional<std::chrono::system_clock::time_point> last_used() const noexcept;
  /// Empty if it was made with the settings asked for; else a line that says which ones hold, and how to change
  /// them.
  std::string note_on(const token_budget& asked) const;

 private:
  struct layout;
  budget_file(std::string_view name, std::string path, const owned_descriptor& file);
  static std::string content(const token_budget& settings, const layout* like = nullptr);

  std::string name_;
  std::string path_;
  token_budget settings_;
  layout* mapped_ = nullptr;
};

}  // namespace relent::cli
