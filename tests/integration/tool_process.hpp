// SPDX-License-Identifier: Apache-2.0
// The tool as a process for tests: start it, read what it writes, signal it, see how it ended.
// Nothing here sleeps; every wait is for a descriptor or a process, and has an upper bound.
#pragma once

#include <sys/types.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace relent::test {

/// How the tool ended and what it wrote.
struct finished {
  int status = 0;
  bool in_time = true;
  std::string out;
  std::string err;

  bool exited_with(int code) const;
  bool died_of(int signal) const;
  /// The lines of `err`, without what varies from run to run: "(elapsed …)".
  std::vector<std::string> told() const;
};

class tool_process {
 public:
  /// Starts the tool in a session of its own, with an empty stdin and pipes on its stdout and stderr.
  /// `in_child` runs before exec.
  explicit tool_process(const std::vector<std::string>& arguments,
                        const std::function<void()>& in_child = {});
  ~tool_process();
  tool_process(const tool_process&) = delete;
  tool_process& operator=(const tool_process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Reads until the text was written to stdout, or to stderr; false if that did not happen in time.
  bool wait_for_output(std::string_view text);
  bool wait_for_message(std::string_view text);
  /// Reads to the end of both pipes, which every process that holds them must close, and reaps the tool.
  finished finish();

 private:
  bool read_some(bool& out_open, bool& err_open);
  bool read_until(const std::string& text, std::string_view wanted);

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  long long give_up_at_;
  std::string out_text_;
  std::string err_text_;
};

/// Runs the tool from its start to its end.
finished run_tool(const std::vector<std::string>& arguments, const std::function<void()>& in_child = {});

/// `relent run FLAGS... -- sh -c SCRIPT`.
std::vector<std::string> run_script(std::vector<std::string> flags, std::string script);

/// A folder that is gone with the test.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  std::string file(std::string_view name) const;
  bool empty() const;

 private:
  std::string path_;
};

/// Milliseconds of the monotonic clock.
long long now_ms();

}  // namespace relent::test
