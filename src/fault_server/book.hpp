// SPDX-License-Identifier: Apache-2.0
// What a server knows: where every key stands in its walk, what was executed and answered, what the load was. Time is
// handed in; nothing here waits or talks to anybody.
#pragma once

#include <relent/testing/fault_server.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "key_entry.hpp"
#include "load_record.hpp"
#include "performance.hpp"
#include "request_head.hpp"
#include "script.hpp"
#include "walk.hpp"

namespace relent::testing::faults {

/// One request from its head to the end of its answer.
struct ticket {
  const step* what = nullptr;  ///< the step it meets, of the script set or the book
  bool reads_body = true;      ///< whether the body is read before the answer
  bool says_continue = false;  ///< whether 100 Continue is sent before the body is read
  ahead begun = {};            ///< what begins as soon as the answer does
  bool first = false;          ///< whether it is the first one of all, from which on outages are counted

  // The book's own.
  key_entry* entry = nullptr;
  std::uint64_t generation = 0;
  bool keyed = false;
  duration latency = duration::zero();
};

/// The body of a request that has come in whole, as far as it is kept.
struct body_seen {
  std::uint64_t bytes = 0;
  std::uint64_t print = 0;
};

/// Thread-safe: every member takes the book's lock.
class book {
 public:
  book(script_set scripts, std::uint64_t seed);
  book(const book&) = delete;
  book& operator=(const book&) = delete;

  /// What begins with the server, ahead of the first request.
  ahead at_start() const noexcept { return at_start_; }
  /// The outages whose step is refuse, as times after the first request.
  std::vector<outage_rule> refusing_outages() const;

  /// A connection was accepted.
  void connected();
  /// A request's head has come in: which step it meets.
  ticket arrive(const request_head& request, time_point now);
  /// The request was as whole as the step needs it; `body` is nothing where it was not read. What is to be done.
  performance finish(const ticket& of, const request_head& request, const std::optional<body_seen>& body,
                     time_point now, std::chrono::system_clock::time_point wall);
  /// The request never became whole.
  void abandon(const ticket& of, std::uint64_t body_bytes);
  /// The answer is being written to its end; not_answered() if that fails.
  void answered(const ticket& of);
  void not_answered(const ticket& of);
  /// A request came on a connection that idle-close had kept for it.
  void dropped(const ticket& of);

  key_counts counts(std::string_view key) const;
  key_counts totals() const;
  std::uint64_t connections() const;
  std::vector<load_bucket> load(time_point now) const;
  std::string counts_json(time_point now) const;
  void reset();
  void refresh();

 private:
  const walk_script* script_for(std::string_view path) const noexcept;
  key_entry& entry_of(const std::string& key);
  const outage_rule* outage_at(duration since) const noexcept;
  const step* next_step(const request_head& request, key_entry& entry, ticket& out, time_point now);
  const step* walk_on(const request_head& request, key_entry& entry, ahead& begun);
  void fill_capacity();
  void choose_reading(const request_head& request, ticket& out) const;
  bool takes_body(const ticket& of, const request_head& request, const body_seen& body);
  duration draw_latency();
  duration since_first(time_point now) const noexcept;

  mutable std::mutex mutex_;
  const script_set scripts_;
  const std::uint64_t seed_;
  ahead at_start_;
  step ok_, not_found_, conflict_, mismatch_;
  std::optional<work_capacity> capacity_;
  std::map<std::string, key_entry, std::less<>> entries_;
  std::uint64_t generation_ = 1;
  std::uint64_t refreshes_ = 0;
  std::uint64_t connections_ = 0;
  std::uint64_t latency_random_;
  std::optional<time_point> first_;
  load_record load_;
};

}  // namespace relent::testing::faults
