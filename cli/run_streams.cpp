// SPDX-License-Identifier: Apache-2.0
// Puts the three streams together.
#include "run_streams.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>
#include <utility>

namespace relent::cli {
namespace {

output_way way_of(output_mode output, bool patterns) {
  if (output != output_mode::stream) return output_way::hold;
  return patterns ? output_way::tee : output_way::pass;
}

bool has_patterns(const command_rules& rules) { return rules.retry_on_output || rules.until_output; }

/// Whether whoever reads this pipe or socket has gone.
bool reader_is_gone(int descriptor) {
  pollfd watched{descriptor, 0, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & POLLERR) != 0;
}

}  // namespace

run_streams::run_streams(output_mode output, std::uint64_t stdin_limit, const command_rules& rules)
    : output_(output),
      in_(stdin_limit),
      out_(STDOUT_FILENO, way_of(output, has_patterns(rules)), &out_watch_),
      err_(STDERR_FILENO, has_patterns(rules) ? output_way::tee : output_way::pass, &err_watch_) {
  std::size_t number = 0;
  const auto add = [&](const std::optional<std::string>& expression, std::optional<std::size_t>& place) {
    if (!expression || !out_watch_.add(*expression).empty()) return;
    err_watch_.add(*expression);
    place = number++;
  };
  add(rules.retry_on_output, retry_on_);
  add(rules.until_output, until_);
}

int run_streams::begin(command_surroundings& around) {
  out_.discard();
  int error = in_.begin_attempt();
  if (error == 0) error = out_.begin_attempt();
  if (error == 0) error = err_.begin_attempt();
  if (error != 0) end();
  around.files = {in_.child_end(), out_.child_end(), err_.child_end()};
  return error;
}

void run_streams::started() {
  in_.started();
  out_.started();
  err_.started();
}

void run_streams::watch(std::vector<pollfd>& set) {
  in_.add_to(set);
  out_.add_to(set);
  err_.add_to(set);
}

void run_streams::handle(std::span<const pollfd> ready) {
  in_.handle(ready);
  out_.handle(ready);
  err_.handle(ready);
}

void run_streams::end() {
  in_.end_attempt();
  out_.end_attempt();
  err_.end_attempt();
}

bool run_streams::has_found(const std::optional<std::size_t>& pattern) const noexcept {
  return pattern && (out_watch_.matched(*pattern) || err_watch_.matched(*pattern));
}

output_matches run_streams::found() const noexcept {
  return {.retry_on = has_found(retry_on_), .until = has_found(until_)};
}

std::string run_streams::objection(bool broken_pipe) const {
  if (std::string why = in_.why_not(); !why.empty()) return why;
  if (std::string why = out_.why_committed(); !why.empty()) return why;
  if (out_.lost() == EPIPE || (broken_pipe && reader_is_gone(STDOUT_FILENO)))
    return "whoever read its output has gone";
  return {};
}

void run_streams::attempt_failed() {
  if (output_ == output_mode::to_stderr)
    out_.release_to(STDERR_FILENO);
  else if (output_ == output_mode::last)
    out_.discard();
}

std::string run_streams::lost_output() const {
  for (const auto& [stream, name] : {std::pair{&out_, "stdout"}, std::pair{&err_, "stderr"}}) {
    if (stream->lost() != 0)
      return fmt::format("{} could not be written: {}", name,
                         std::generic_category().message(stream->lost()));
    if (stream->pending()) return fmt::format("{} could not be written in full: nobody reads it", name);
  }
  return {};
}

int aside_streams::begin(command_surroundings& around) {
  nothing_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing_ < 0) return errno;
  around.files = {nothing_, STDERR_FILENO, -1};
  return 0;
}

void aside_streams::started() {
  if (nothing_ >= 0) ::close(nothing_);
  nothing_ = -1;
}

}  // namespace relent::cli
