// SPDX-License-Identifier: Apache-2.0
// The description itself. What the options mean in full is said where they are declared.
#include "fields.hpp"

#include "field_access.hpp"

#include <array>

namespace relent::detail {
namespace {

using draft = policy_draft;

constexpr field_range at_least(double least) { return {.least = least}; }
constexpr field_range from_to(double least, double most) { return {.least = least, .most = most}; }
constexpr field_range above(double least) { return {.least = least, .least_excluded = true}; }
constexpr field_range above_to(double least, double most) {
  return {.least = least, .most = most, .least_excluded = true};
}
constexpr field_range between(double least, double most) {
  return {.least = least, .most = most, .least_excluded = true, .most_excluded = true};
}
constexpr double in_ms = 1e6;
constexpr double in_s = 1e9;

constexpr field with_absent(field made, std::string_view word) {
  made.absent_word = word;
  return made;
}
constexpr field with_words(field made, std::span<const std::string_view> words) {
  made.words = words;
  return made;
}

template <class Enum, int count>
constexpr std::array<std::string_view, count> names_of() {
  std::array<std::string_view, count> names;
  for (int i = 0; i < count; ++i) names[static_cast<std::size_t>(i)] = to_string(static_cast<Enum>(i));
  return names;
}
constexpr auto jitter_words = names_of<jitter, jitter_count>();
constexpr auto growth_words = names_of<growth, growth_count>();
constexpr std::string_view nesting_words[] = {"single_attempt", "retry"};

// --- the policy's own keys

constexpr auto rules = &draft::rules;
using po = policy_options;

constexpr field policy_fields[] = {
    {.name = "inherit",
     .help =
         "the policy that this one begins from: another of the file, or a ready one as in \"profile:ssh\"; "
         "\"none\" for the defaults alone",
     .type = field_type::name,
     .get = [](const draft&) -> field_value { return absent{}; },
     .set = [](draft&, const field_value&) {},
     .absent_word = "none"},
    member<rules, &po::max_attempts>("max_attempts", "tries in all, the first included; 1 never retries",
                                     at_least(1)),
    member<rules, &po::deadline>(
        "deadline", "by when the whole call must have ended, counted from its beginning", above(0)),
    member<rules, &po::attempt_timeout>(
        "attempt_timeout", "what one attempt gets at most; otherwise what is left of the deadline", above(0)),
    member<rules, &po::least_attempt_time>(
        "least_attempt_time",
        "the shortest time in which an attempt can be of use; none is started with less left", at_least(0)),
    member<rules, &po::retry_on>("retry_on", "the kinds of faults that are worth another try"),
    member<rules, &po::no_effect_on>(
        "no_effect_on",
        "kinds that this server answers only without having done anything, so that "
        "any operation may be tried again"),
    with_absent(
        member<rules, &po::server_error_retries>(
            "server_error_retries",
            "at most so many retries after a server_error; \"unlimited\": only max_attempts limits them",
            from_to(0, 7)),
        "unlimited"),
    member<rules, &po::max_server_delay>(
        "max_server_delay", "the longest server delay that is waited for; above it the call stops",
        at_least(0)),
    member<rules, &po::server_delay_spread>(
        "server_delay_spread", "a server delay is lengthened by a random part of itself up to this ratio",
        from_to(0, 1)),
    with_words(member<rules, &po::nested>("nested", "what a call does inside an attempt of another call"),
               nesting_words),
};

// --- backoff

constexpr auto backoff = &po::backoff;
using bo = backoff_options;

constexpr field backoff_fields[] = {
    member<rules, backoff, &bo::base>("base", "the first wait is at most this", at_least(0)),
    member<rules, backoff, &bo::cap>("cap", "no wait is longer", at_least(0)),
    member<rules, backoff, &bo::multiplier>(
        "multiplier", "what each wait's limit grows by, if growth is exponential", at_least(1)),
    with_words(member<rules, backoff, &bo::jitter>("jitter", "how a wait is drawn below its limit"),
               jitter_words),
    with_words(member<rules, backoff, &bo::growth>("growth", "how the limit grows from retry to retry"),
               growth_words),
    member<rules, backoff, &bo::increment>(
        "increment", "what is added for each retry if growth is linear, base if absent; may be negative"),
    member<rules, backoff, &bo::jitter_ratio>(
        "jitter_ratio", "how far from its limit a wait lies if jitter is ratio", from_to(0, 1)),
    member<rules, backoff, &bo::delays>(
        "delays", "the limits written out if growth is list, at most 16; the last one repeats"),
    member<rules, backoff, &bo::rate_limited_base>(
        "rate_limited_base", "takes the place of base after rate_limited or overloaded", at_least(0)),
};

// --- budget

constexpr std::string_view kind_words[] = {"none", "token", "ratio", "throttle", "aws_standard", "aws_2026"};

/// The rule of another kind, or a preset, begins anew; the same kind goes on from what is inherited.
void set_kind(draft& changed, const field_value& value) {
  const std::size_t index = std::get<choice>(value).index;
  const bool standard = kind_words[index] == "aws_standard";
  const bool preset = standard || kind_words[index] == "aws_2026";
  const budget_kind kind = preset ? budget_kind::token : static_cast<budget_kind>(index);
  if (kind != changed.kind || preset) {
    changed.token = !preset    ? token_budget{}
                    : standard ? token_budget::aws_standard()
                               : token_budget::aws_2026();
    changed.ratio = {};
    changed.throttle = {};
  }
  changed.kind = kind;
}

constexpr field kind_fields[] = {
    {.name = "kind",
     .help = "the rule that it follows; aws_standard and aws_2026 are the token budgets of the AWS SDKs",
     .type = field_type::choice,
     .get = [](const draft& from) -> field_value { return choice{static_cast<std::size_t>(from.kind)}; },
     .set = set_kind,
     .words = kind_words},
};

constexpr auto token = &draft::token;
constexpr field_range amount = from_to(0.001, 1e6);

constexpr field token_fields[] = {
    member<token, &token_budget::capacity>("capacity", "tokens when full", amount),
    member<token, &token_budget::success_credit>(
        "success_credit", "given back by a successful call; if not 0, at least 0.001", from_to(0, 1e6)),
    member<token, &token_budget::retry_cost>("retry_cost", "taken by a retry", amount),
    member<token, &token_budget::timeout_cost>("timeout_cost",
                                               "taken by a retry after a timeout, else retry_cost", amount),
    member<token, &token_budget::rate_limited_cost>(
        "rate_limited_cost", "taken by a retry after rate_limited or overloaded, else retry_cost", amount),
    member<token, &token_budget::refund_last_cost>(
        "refund_last_cost",
        "a call that succeeds after retries gives the cost of its last retry back instead"),
};

constexpr auto ratio = &draft::ratio;
constexpr field ratio_fields[] = {
    member<ratio, &ratio_budget::ratio>("ratio", "retries for each request; if not 0, at least 0.000001",
                                        from_to(0, 1000)),
    member<ratio, &ratio_budget::window>("window", "how far back requests and retries count",
                                         from_to(in_s, 60 * in_s)),
    member<ratio, &ratio_budget::min_retries>("min_retries", "granted in a window however few the requests",
                                              at_least(0)),
    member<ratio, &ratio_budget::reserve>("reserve", "granted in a window on top of the ratio", at_least(0)),
};

constexpr auto throttle = &draft::throttle;
constexpr field throttle_fields[] = {
    member<throttle, &throttle_budget::capacity>(
        "capacity", "tokens when full; a failure takes one, and retries are granted above half",
        from_to(0.001, 1000)),
    member<throttle, &throttle_budget::success_credit>("success_credit", "given back by a success",
                                                       from_to(0.001, 1000)),
};

// --- breaker

constexpr auto breaker = &draft::breaker;
using br = breaker_options;

constexpr field breaker_fields[] = {
    member<breaker, &br::failures>("failures", "so many failures of the last of_last calls open it",
                                   from_to(1, 64)),
    member<breaker, &br::of_last>("of_last", "absent: failures in a row", from_to(1, 64)),
    member<breaker, &br::failure_ratio>(
        "failure_ratio", "failures per call within window that open it as well", above_to(0, 1)),
    member<breaker, &br::window>("window", "how far back failure_ratio looks", at_least(10 * in_ms)),
    member<breaker, &br::min_calls>("min_calls", "fewer calls within window say nothing",
                                    from_to(1, 100'000)),
    member<breaker, &br::open_for>("open_for", "how long it stays open at first", above(0)),
    member<breaker, &br::open_for_jitter>(
        "open_for_jitter", "the open time is lengthened by a random part of itself up to this ratio",
        from_to(0, 1)),
    member<breaker, &br::open_for_multiplier>(
        "open_for_multiplier", "each re-opening is so much longer, until it has closed", at_least(1)),
    member<breaker, &br::max_open_for>("max_open_for", "the longest open time, before the jitter", above(0)),
    member<breaker, &br::probes>(
        "probes", "calls let through at once to find out whether it is back, at first", from_to(1, 32)),
    member<breaker, &br::successes_to_close>("successes_to_close", "so many successful probes close it",
                                             at_least(1)),
    member<breaker, &br::probe_timeout>(
        "probe_timeout", "a probe that never reports gives its place back after this", above(0)),
};

// --- sender limit

constexpr auto limit = &draft::sender_limit;
using sl = sender_limit_options;

constexpr field sender_limit_fields[] = {
    member<limit, &sl::beta>("beta", "what is left of the rate after throttling", between(0, 1)),
    member<limit, &sl::scale>("scale", "how steeply the rate grows again", above_to(0, 1e9)),
    member<limit, &sl::smoothing>("smoothing", "weight of the newest measurement", above_to(0, 1)),
    member<limit, &sl::time_bucket>("time_bucket", "what the rate is measured over",
                                    from_to(in_ms, 60 * in_s)),
    member<limit, &sl::min_rate>("min_rate", "attempts a second that are always let through",
                                 above_to(0, 1e9)),
    member<limit, &sl::min_capacity>("min_capacity", "attempts that may go at once after a pause",
                                     from_to(1, 1e9)),
};

// --- command

constexpr auto command = &draft::command;
using cr = command_rules;

constexpr field command_fields[] = {
    with_absent(
        member<command, &cr::retry_on>("retry_on",
                                       "the failures that are worth another try; \"all\": every one but "
                                       "those of stop_on"),
        "all"),
    member<command, &cr::stop_on>("stop_on", "failures that end it at once; goes before retry_on"),
    with_absent(member<command, &cr::retry_on_output>("retry_on_output",
                                                      "a failed attempt is tried again only if a line of its "
                                                      "output matches; one that timed out, in any case"),
                "false"),
    with_absent(
        member<command, &cr::output_decides_for>(
            "output_decides_for",
            "the failures of which retry_on_output decides; others are tried again whatever they wrote"),
        "all"),
    with_absent(member<command, &cr::until_output>(
                    "until_output", "an attempt is a success only if a line of its output matches"),
                "false"),
    member<command, &cr::invert>("invert", "exit code 0 is the failure, and any other the success"),
    member<command, &cr::successes>("successes", "so many successes in a row are needed", at_least(1)),
    member<command, &cr::kill_after>("kill_after", "what lies between SIGTERM and SIGKILL when time is up",
                                     at_least(0)),
};

constexpr section all_sections[] = {
    {.name = "", .help = "the rules of one policy", .fields = policy_fields},
    {.name = "backoff", .help = "the waits between attempts", .fields = backoff_fields},
    {.name = "budget", .help = "what bounds retries against requests", .fields = kind_fields},
    {.name = "budget", .help = "a bucket of tokens", .fields = token_fields, .only_for = budget_kind::token},
    {.name = "budget",
     .help = "a share of the requests within a sliding window",
     .fields = ratio_fields,
     .only_for = budget_kind::ratio},
    {.name = "budget",
     .help = "the retry throttle of gRPC",
     .fields = throttle_fields,
     .only_for = budget_kind::throttle},
    {.name = "breaker",
     .help = "what stops calling a dependency that is clearly down",
     .fields = breaker_fields,
     .removable = true},
    {.name = "sender_limit",
     .help = "what slows all sending down after throttling",
     .fields = sender_limit_fields,
     .removable = true},
    {.name = "command", .help = "what relent run goes by", .fields = command_fields},
};

}  // namespace

std::span<const section> sections() { return all_sections; }

}  // namespace relent::detail
