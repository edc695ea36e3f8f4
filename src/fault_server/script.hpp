// SPDX-License-Identifier: Apache-2.0
// Scripts as values, and how they are read from text. The language is told in relent/testing/fault_server.hpp.
// What a step does to a connection is not here (performance.hpp), nor who stands where in a walk (book.hpp).
#pragma once

#include <relent/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relent::testing::faults {

enum class step_kind : std::uint8_t {
  answer,           ///< a status, also `late`
  reset,            ///< RST
  close,            ///< FIN
  unclean,          ///< FIN without close_notify
  stall,            ///< silence
  malformed,        ///< bytes that are no HTTP
  unauthenticated,  ///< 401-until-refresh
  in_flight,        ///< 409-while-in-flight
  idle_close,
  refuse,
  random,
};

enum class malformation : std::uint8_t { status, head, length, chunk, nul, big_header };

enum class body_framing : std::uint8_t { length, chunked, close };

/// The body of an answer.
struct body_spec {
  enum class source : std::uint8_t { reason, pattern, text };
  source from = source::reason;
  std::uint64_t size = 0;  ///< of a pattern
  std::string text = {};

  friend bool operator==(const body_spec&, const body_spec&) = default;
};

/// A header value that is a text, or a date so far from now.
struct dated_value {
  std::string text = {};
  std::optional<duration> offset = std::nullopt;

  friend bool operator==(const dated_value&, const dated_value&) = default;
};

/// One step, all options read. Which of them count depends on the kind.
struct step {
  step_kind kind = step_kind::answer;
  std::uint16_t status = 200;
  std::uint64_t repeat = 1;
  /// Before the answer; of refuse, its length; of 409-while-in-flight, that of the work.
  duration delay = duration::zero();
  std::optional<duration> hold = std::nullopt;       ///< of stall: until it is closed; nothing: for ever
  std::optional<std::uint64_t> cut = std::nullopt;   ///< bytes of the body before the fault
  std::optional<std::uint64_t> rate = std::nullopt;  ///< of drip: bytes a second
  bool before_head = false;                          ///< of reset
  malformation wrong = malformation::status;
  std::uint64_t junk = 0;  ///< of big-header: its size
  body_spec body = {};
  std::string type = {};
  std::string etag = {};  ///< with its quotes
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::optional<dated_value> retry_after = std::nullopt;
  std::optional<dated_value> date = std::nullopt;  ///< empty text without an offset: no Date at all
  bool ranges = true;
  body_framing framing = body_framing::length;
  bool keep_alive = true;
  std::optional<duration> idle = std::nullopt;  ///< of a kept connection
  bool head_only = false;                       ///< read=head
  bool executes = false;
  std::vector<step> choices = {};  ///< of random
  double weight = 1;               ///< in random

  friend bool operator==(const step&, const step&) = default;
};

/// A sequence and the paths it is for.
struct walk_script {
  std::string path = {};  ///< without the star; empty and a prefix: every path
  bool prefix = true;
  std::vector<step> steps = {};

  friend bool operator==(const walk_script&, const walk_script&) = default;
};

/// What a rule of the whole server lets a request meet instead of its walk.
struct outage_rule {
  duration from = duration::zero();
  duration to = duration::zero();
  step instead = {};

  friend bool operator==(const outage_rule&, const outage_rule&) = default;
};

struct capacity_rule {
  double per_second = 0;
  step instead = {};

  friend bool operator==(const capacity_rule&, const capacity_rule&) = default;
};

/// All scripts of a server.
struct script_set {
  std::vector<walk_script> walks = {};
  std::vector<outage_rule> outages = {};
  std::optional<capacity_rule> capacity = std::nullopt;
  std::optional<double> cost = std::nullopt;
  std::optional<std::array<duration, 2>> latency = std::nullopt;  ///< between the two

  friend bool operator==(const script_set&, const script_set&) = default;
};

/// A script set, or what is wrong with the texts: lines as in fault_script_error.
struct script_reading {
  script_set scripts = {};
  std::vector<std::string> problems = {};
};

inline constexpr std::size_t longest_script = 64 * 1024;
inline constexpr std::uint64_t largest_body = std::uint64_t{1} << 40U;
inline constexpr std::uint64_t largest_header = 100'000'000;

/// Reads all scripts, to the end whatever is wrong with them.
script_reading read_scripts(const std::vector<std::string>& texts, bool tls);

/// Whether a step that says nothing about execution does the work.
bool executes_by_itself(const step& read) noexcept;

/// The reason phrase of a status; "Status" for one without.
std::string_view reason_of(unsigned status) noexcept;

}  // namespace relent::testing::faults
