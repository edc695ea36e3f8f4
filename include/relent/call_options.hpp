// SPDX-License-Identifier: Apache-2.0
// What is said for one call. What holds for many is in policy.hpp and dependency.hpp. Layer 3.
#pragma once

#include <relent/classify.hpp>
#include <relent/clock.hpp>
#include <relent/optional.hpp>
#include <relent/random.hpp>
#include <relent/report.hpp>
#include <relent/stop.hpp>
#include <relent/time.hpp>

#include <cstdint>
#include <string_view>

namespace relent {

class attempt;

/// Whether the operation may be done twice.
enum class repeat : std::uint8_t {
  allowed,            ///< it is safe, idempotent, or the caller accepts a repetition
  only_if_no_effect,  ///< only after faults that prove that nothing was done
};

/// What is said for one call. Append only: the order of members is API.
struct call_options {
  /// A std::stop_token: ends the wait at once, and no attempt starts afterwards.
  stop_handle stop = {};
  /// Where to write the story of the call.
  relent::report* report = nullptr;
  /// From the beginning of the call; tightens the policy's deadline, never extends it.
  optional<duration> deadline = nullopt;
  relent::repeat repeat = repeat::allowed;
  /// The call's identity, if the caller has one (a payment's number); must outlive the call. Otherwise one
  /// is made when an attempt first asks for it.
  optional<std::string_view> idempotency_key = nullopt;
  /// Looks at exceptions before the usual classification: relent::retry_on<db_busy>.
  exception_classifier classify = {};
  /// The enclosing attempt, where the call runs in another thread than it; must outlive the call. Its deadline
  /// and its nesting count as usual, but what this call's exception means is not handed up to it.
  const attempt* outer = nullptr;
  /// Where time and jitter come from; the dependency's, or the steady clock and the thread's generator.
  relent::clock* clock = nullptr;
  optional<random_ref> random = nullopt;
  /// An enclosing call retries that only the caller knows of, one in another process: this call makes a
  /// single attempt, unless its policy says nesting::retry.
  bool enclosed = false;
};

namespace detail {
inline constexpr call_options no_call_options{};
}

}  // namespace relent
