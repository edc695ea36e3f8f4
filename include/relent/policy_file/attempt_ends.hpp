// SPDX-License-Identifier: Apache-2.0
// Sets of ways in which an attempt of a command can end, as `relent run --retry-on` and the policy file
// name them: exit codes, ranges of them, signals, the time-out of an attempt. What follows from an end is
// said in command_rules.hpp. Part of relent::policy_file.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace relent {

/// Exit codes 0 to 255, signals 1 to 64, and the attempt's time-out; empty at first. A plain value.
class attempt_ends {
 public:
  /// Numbers out of range are not in any set.
  bool has_code(int code) const noexcept;
  bool has_signal(int signal) const noexcept;
  bool has_timeout() const noexcept { return timeout_; }
  bool empty() const noexcept { return codes_.none() && signals_.none() && !timeout_; }

  /// Return the set, so that they can be written one behind the other. Numbers out of range are left out.
  attempt_ends& add_code(int code) noexcept { return add_codes(code, code); }
  attempt_ends& add_codes(int first, int last) noexcept;
  attempt_ends& add_signal(int signal) noexcept;
  attempt_ends& add_every_signal() noexcept;
  attempt_ends& add_timeout() noexcept;
  /// Adds all that is in the other one.
  attempt_ends& add(const attempt_ends& other) noexcept;

  friend bool operator==(const attempt_ends&, const attempt_ends&) noexcept = default;

 private:
  std::bitset<256> codes_;
  std::bitset<65> signals_;
  bool timeout_ = false;
};

/// A set read from text, or what is wrong with the text: a phrase that goes on from the text's name, and the
/// offset of the word that it speaks of.
struct attempt_ends_parse {
  std::optional<attempt_ends> value;
  std::string error;
  std::size_t position = 0;
};

/// Reads words with commas between them, as in 1,75,100-120,SIGSEGV,timeout. A signal is written with or
/// without SIG, in either case of letters, and SIG35 where it has no name; `signal` is any of them. Blanks
/// around a word are fine. Exit code 0 and 126 and 127 by themselves are refused, since they never mean
/// another try; a range may go over them. Thread-safe.
attempt_ends_parse parse_attempt_ends(std::string_view text);

/// Such a text, ranges first, which parse_attempt_ends reads back as the same set; empty for the empty set,
/// which no text stands for. Thread-safe.
std::string to_text(const attempt_ends& ends);

}  // namespace relent
