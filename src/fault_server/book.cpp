// SPDX-License-Identifier: Apache-2.0
// A request goes through here twice: with its head it is given its step, with its body it has its effect.
#include "book.hpp"

#include <relent/random.hpp>

#include <algorithm>
#include <utility>

namespace relent::testing::faults {

namespace {

constexpr std::size_t most_keys = 1'000'000;

step plain_step(std::uint16_t status, std::string text, bool executes) {
  step out;
  out.status = status;
  out.executes = executes;
  if (!text.empty()) out.body = {body_spec::source::text, 0, std::move(text)};
  return out;
}

/// Whether the step answers, in whole or in part, with what the work gave.
bool gives_result(const step& what) noexcept {
  switch (what.kind) {
    case step_kind::answer: return what.status < 300;
    case step_kind::reset:
    case step_kind::close:
    case step_kind::stall: return what.cut.has_value();
    case step_kind::unclean:
    case step_kind::in_flight:
    case step_kind::idle_close: return true;
    default: return false;
  }
}

/// The step with the content of another one.
step with_result(step what, const step& result) {
  what.status = result.status;
  what.body = result.body;
  what.type = result.type;
  what.etag = result.etag;
  what.headers = result.headers;
  return what;
}

bool expects_continue(const request_head& request) {
  const auto value = request.header("Expect");
  if (!value) return false;
  std::string small(*value);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small == "100-continue";
}

std::uint64_t print_of(const request_head& request, const body_seen& body) {
  fingerprint print;
  print.add(request.method);
  print.add(" ");
  print.add(request.target);
  std::uint64_t mixed = print.value() ^ body.print;
  return detail::split_mix(mixed);
}

}  // namespace

book::book(script_set scripts, std::uint64_t seed)
    : scripts_(std::move(scripts)),
      seed_(seed),
      ok_(plain_step(200, "", true)),
      not_found_(plain_step(404, "no script is for this path\n", false)),
      conflict_(plain_step(409, "a request with this Idempotency-Key is in flight\n", false)),
      mismatch_(plain_step(422, "this Idempotency-Key was used for another request\n", false)),
      latency_random_(seed) {
  fill_capacity();
  for (const walk_script& each : scripts_.walks) {
    ahead begun;
    const walk first(each, 0, begun);
    at_start_.add(begun);
  }
}

void book::fill_capacity() {
  if (scripts_.capacity) capacity_.emplace(scripts_.capacity->per_second, scripts_.cost.value_or(0));
}

std::vector<outage_rule> book::refusing_outages() const {
  std::vector<outage_rule> out;
  for (const outage_rule& each : scripts_.outages)
    if (each.instead.kind == step_kind::refuse) out.push_back(each);
  return out;
}

const walk_script* book::script_for(std::string_view path) const noexcept {
  const walk_script* best = nullptr;
  for (const walk_script& each : scripts_.walks) {
    const bool fits = each.prefix ? path.substr(0, each.path.size()) == each.path : path == each.path;
    if (!fits) continue;
    if (!each.prefix) return &each;
    if (best == nullptr || each.path.size() > best->path.size()) best = &each;
  }
  return best;
}

key_entry& book::entry_of(const std::string& key) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second;
  return entries_.size() < most_keys ? entries_[key] : entries_["(others)"];
}

duration book::since_first(time_point now) const noexcept {
  return first_ ? time_between(*first_, now) : duration::zero();
}

const outage_rule* book::outage_at(duration since) const noexcept {
  const auto found = std::find_if(scripts_.outages.begin(), scripts_.outages.end(),
                                  [&](const auto& each) { return since >= each.from && since < each.to; });
  return found == scripts_.outages.end() ? nullptr : &*found;
}

const step* book::walk_on(const request_head& request, key_entry& entry, ahead& begun) {
  const walk_script* const script = script_for(request.path());
  if (script == nullptr) return scripts_.walks.empty() ? &ok_ : &not_found_;
  auto found = entry.walks.find(script);
  if (found == entry.walks.end()) {
    fingerprint print;
    print.add(request.key());
    std::uint64_t random = seed_ ^ print.value();
    random = detail::split_mix(random) + static_cast<std::uint64_t>(script - scripts_.walks.data());
    ahead already;
    found = entry.walks.emplace(script, walk(*script, random, already)).first;
  }
  const step* const met = found->second.next(*script, refreshes_, begun);
  return met == nullptr ? &ok_ : met;
}

const step* book::next_step(const request_head& request, key_entry& entry, ticket& out, time_point now) {
  const outage_rule* const outage = outage_at(since_first(now));
  const bool full = outage == nullptr && capacity_ && !capacity_->admits(now);
  if (outage != nullptr || full) {
    ++entry.counts.rejected;
    ++load_.at(since_first(now)).rejected;
    return outage != nullptr ? &outage->instead : &scripts_.capacity->instead;
  }
  if (out.keyed && now < entry.busy_until) {
    ++entry.counts.conflicts;
    return &conflict_;
  }
  out.latency = draw_latency();
  const step* const met = walk_on(request, entry, out.begun);
  if (met->kind == step_kind::in_flight && out.keyed && !entry.executed) entry.busy_until = end_of_time;
  return met;
}

duration book::draw_latency() {
  if (!scripts_.latency) return duration::zero();
  const auto [least, most] = *scripts_.latency;
  return least + uniform_below(detail::split_mix(latency_random_), most - least);
}

void book::choose_reading(const request_head& request, ticket& out) const {
  const step& what = *out.what;
  const bool silent = what.kind == step_kind::stall && !what.cut && !what.executes;
  out.reads_body = !what.head_only && !what.before_head && !silent && what.kind != step_kind::refuse;
  if (!out.reads_body || !expects_continue(request)) return;
  const bool answers = what.kind == step_kind::answer || what.kind == step_kind::unauthenticated;
  out.says_continue = !answers || what.status < 400 || what.executes;
  out.reads_body = out.says_continue;
}

ticket book::arrive(const request_head& request, time_point now) {
  const std::lock_guard lock(mutex_);
  ticket out;
  out.first = !first_;
  if (!first_) first_ = now;
  key_entry& entry = entry_of(request.key());
  out.entry = &entry;
  out.generation = generation_;
  out.keyed = request.idempotency_key().has_value();
  ++entry.counts.attempts;
  ++load_.at(since_first(now)).arrived;
  out.what = next_step(request, entry, out, now);
  choose_reading(request, out);
  return out;
}

/// Notes the body; false if its Idempotency-Key was used for another request.
bool book::takes_body(const ticket& of, const request_head& request, const body_seen& body) {
  key_entry& entry = *of.entry;
  ++entry.counts.bodies_complete;
  entry.counts.body_bytes += body.bytes;
  if (!entry.first_body) entry.first_body = body.print;
  if (body.print != *entry.first_body) ++entry.counts.bodies_different;
  const bool same = !of.keyed || !entry.executed || entry.request_print == print_of(request, body);
  if (!same) ++entry.counts.conflicts;
  return same;
}

performance book::finish(const ticket& of, const request_head& request, const std::optional<body_seen>& body,
                         time_point now, std::chrono::system_clock::time_point wall) {
  const std::lock_guard lock(mutex_);
  circumstances around;
  around.wall = wall;
  around.close = !body || of.begun.any();
  if (of.generation != generation_) return perform(*of.what, request, around);
  key_entry& entry = *of.entry;
  if (body && !takes_body(of, request, *body)) return perform(mismatch_, request, around);
  step what = *of.what;
  const bool again = of.keyed && entry.executed;
  if (what.executes && body && !again) {
    ++entry.counts.executions;
    entry.executed = of.keyed;
    entry.request_print = print_of(request, *body);
    if (what.kind == step_kind::in_flight) entry.busy_until = saturating_add(now, what.delay);
  }
  if (of.keyed && what.executes && gives_result(what)) {
    if (!entry.stored) entry.stored = what;
    what = with_result(std::move(what), *entry.stored);
    around.replayed = again;
    if (again && what.kind == step_kind::in_flight) what.delay = duration::zero();
    if (again) ++entry.counts.replayed;
  }
  performance out = perform(what, request, around);
  out.delay = saturating_add(out.delay, of.latency);
  if (out.status >= 200 && out.status < 400) ++load_.at(since_first(now)).served;
  return out;
}

void book::abandon(const ticket& of, std::uint64_t body_bytes) {
  const std::lock_guard lock(mutex_);
  if (of.generation != generation_) return;
  of.entry->counts.body_bytes += body_bytes;
  if (of.what->kind == step_kind::in_flight) of.entry->busy_until = time_point::min();
}

void book::answered(const ticket& of) {
  const std::lock_guard lock(mutex_);
  if (of.generation == generation_) ++of.entry->counts.answered;
}

void book::not_answered(const ticket& of) {
  const std::lock_guard lock(mutex_);
  if (of.generation == generation_) --of.entry->counts.answered;
}

void book::dropped(const ticket& of) {
  const std::lock_guard lock(mutex_);
  if (of.generation == generation_) ++of.entry->counts.dropped;
}

void book::connected() {
  const std::lock_guard lock(mutex_);
  ++connections_;
}

void book::reset() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  entries_.clear();
  connections_ = 0;
  first_.reset();
  fill_capacity();
  load_.clear();
}

void book::refresh() {
  const std::lock_guard lock(mutex_);
  ++refreshes_;
}

std::vector<load_bucket> book::load(time_point now) const {
  const std::lock_guard lock(mutex_);
  return first_ ? load_.until(since_first(now)) : std::vector<load_bucket>{};
}

}  // namespace relent::testing::faults
