// SPDX-License-Identifier: Apache-2.0
// The conformance scenarios, played by the libcurl client over real sockets against the fault server: what an attempt
// of the script ends with, the server or the network does, and the decisions must be those of every other driver.
// What cannot be said over HTTP is in one table, with the reason; the scenarios are those of tests/conformance.
#include "conformance/scenarios.hpp"
#include "conformance/stage.hpp"

#include <relent/curl/client.hpp>
#include <relent/retry.hpp>
#include <relent/testing/fault_server.hpp>

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace relent::conformance {
namespace {

struct beyond_http {
  std::string_view name;
  std::string_view reason;
};

/// Scenarios that are not played here. One that can be played, or does not exist, must not stand here.
constexpr beyond_http not_played[] = {
    {"stops_at_our_own_cancellation_even_if_it_is_called_transient",
     "a transfer that we cancel has no answer, in which a server could call it transient"},
    {"stops_at_a_fault_that_calls_itself_permanent",
     "a lost connection has no answer, in which a server could call it permanent"},
    {"retries_a_fault_that_calls_itself_transient",
     "an answer that cannot be understood has no header that can, and every status is of a known kind"},
    {"a_fault_can_prove_that_it_had_no_effect",
     "a connection that is lost before anything was written is unreachable; a reset comes after that"},
    {"a_breaker_does_not_count_a_shortage_of_our_own", "no server can make us run short of something"},
    {"a_shortage_of_our_own_does_not_close_a_half_open_breaker",
     "no server can make us run short of something"},
};

bool is_played(const scenario& script) {
  return std::none_of(std::begin(not_played), std::end(not_played),
                      [&](const beyond_http& one) { return one.name == script.name; });
}

/// A port of 127.0.0.1 that refuses connections for as long as this lives: taken, but not listened on.
class deaf_port {
 public:
  deaf_port() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    if (::bind(socket_, address, size) != 0 || ::getsockname(socket_, address, &size) != 0)
      throw std::system_error(errno, std::generic_category(), "no port to refuse connections on");
    number_ = ntohs(at.sin_port);
  }
  ~deaf_port() { ::close(socket_); }
  deaf_port(const deaf_port&) = delete;
  deaf_port& operator=(const deaf_port&) = delete;

  long number() const noexcept { return number_; }

 private:
  int socket_;
  long number_ = 0;
};

// ---- from the script to the server -----------------------------------------------------------------------

/// The status that stands for a kind; 0: it has none.
constexpr int status_of(fault_kind of) noexcept {
  switch (of) {
    case kind::not_processed: return 425;
    case kind::timeout: return 504;
    case kind::rate_limited: return 429;
    case kind::overloaded: return 503;
    case kind::bad_gateway: return 502;
    case kind::server_error: return 500;
    case kind::conflict: return 409;
    case kind::unauthenticated: return 401;
    case kind::rejected: return 404;
    case kind::unreachable:
    case kind::reset:
    case kind::aborted:
    case kind::cancelled:
    case kind::unknown: return 0;
  }
  return 0;
}

/// Milliseconds with their fraction: "100.000001".
std::string in_milliseconds(duration length) {
  const std::string fraction = std::to_string(1'000'000 + length % 1ms / 1ns);
  return std::to_string(length / 1ms) + "." + fraction.substr(1);
}

std::string answer_of(int status, const fault& error) {
  std::string headers;
  if (error.server_delay)
    headers += ", header=\"retry-after-ms: " + in_milliseconds(*error.server_delay) + '"';
  if (error.vetoed) headers += ", header=\"x-should-retry: false\"";
  if (error.transient) headers += ", header=\"x-should-retry: true\"";
  return std::to_string(status) + "(execute=no" + headers + ")";
}

/// The server's step that makes an attempt end with this error. Empty: the server is not asked. Nothing: that
/// cannot be brought about.
std::optional<std::string> step_of(const fault& error, long refusing_port) {
  const bool by_default = effect_of(error) == default_effect(error.kind);
  if (error.local || error.transient == false || (error.vetoed && error.transient)) return std::nullopt;
  if (const int status = status_of(error.kind); status != 0)
    return by_default ? std::optional(answer_of(status, error)) : std::nullopt;
  if (error.server_delay || error.vetoed || error.transient) return std::nullopt;
  switch (error.kind) {
    case kind::unreachable:  // whatever fails after a redirect: the first server had been asked
      return by_default
                 ? std::string()
                 : "307(execute=no, header=\"Location: http://127.0.0.1:" + std::to_string(refusing_port) +
                       "/\")";
    case kind::cancelled: return std::string();
    case kind::reset: return by_default ? std::optional<std::string>("reset(execute=no)") : std::nullopt;
    case kind::unknown: return by_default ? std::optional<std::string>("malformed=length") : std::nullopt;
    default: return std::nullopt;
  }
}

/// What is needed to play a scenario's attempts; nothing if one of them cannot be brought about.
struct server_part {
  std::vector<std::string> steps;  // of each attempt, in order
  std::string script;

  static std::optional<server_part> of(const scenario& script, long refusing_port) {
    server_part part;
    for (const scripted_attempt& one : script.attempts) {
      const std::string number = std::to_string(part.steps.size() + 1);
      const auto step =
          one.error ? step_of(*one.error, refusing_port) : std::optional("200(body=\"" + number + "\")");
      if (!step) return std::nullopt;
      if (!step->empty()) part.script += (part.script.empty() ? "" : ", ") + *step;
      part.steps.push_back(*step);
    }
    if (part.script.empty()) part.script = "418";  // nobody is to ask
    return part;
  }

  const std::string& step(std::size_t attempt) const { return steps[std::min(attempt, steps.size() - 1)]; }
};

/// Says in the words of the script what came of an attempt: the effect only if it is not what follows from the
/// kind, and from whether the server was asked at all.
std::optional<fault> in_words_of_the_script(const std::optional<fault>& got, const std::string& step) {
  if (!got) return got;
  fault said = *got;
  if (effect_of(said) == (step.empty() ? effect::none : default_effect(said.kind))) said.effect = nullopt;
  return said;
}

// ---- the driver -------------------------------------------------------------------------------------------

/// Waits on the stage; a wait that no retry event announced is the sender limit's. Real time is not the script's:
/// while a transfer is under way it is an hour earlier, so that libcurl, which counts real time, never ends one.
class stage_clock final : public relent::clock, public observer {
 public:
  explicit stage_clock(stage& on) : on_(on) {}

  void transfers(bool whether) { earlier_by_ = whether ? 1h : 0h; }

  time_point now() noexcept override { return on_.now() - earlier_by_; }
  std::chrono::system_clock::time_point wall_now() noexcept override { return on_.wall_now(); }

  void wait_until(time_point until, const stop_handle&) noexcept override {
    if (until != waiting_until_) source_ = announced_.value_or(wait_source::sender_limit);
    waiting_until_ = until;
    announced_.reset();
    on_.play_wait(until, source_);
  }

  void on_event(const event& what) override {
    if (what.kind == event_kind::retry) announced_ = what.source;
    if (what.kind == event_kind::outcome) on_.note(what.stop ? stop(*what.stop) : success());
  }

 private:
  stage& on_;
  duration earlier_by_ = duration::zero();
  std::optional<wait_source> announced_;
  time_point waiting_until_ = time_point::min();
  wait_source source_ = wait_source::backoff;
};

dependency_options options_of(const scenario& script, stage& on, stage_clock& clock) {
  dependency_options options{.policy = script.policy,
                             .budget = script.budget,
                             .breaker = script.breaker,
                             .sender_limit = script.sender_limit,
                             .observers = {&clock},
                             .clock = &clock,
                             .random = on.random()};
  if (script.can_refresh) options.refresh = [&on] { return on.play_refresh(); };
  return options;
}

template <class Scripted>
bool cancels(const Scripted& one) {
  if constexpr (requires { one.besides; })
    return one.besides.cancelled;
  else
    return one.cancelled;
}

/// One scenario with its server.
class performance {
 public:
  performance(const scenario& script, const server_part& part, const deaf_port& refusing)
      : script_(script),
        part_(part),
        refusing_(refusing),
        server_({.scripts = {part.script}}),
        on_(script),
        clock_(on_),
        asks_({.dependency = options_of(script, on_, clock_)}),
        shared_(asks_.dependency_of(server_.url())) {
    on_.set(shared_->shared());
  }

  /// The call, within the attempt of another if the scenario says so.
  result play() {
    const curl::request what = request();
    if (script_.inside_attempt) {
      const policy around{{.max_attempts = 1, .deadline = script_.outer_time_left}};
      const call_options outer{.clock = &clock_, .random = on_.random()};
      retry(
          around, [&] { got_ = asks_.send(what, said()); }, outer);
    } else {
      got_ = asks_.send(what, said());
    }
    if (got_.ok()) return {.value = std::stoul(got_.body)};
    if (got_.report.attempts == 0) return {.refusal = got_.stop()};
    return {.error = in_words_of_the_script(got_.fault, part_.step(on_.attempts_played() - 1))};
  }

  stage& on() { return on_; }
  const curl::response& got() const { return got_; }
  const dependency& shared() const { return *shared_; }
  std::uint64_t requests() const { return server_.totals().attempts; }

 private:
  /// It says no more than the scenario needs, so that the client's short ways are taken too.
  curl::request request() {
    curl::request what{.method = script_.repeatable ? "GET" : "POST", .url = server_.url("/scripted")};
    if (script_.has_key) what.idempotency_key = http::key_style::quoted;
    for (const scripted_attempt& one : script_.attempts) {
      if (!one.error) continue;
      if (!one.error->replayable) use_up_the_body(what);
      if (one.error->kind != kind::unreachable) continue;
      if (effect_of(*one.error) == effect::possible) what.max_redirects = 1;
      what.configure = [this](void* handle) { lead_astray(handle); };
    }
    what.prepare = [this](http::header_list&, const relent::attempt& now) { begin(now); };
    what.on_attempt = [this](const curl::transfer_record& made) { end(made); };
    return what;
  }

  static void use_up_the_body(curl::request& what) {
    if (what.method == "GET") what.method = "PUT";
    what.without = {"Expect"};  // else a server that refuses the request leaves the body unread
    what.body = curl::stream_body(
        [left = std::string_view("once")](char* to, std::size_t most) mutable {
          const std::size_t size = left.copy(to, most);
          left.remove_prefix(size);
          return size;
        },
        {}, 4);
  }

  call_options said() const {
    call_options options{.deadline = script_.call_deadline};
    if (script_.has_key) options.idempotency_key = "the-key-of-this-call";
    if (needs_token()) options.stop = on_.token();
    return options;
  }

  bool needs_token() const {
    const auto any = [](const auto& all) {
      return std::any_of(all.begin(), all.end(), [](const auto& one) { return cancels(one); });
    };
    return script_.cancelled_before || any(script_.attempts) || any(script_.waits) ||
           any(script_.refreshes) || fails_with(0, kind::cancelled);
  }

  bool fails_with(std::size_t attempt, fault_kind wanted) const {
    const std::optional<fault>& error = script_.attempts.or_last(attempt).error;
    return error && error->kind == wanted;
  }

  void begin(const relent::attempt& now) {
    deadline_ = now.deadline();
    if (fails_with(on_.attempts_played(), kind::cancelled)) on_.cancel();
    clock_.transfers(true);
  }

  /// The attempt of an unreachable server goes where nobody listens.
  void lead_astray(void* handle) const {
    const std::size_t attempt = on_.attempts_played();
    if (!fails_with(attempt, kind::unreachable) || !part_.step(attempt).empty()) return;
    EXPECT_EQ(curl_easy_setopt(handle, CURLOPT_PORT, refusing_.number()), CURLE_OK);
  }

  /// Every attempt must have ended as the script says, not only the last.
  void end(const curl::transfer_record& made) {
    clock_.transfers(false);
    const std::string& step = part_.step(on_.attempts_played());
    const std::optional<fault>& written = on_.play_attempt(made.number, deadline_);
    EXPECT_EQ(result{.error = in_words_of_the_script(made.fault, step)}, result{.error = written})
        << "attempt " << on_.attempts_played() << ": " << made.error.text;
  }

  const scenario& script_;
  const server_part& part_;
  const deaf_port& refusing_;
  testing::fault_server server_;
  stage on_;
  stage_clock clock_;
  curl::client asks_;
  std::shared_ptr<dependency> shared_;
  curl::response got_;
  time_point deadline_ = no_deadline;
};

/// The transfers and the report are those of the decisions, and the server was asked as often, not once more.
void expect_the_same_story(const scenario& script, const server_part& part, const performance& played) {
  std::vector<std::uint32_t> attempts;
  std::uint64_t requests = 0;
  for (const decided& one : script.decisions) {
    if (one.what != act::attempt) continue;
    if (!part.step(attempts.size()).empty()) ++requests;
    attempts.push_back(one.number);
  }
  std::vector<std::uint32_t> transfers;
  for (const curl::transfer_record& one : played.got().transfers) transfers.push_back(one.number);

  EXPECT_EQ(transfers, attempts);
  EXPECT_EQ(played.got().report.attempts, attempts.empty() ? 0 : attempts.back());
  EXPECT_EQ(played.requests(), requests);
  EXPECT_EQ(played.shared().counters().attempts(), attempts.size());
}

class conformance_curl : public ::testing::TestWithParam<scenario> {};

TEST_P(conformance_curl, decides_as_written) {
  const scenario& script = GetParam();
  const deaf_port refusing;
  const auto part = server_part::of(script, refusing.number());
  ASSERT_TRUE(part) << "no server can bring this about: say why in the table of what is not played";
  performance played(script, *part, refusing);
  const result got = played.play();
  expect_as_written(script, played.on(), got);
  expect_the_same_story(script, *part, played);
}

std::vector<scenario> played_scenarios() {
  std::vector<scenario> played;
  for (const scenario& one : all_scenarios())
    if (is_played(one)) played.push_back(one);
  return played;
}

INSTANTIATE_TEST_SUITE_P(scenarios, conformance_curl, ::testing::ValuesIn(played_scenarios()), name_of);

TEST(conformance_curl_table, names_only_scenarios_that_exist_and_cannot_be_played) {
  const std::vector<scenario> all = all_scenarios();
  for (const beyond_http& one : not_played) {
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const scenario& each) { return each.name == one.name; });
    ASSERT_NE(at, all.end()) << one.name << " is no scenario";
    EXPECT_FALSE(server_part::of(*at, 1)) << one.name << " can be played: " << one.reason;
  }
  EXPECT_EQ(played_scenarios().size() + std::size(not_played), all.size());
}

}  // namespace
}  // namespace relent::conformance
