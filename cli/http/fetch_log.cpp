// SPDX-License-Identifier: Apache-2.0
// The fields.
#include "fetch_log.hpp"

#include "cli/message.hpp"
#include "cli/rounded.hpp"

#include "src/text/signal_names.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace relent::cli {
namespace {

std::string seconds(duration length) {
  return fmt::format("{:.6f}", std::chrono::duration<double>(length).count());
}

/// RFC 3339, in UTC.
std::string present_time() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::time_t whole = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", parts, now.time_since_epoch().count() % 1000);
}

std::string_view phase_name(phase reached) {
  switch (reached) {
    case phase::resolve: return "resolve";
    case phase::connect: return "connect";
    case phase::handshake: return "handshake";
    case phase::connected: return "connected";
    case phase::request_partial: return "request_partial";
    case phase::request_written: return "request_written";
    case phase::response_head: return "response_head";
    case phase::response_body: return "response_body";
  }
  return "unknown";
}

void add_transfer(std::vector<log_field>& fields, const curl::transfer_record& made) {
  fields.push_back({"phase", std::string(phase_name(made.reached))});
  if (made.status != 0) fields.push_back({"status", std::to_string(made.status), true});
  if (made.error) fields.push_back({"curl_code", std::to_string(made.error.code), true});
  if (made.server_delay) {
    fields.push_back({"server_delay_seconds", seconds(*made.server_delay), true});
    fields.push_back({"server_delay_header", std::string(made.delay_header)});
  }
  if (!made.decided_by.empty()) fields.push_back({"decided_by", std::string(made.decided_by)});
  fields.push_back({"new_connection", made.new_connection ? "true" : "false", true});
  fields.push_back({"bytes_sent", std::to_string(made.body_bytes_sent), true});
  fields.push_back({"bytes_received", std::to_string(made.body_bytes_received), true});
  fields.push_back({"connected_seconds", seconds(made.connected_after), true});
  fields.push_back({"first_byte_seconds", seconds(made.first_byte_after), true});
  fields.push_back({"took_seconds", seconds(made.took), true});
}

}  // namespace

std::vector<log_field> fetch_log::beginning(std::string_view kind) const {
  return {{"time", present_time()},
          {"event", std::string(kind)},
          {"call", call_},
          {"dependency", facts_.address},
          {"method", facts_.method}};
}

void fetch_log::attempt(const event& ended, const curl::transfer_record* made, const event* retry) {
  std::vector<log_field> fields = beginning("attempt");
  fields.push_back({"attempt", std::to_string(ended.attempt), true});
  fields.push_back({"max_attempts", std::to_string(facts_.max_attempts), true});
  if (ended.fault) fields.push_back({"fault", std::string(to_string(ended.fault->kind))});
  if (ended.fault) fields.push_back({"effect", std::string(to_string(effect_of(*ended.fault)))});
  if (made != nullptr) add_transfer(fields, *made);
  fields.push_back({"elapsed_seconds", seconds(ended.elapsed), true});
  std::string sentence = attempt_name(facts_, ended.attempt) + ": ";
  sentence += made != nullptr ? what_happened(*made) : ended.fault ? "failed" : "succeeded";
  if (retry != nullptr) {
    fields.push_back({"wait_seconds", seconds(retry->wait), true});
    fields.push_back({"wait_source", std::string(to_string(retry->source))});
    sentence += fmt::format("; retrying in {} ({})", rounded(retry->wait), wait_origin(*retry, made));
  }
  write(fields, sentence);
}

void fetch_log::end(const event& outcome, int exit_code) {
  std::vector<log_field> fields = beginning("outcome");
  fields.push_back({"outcome", std::string(outcome_name(outcome))});
  fields.push_back({"attempts", std::to_string(outcome.attempt), true});
  fields.push_back({"exit_code", std::to_string(exit_code), true});
  if (facts_.signal != 0) fields.push_back({"signal", text::signal_name(facts_.signal)});
  fields.push_back({"elapsed_seconds", seconds(outcome.elapsed), true});
  write(fields, fmt::format("outcome: {}, exit code {}, attempts {}, elapsed {}", outcome_name(outcome),
                            exit_code, outcome.attempt, rounded(outcome.elapsed)));
}

void fetch_log::write(const std::vector<log_field>& fields, const std::string& sentence) {
  switch (format_) {
    case log_format::text:
      file_.append(
          printable(fields.front().value + " " + facts_.method + " " + facts_.address + ": " + sentence));
      break;
    case log_format::json: file_.append(as_json(fields)); break;
    case log_format::logfmt: file_.append(as_logfmt(fields)); break;
  }
}

}  // namespace relent::cli
