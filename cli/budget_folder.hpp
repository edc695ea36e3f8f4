// SPDX-License-Identifier: Apache-2.0
// The folder of the budget files: where it is, which names there may be, and how a file gets its name in one
// step. What is in the files is known in budget_file.cpp. Layer 5.
#pragma once

#include "descriptor.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// A budget file that cannot be used. what() is one line: the file, what is wrong, what to do.
class budget_file_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// $XDG_STATE_HOME/relent/budgets, with ~/.local/state where that is unset. One thread at a time.
class budget_folder {
 public:
  /// Made, mode 0700, if it is absent and `make` says so. Throws budget_file_error.
  explicit budget_folder(bool make);

  /// False: absent, and not made.
  bool exists() const noexcept { return folder_.is_open(); }
  std::string path_of(std::string_view name) const;
  /// The names of all budgets, in alphabetical order.
  std::vector<std::string> names() const;
  /// Opens the file to read and write it, whatever it is; symbolic links are not followed. Closed, with errno
  /// set, if that fails.
  owned_descriptor open(const std::string& name) const noexcept;
  /// Why the open file cannot be a budget's, of `size` bytes; empty if it can.
  static std::string objection_to(const owned_descriptor& file, std::size_t size);

  /// Gives a file of this content its name; false if there is one of that name by then. In one step: nobody
  /// ever sees an unfinished file, and whoever is killed leaves at most a hidden one that the next maker takes
  /// away. Throws budget_file_error.
  bool add(const std::string& name, std::string_view content) const;
  /// The same, in the place of whatever has the name.
  void put(const std::string& name, std::string_view content) const;

 private:
  struct unfinished;
  void remove_abandoned() const noexcept;

  std::string path_;
  owned_descriptor folder_;
};

/// Throws budget_file_error unless it has 1 to 100 letters, digits, or . _ - and no dot at its beginning.
void check_budget_name(std::string_view name);

}  // namespace relent::cli
