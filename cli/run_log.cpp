// SPDX-License-Identifier: Apache-2.0
// The fields and the three ways of writing them.
#include "run_log.hpp"

#include "exit_codes.hpp"
#include "message.hpp"
#include "rounded.hpp"

#include "src/text/signal_names.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

using how = attempt_result::how;

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

std::string_view end_word(const attempt_result& result) {
  if (result.timed_out) return "timeout";
  switch (result.ended) {
    case how::exited: return "exit";
    case how::killed: return "signal";
    case how::not_found: return "not_found";
    case how::not_executable: return "not_executable";
    case how::not_started: return "not_started";
  }
  return "exit";
}

/// How the process itself ended, whatever made it end.
void add_end(std::vector<log_field>& fields, const attempt_result& result) {
  fields.push_back({"end", std::string(end_word(result))});
  if (result.ended == how::exited) fields.push_back({"exit_code", std::to_string(result.number), true});
  if (result.ended == how::killed) fields.push_back({"signal", text::signal_name(result.number)});
}

bool is_plain(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '=' && c != '\\';
  });
}

}  // namespace

std::optional<log_format> log_format_from(std::string_view name) noexcept {
  if (name == "text") return log_format::text;
  if (name == "json") return log_format::json;
  if (name == "logfmt") return log_format::logfmt;
  return std::nullopt;
}

std::string as_json(const std::vector<log_field>& fields) {
  std::string text = "{";
  for (const log_field& field : fields) {
    if (text.size() > 1) text += ',';
    text.append("\"").append(field.name).append("\":");
    text += field.is_number
                ? field.value
                : nlohmann::json(field.value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return text + "}";
}

std::string as_logfmt(const std::vector<log_field>& fields) {
  std::string text;
  for (const log_field& field : fields) {
    if (!text.empty()) text += ' ';
    text.append(field.name).append("=");
    text += is_plain(field.value)
                ? field.value
                : nlohmann::json(field.value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return text;
}

log_file::log_file(const std::string& path)
    : path_(path),
      descriptor_(path == "-"
                      ? STDERR_FILENO
                      // Not to wait for somebody to read, if it is a pipe.
                      : ::open(path.c_str(),
                               O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category());
  if (descriptor_ > STDERR_FILENO) ::fcntl(descriptor_, F_SETFL, O_APPEND);
}

log_file::~log_file() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

void log_file::append(std::string line) {
  line += '\n';
  if (write_all(descriptor_, line) || std::exchange(failed_, true)) return;
  say(fmt::format("--log: '{}' cannot be written: {}", path_, std::generic_category().message(errno)));
}

void run_log::on_event(const event& what) {
  switch (what.kind) {
    case event_kind::attempt: attempt_ = what; break;
    case event_kind::retry:
      if (attempt_) write_attempt(*attempt_, &what, nullptr);
      attempt_.reset();
      break;
    case event_kind::held_back: break;
    case event_kind::outcome:
      if (attempt_) write_attempt(*attempt_, nullptr, &what);
      attempt_.reset();
      outcome_ = what;
      break;
  }
}

std::vector<log_field> run_log::beginning(std::string_view kind) const {
  return {{"time", present_time()},
          {"event", std::string(kind)},
          {"call", std::string(call_)},
          {"dependency", std::string(facts_.command)}};
}

void run_log::write_attempt(const event& attempt, const event* retry, const event* outcome) {
  std::vector<log_field> fields = beginning("attempt");
  fields.push_back({"attempt", std::to_string(attempt.attempt), true});
  fields.push_back({"max_attempts", std::to_string(facts_.max_attempts), true});
  add_end(fields, facts_.latest.result);
  if (attempt.fault) fields.push_back({"fault", std::string(to_string(attempt.fault->kind))});
  fields.push_back({"took_seconds", seconds(facts_.took), true});
  fields.push_back({"elapsed_seconds", seconds(attempt.elapsed), true});
  std::string sentence = attempt_name(facts_, attempt.attempt) + ": " +
                         (attempt.fault ? what_happened(facts_) : success_text(facts_));
  if (retry != nullptr) {
    fields.push_back({"wait_seconds", seconds(retry->wait), true});
    fields.push_back({"wait_source", std::string(to_string(retry->source))});
    sentence += fmt::format("; retrying in {} ({})", rounded(retry->wait), to_string(retry->source));
  }
  if (outcome != nullptr && outcome->stop)
    sentence += "; giving up: " + why_stopped(facts_, *outcome->stop, false);
  write(fields, sentence);
}

void run_log::end(int exit_code) {
  if (!outcome_) return;
  std::vector<log_field> fields = beginning("outcome");
  fields.push_back({"outcome", std::string(outcome_name(*outcome_))});
  fields.push_back({"attempts", std::to_string(outcome_->attempt), true});
  fields.push_back({"exit_code", std::to_string(exit_code), true});
  if (facts_.signal != 0) fields.push_back({"signal", text::signal_name(facts_.signal)});
  fields.push_back({"elapsed_seconds", seconds(outcome_->elapsed), true});
  write(fields, fmt::format("outcome: {}, exit code {}, attempts {}, elapsed {}", outcome_name(*outcome_),
                            exit_code, outcome_->attempt, rounded(outcome_->elapsed)));
}

void run_log::write(const std::vector<log_field>& fields, const std::string& sentence) {
  switch (format_) {
    case log_format::text:
      file_.append(printable(fields.front().value + " " + std::string(facts_.command) + ": " + sentence));
      break;
    case log_format::json: file_.append(as_json(fields)); break;
    case log_format::logfmt: file_.append(as_logfmt(fields)); break;
  }
}

}  // namespace relent::cli
