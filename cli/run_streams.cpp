// SPDX-License-Identifier: Apache-2.0
// Puts the three streams together.
#include "run_streams.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>

namespace relent::cli {
namespace {

std::vector<pattern*> patterns_of(std::optional<pattern>& a, std::optional<pattern>& b) {
  std::vector<pattern*> all;
  if (a) all.push_back(&*a);
  if (b) all.push_back(&*b);
  return all;
}

void emplace(std::optional<pattern>& place, const std::optional<std::string>& expression) {
  if (expression) place.emplace(*expression);
}

taking how_to_take(output_mode output, bool patterns) {
  if (output != output_mode::stream) return taking::and_holds;
  return patterns ? taking::and_passes : taking::nothing;
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
      retry_on_(),
      until_(),
      in_(stdin_limit),
      out_(STDOUT_FILENO, how_to_take(output, has_patterns(rules)),
           (emplace(retry_on_, rules.retry_on_output), emplace(until_, rules.until_output),
            patterns_of(retry_on_, until_))),
      err_(STDERR_FILENO, has_patterns(rules) ? taking::and_passes : taking::nothing,
           patterns_of(retry_on_, until_)) {}

int run_streams::begin(command_surroundings& around) {
  if (retry_on_) retry_on_->forget();
  if (until_) until_->forget();
  int error = in_.begin(around.files[0]);
  if (error == 0) error = out_.begin(around.files[1]);
  if (error == 0) error = err_.begin(around.files[2]);
  if (error != 0) {
    in_.end();
    out_.end();
  }
  return error;
}

void run_streams::started() {
  in_.started();
  out_.started();
  err_.started();
}

void run_streams::watch(std::vector<pollfd>& set) {
  in_.watch(set);
  out_.watch(set);
  err_.watch(set);
}

void run_streams::handle(std::span<const pollfd> ready) {
  for (const pollfd& each : ready) {
    in_.handle(each);
    out_.handle(each);
    err_.handle(each);
  }
}

void run_streams::end() {
  in_.end();
  out_.end();
  err_.end();
}

output_matches run_streams::found() const noexcept {
  return {.retry_on = retry_on_ && retry_on_->found(), .until = until_ && until_->found()};
}

std::string run_streams::objection(bool broken_pipe) const {
  if (std::string why = in_.objection(); !why.empty()) return why;
  if (std::string why = out_.objection(); !why.empty()) return why;
  if (broken_pipe && reader_is_gone(STDOUT_FILENO)) return "whoever read its output has gone";
  return {};
}

void run_streams::attempt_failed() {
  if (output_ == output_mode::to_stderr)
    out_.release_to(STDERR_FILENO);
  else if (output_ == output_mode::last)
    out_.drop();
}

std::string run_streams::lost_output() const {
  std::string loss = out_.loss();
  return loss.empty() ? err_.loss() : loss;
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
