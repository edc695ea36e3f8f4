// SPDX-License-Identifier: Apache-2.0
// The sentences.
#include "fetch_told.hpp"

#include "cli/rounded.hpp"

#include "src/text/signal_names.hpp"

#include <relent/duration_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace relent::cli {
namespace {

struct phrase {
  int status;
  std::string_view text;
};

/// RFC 9110 section 15 and the registry that it founds.
constexpr phrase phrases[] = {
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {425, "Too Early"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
    {511, "Network Authentication Required"},
};

std::string deadline_text(const fetch_told& facts) {
  if (facts.outer_deadline) return "the deadline of the enclosing relent run";
  return "the deadline of " + to_text(facts.rules->deadline.value_or(max_duration));
}

/// What a person can do about an attempt that may have been executed.
std::string unsafe_text(const fetch_told& facts) {
  const std::string text = fmt::format("the {} may have been done, and must not be done twice", facts.method);
  return facts.has_key ? text : text + "; --idempotency-key lets the server tell";
}

std::string delay_text(const fetch_told& facts, const curl::transfer_record* made) {
  if (made == nullptr || !made->server_delay) return std::string(explain(stop_reason::server_delay));
  const std::string origin = made->delay_header.empty() ? "" : fmt::format(" ({})", made->delay_header);
  return fmt::format("the server asks for {}{}, and at most {} is waited", rounded(*made->server_delay),
                     origin, rounded(facts.rules->max_server_delay));
}

}  // namespace

std::string_view status_phrase(int status) {
  const auto* const found =
      std::ranges::find_if(phrases, [&](const phrase& each) { return each.status == status; });
  return found == std::end(phrases) ? std::string_view{} : found->text;
}

std::string attempt_name(const fetch_told& facts, std::uint32_t attempt) {
  return fmt::format("attempt {} of {}", attempt, facts.max_attempts);
}

std::string what_happened(const curl::transfer_record& made) {
  if (made.status >= 400) {
    const std::string_view words = status_phrase(made.status);
    return words.empty() ? fmt::format("HTTP {}", made.status)
                         : fmt::format("HTTP {} {}", made.status, words);
  }
  if (!made.error.text.empty()) return made.error.text;
  return made.status == 0 ? "no answer" : fmt::format("HTTP {}", made.status);
}

std::string wait_origin(const event& retry, const curl::transfer_record* made) {
  if (retry.source == wait_source::server_delay && made != nullptr && !made->delay_header.empty())
    return std::string(made->delay_header);
  return std::string(to_string(retry.source));
}

std::string why_stopped(const fetch_told& facts, stop_reason reason, const curl::transfer_record* made) {
  switch (reason) {
    case stop_reason::cancelled:
      return facts.signal == 0 ? std::string(explain(reason))
                               : text::signal_name(facts.signal) + " was received";
    case stop_reason::vetoed:
      return made == nullptr || made->decided_by.empty()
                 ? std::string(explain(reason))
                 : fmt::format("the server said not to retry ({})", made->decided_by);
    case stop_reason::not_replayable:
      return facts.used_up.empty() ? std::string(explain(reason)) : facts.used_up;
    case stop_reason::unsafe: return unsafe_text(facts);
    case stop_reason::nested: return "an enclosing relent run does the retrying";
    case stop_reason::attempts:
      // A kind of fault may have a limit of its own (server_error_retries).
      if (made != nullptr && made->number < facts.max_attempts)
        return "a server's own error is tried again no more often than that";
      return facts.max_attempts == 1 ? "the only attempt is used"
                                     : fmt::format("all {} attempts are used", facts.max_attempts);
    case stop_reason::server_delay: return delay_text(facts, made);
    case stop_reason::deadline:
      if (facts.out_of_time && made != nullptr) return "no time is left";
      return made == nullptr ? "no time is left before " + deadline_text(facts)
                             : "the next attempt would not fit before " + deadline_text(facts);
    case stop_reason::permanent:
    case stop_reason::breaker:
    case stop_reason::budget: return std::string(explain(reason));
  }
  return "unknown";
}

}  // namespace relent::cli
