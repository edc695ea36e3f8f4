// SPDX-License-Identifier: Apache-2.0
// The parts put together.
#include "fetch_call.hpp"

#include "fetch_exit.hpp"

#include "cli/message.hpp"
#include "cli/signals.hpp"

#include <relent/retry.hpp>

#include <curl/curl.h>
#include <fmt/format.h>

#include <sys/random.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace relent::cli {
namespace {

/// A key of its own randomness, so that a seed gives the same waits as ever.
std::string new_key() {
  std::uint64_t entropy[4]{};
  if (::getentropy(entropy, sizeof entropy) != 0) entropy[0] = static_cast<std::uint64_t>(::getpid());
  random_stream random(entropy);
  return std::string(idempotency_key::make(std::chrono::system_clock::now(), random_ref(random)).text());
}

/// The same whenever an enclosing run repeats its attempt.
std::string key_of(const fetch_order& order, const std::optional<enclosing_run>& enclosing) {
  if (order.request.key && !order.request.key->empty()) return *order.request.key;
  if (enclosing && !enclosing->idempotency_key.empty())
    return derived_key(enclosing->idempotency_key, order.words);
  return new_key();
}

int on_progress(void* progress, curl_off_t down_total, curl_off_t down, curl_off_t up_total, curl_off_t up) {
  static_cast<transfer_progress*>(progress)->advance(down_total, down, up_total, up);
  return 0;
}

}  // namespace

fetch_call::fetch_call(const fetch_order& order, std::optional<enclosing_run> enclosing)
    : order_(order),
      enclosing_(std::move(enclosing)),
      shows_progress_(order.progress && stderr_is_terminal()),
      facts_{.rules = order.rules.policy,
             .method = order.request.method,
             .address = order.request.address.shown(),
             .max_attempts = makes_one_attempt() ? 1 : order.rules.policy->max_attempts,
             .has_key = order.request.key || order.request.headers.contains(http::idempotency_key_field)},
      clock_(shows_progress_ ? [this] { return attempt_name(facts_, attempt_ + 1); }
                             : std::function<std::string()>()),
      story_(facts_, order.silent, shows_progress_ ? &progress_ : nullptr),
      connection_(order.connection),
      random_(order.seed.value_or(0)),
      key_(key_of(order, enclosing_)) {
  facts_.outer_deadline = enclosing_ && enclosing_->time_left &&
                          *enclosing_->time_left < order.rules.policy->deadline.value_or(max_duration);
}

bool fetch_call::makes_one_attempt() const {
  return enclosing_ && order_.rules.policy->nested == nesting::single_attempt;
}

void fetch_call::open_log() {
  if (!order_.log) return;
  log_file_.emplace(*order_.log);
  log_.emplace(*log_file_, order_.log_format, facts_, key_);
  story_.log_to(&*log_);
}

void fetch_call::open_budget() {
  if (!order_.budget) return;
  budget_.emplace(budget_file::open(*order_.budget, order_.rules.budget.token()));
  if (order_.silent || order_.rules.budget == budget_options{}) return;
  if (const std::string note = budget_->note_on(order_.rules.budget.token()); !note.empty()) say(note);
}

void fetch_call::open_place() {
  place_.emplace(order_.output, order_.request.address, [this] { return http_version(handle_); });
}

void fetch_call::open_content() {
  content_.emplace(order_.request.content, order_.request.stdin_limit, [this] { check_input(); });
}

void fetch_call::check_input() const {
  if (signals_.received() != 0 || now() >= input_until_) throw input_is_late();
}

int fetch_call::go() {
  begin_ = now();
  dependency server({.name = facts_.address,
                     .policy = order_.rules.policy,
                     .budget = budget::none(),
                     .observers = {&story_},
                     .shared_budget = budget_ ? &budget_->budget() : nullptr,
                     .clock = &clock_});
  curl::client client({.shared_dependency = &server,
                       .user_agent = order_.request.user_agent.value_or("relent/" RELENT_VERSION),
                       .ca_file = order_.connection.ca_file,
                       .verify_tls = order_.connection.verify_tls});
  const curl::response answer = send(client);
  progress_.clear();
  if (!answer.ok()) tell_end(answer);
  return exit_code_of(answer);
}

void fetch_call::tell_end(const curl::response& answer) {
  facts_.signal = signals_.received();
  facts_.used_up = content_->why_not();
  facts_.out_of_time = time_left() == duration::zero();
  story_.tell_end(order_.show_error);
  if (const std::string kept = place_->kept(); !kept.empty() && !order_.silent) say(kept);
  if (!order_.output.failures_too || answer.status < 400) return;
  place_->write_failure(answer);
  if (answer.body_is_cut) tell("--fail-with-body: only the first 64KiB are written");
}

void fetch_call::end(int exit_code) {
  facts_.signal = signals_.received();
  story_.end(exit_code);
}

void fetch_call::tell(const std::string& line) {
  progress_.clear();
  if (!order_.silent || order_.show_error) say(line);
}

curl::request fetch_call::request() {
  const fetch_request& wanted = order_.request;
  curl::request what;
  what.method = wanted.method;
  what.url = wanted.address.text();
  what.headers = wanted.headers;
  what.body = content_->get();
  what.sink = place_->sink();
  if (wanted.key) what.idempotency_key = wanted.key_style;
  if (wanted.repeatable) what.repeatable = true;
  what.max_redirects = order_.connection.max_redirects;
  what.connect_timeout = order_.connection.connect_timeout;
  what.prepare = [this](http::header_list& headers, const attempt& in_hand) {
    begin_attempt(headers, in_hand);
  };
  what.configure = [this](void* handle) { configure(handle); };
  what.without = wanted.without;
  what.on_attempt = [this](const curl::transfer_record& made) { story_.transferred(made); };
  return what;
}

void fetch_call::begin_attempt(http::header_list& headers, const attempt& in_hand) {
  attempt_ = in_hand.number();
  input_until_ = in_hand.deadline();
  progress_.begin(place_->begin(headers));
}

void fetch_call::configure(void* handle) {
  handle_ = handle;
  connection_.set_on(handle);
  if (!shows_progress_) return;
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, static_cast<void*>(&progress_));
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &on_progress);
}

/// Of the deadlines, the enclosing run's too; nothing: no limit.
std::optional<duration> fetch_call::time_left() const {
  const duration own = order_.rules.policy->deadline.value_or(max_duration);
  const duration outer = enclosing_ ? enclosing_->time_left.value_or(max_duration) : max_duration;
  const duration all = std::min(own, outer);
  if (all == max_duration) return std::nullopt;
  return std::max(duration::zero(), all - time_between(begin_, now()));
}

call_options fetch_call::options() {
  call_options said{.stop = signals_.token(), .enclosed = enclosing_.has_value()};
  if (const auto left = time_left()) said.deadline = *left;
  if (order_.request.key) said.idempotency_key = std::string_view(key_);
  if (order_.seed) said.random = random_ref(random_);
  return said;
}

void fetch_call::tell_resume(std::string_view why) {
  progress_.clear();
  if (!order_.silent) say(fmt::format("--resume: {}: asking again", why));
}

/// Again as long as a file comes in parts, and anew if the server has another one by now.
curl::response fetch_call::send(curl::client& client) {
  constexpr int most_in_vain = 2;
  const curl::request what = request();
  for (int in_vain = 0;;) {
    const std::uint64_t before = place_->size();
    try {
      curl::response answer = client.send(what, options());
      if (!place_->has_no_more(answer)) return answer;
      if (place_->was_whole(answer)) {
        answer.fault.reset();
        answer.report.stop = nullopt;
        return answer;
      }
      tell_resume("the server has no such part of the file");
    } catch (const ask_again& error) {
      if (place_->size() <= before && ++in_vain > most_in_vain) throw;
      tell_resume(error.what());
    }
  }
}

}  // namespace relent::cli
