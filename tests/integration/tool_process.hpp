// SPDX-License-Identifier: Apache-2.0
// The tool as a process for tests: start it, feed it, read what it writes, signal it, see how it ended and
// what it left behind.
// Nothing here sleeps; every wait is for a descriptor or a process, and has an upper bound.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// A sanitizer needs memory, descriptors, processes and /proc for itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RELENT_TEST_SANITIZED 1
#elif defined(__has_feature)
#define RELENT_TEST_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define RELENT_TEST_SANITIZED 0
#endif

namespace relent::test {

/// How the tool ended and what it wrote.
struct finished {
  int status = 0;
  bool in_time = true;
  std::string out;
  std::string err;
  long long cpu_ms = 0;  ///< of the tool and of what it waited for

  bool exited_with(int code) const;
  bool died_of(int signal) const;
  /// The lines of `err`, without what varies from run to run: "(elapsed …)".
  std::vector<std::string> told() const;
};

/// Milliseconds of the monotonic clock.
long long now_ms();

class tool_process {
 public:
  /// Starts the tool in a session of its own, with an empty stdin and pipes on its stdout and stderr, and
  /// as if no other `relent run` were around it. `in_child` runs before exec.
  explicit tool_process(const std::vector<std::string>& arguments,
                        const std::function<void()>& in_child = {});
  ~tool_process();
  tool_process(const tool_process&) = delete;
  tool_process& operator=(const tool_process&) = delete;

  pid_t pid() const { return pid_; }
  /// All waits together end by then; 20 s unless said otherwise.
  void give_up_after(long long milliseconds) { give_up_at_ = now_ms() + milliseconds; }
  void signal(int number) const;
  /// Reads until the text was written to stdout, or to stderr; false if that did not happen in time.
  bool wait_for_output(std::string_view text);
  bool wait_for_output(std::string_view text, long long milliseconds);
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

/// A pipe. What is still open is closed at the end; no command inherits it.
class pipe_pair {
 public:
  pipe_pair();
  ~pipe_pair();
  pipe_pair(const pipe_pair&) = delete;
  pipe_pair& operator=(const pipe_pair&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { close(0); }
  void close_writer() { close(1); }
  /// Writes all of it, and waits for room as long as a test may last. False if that was not possible.
  bool write(std::string_view text) const;
  /// What comes until the other end is closed, or a test must end.
  std::string read_all() const;

 private:
  void close(int which);
  int ends_[2] = {-1, -1};
};

/// Writes a text to a pipe from a thread of its own and then closes that end. At its end it closes the other
/// one, so that it waits for nobody.
class producer {
 public:
  producer(pipe_pair& to, std::string text);
  ~producer();
  producer(const producer&) = delete;
  producer& operator=(const producer&) = delete;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// For `in_child`: the descriptor becomes stdin; these variables are set.
std::function<void()> with_stdin(int descriptor);
std::function<void()> with_variable(std::string name, std::string value);

/// Bytes of all values without a short period.
std::string made_up_bytes(std::size_t size);

std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view text);
std::vector<std::string> lines_of(const std::string& text);
std::size_t count_of(std::string_view part, std::string_view text);

/// From now on descendants whose parents have gone become children of the test, which thus sees what the
/// tool left behind, dead or alive. At its end it kills and reaps them.
class orphan_catcher {
 public:
  orphan_catcher();
  ~orphan_catcher();
  orphan_catcher(const orphan_catcher&) = delete;
  orphan_catcher& operator=(const orphan_catcher&) = delete;

  /// The names of those that live, and "(dead)" for each that nobody reaped.
  std::vector<std::string> caught() const;
  /// Reaps until no child is left, none of which lasts longer than `milliseconds`.
  bool all_end_within(long long milliseconds) const;
};

/// Whether the process lives; one that waits to be reaped does not.
bool lives(pid_t pid);
/// The pid that a file holds; 0 if it holds none.
pid_t pid_in(const std::string& path);

/// Whether the test runs as root, who is above some limits.
bool is_root();

}  // namespace relent::test
