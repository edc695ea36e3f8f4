// SPDX-License-Identifier: Apache-2.0
// `relent run` when the system is short of something: disk, descriptors, processes, /proc, standard streams;
// and that many attempts cost no more than few.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void limit(int what, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

// Many attempts.

/// What the command reports of the tool at some of its attempts: memory in kB, descriptors, children.
struct usage {
  long resident = 0;
  long descriptors = 0;
  long children = 0;
};

/// The tool reports once it waits for the command; before, it holds what starting the command takes, one
/// descriptor more.
std::string reporting_at(const std::string& attempts) {
  return "case $RELENT_ATTEMPT in " + attempts +
         ") until test \"$state\" = S; do while read name value rest; do test $name = State: && "
         "state=$value; "
         "done < /proc/$PPID/status; done; while read name kb rest; do test $name = VmRSS: && echo $kb; done "
         "< /proc/$PPID/status; "
         "set -- /proc/$PPID/fd/*; echo $#; read children < /proc/$PPID/task/$PPID/children; set -- "
         "$children; echo $#;; "
         "esac; exit 1";
}

std::vector<usage> usages_in(const std::string& text) {
  std::istringstream numbers(text);
  std::vector<usage> found;
  for (usage each; numbers >> each.resident >> each.descriptors >> each.children;) found.push_back(each);
  return found;
}

void expect_no_growth(const std::vector<usage>& seen) {
  ASSERT_EQ(seen.size(), 2U);
  if (!RELENT_TEST_SANITIZED) {
    EXPECT_LE(seen[1].resident, seen[0].resident + 256);
  }
  EXPECT_EQ(seen[1].descriptors, seen[0].descriptors);
  EXPECT_EQ(seen[0].children, 1);
  EXPECT_EQ(seen[1].children, 1);
}

TEST(run_real_time_soak, ten_thousand_retries_take_no_more_memory_descriptors_or_processes_than_a_few) {
  const orphan_catcher catcher;
  tool_process tool(
      run_script({"--quiet", "--base", "0ms", "--max-attempts", "10001"}, reporting_at("200|10001")));
  tool.give_up_after(100'000);
  const finished end = tool.finish();
  EXPECT_TRUE(end.exited_with(1)) << end.status << end.err;
  expect_no_growth(usages_in(end.out));
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

TEST(run_real_time_soak, with_input_patterns_held_output_a_hook_and_a_log_too) {
  const scratch_folder folder;
  const orphan_catcher catcher;
  pipe_pair input;
  ASSERT_TRUE(input.write("a line\n"));
  input.close_writer();
  tool_process tool(run_script({"--quiet", "--base", "1ns", "--cap", "1ns", "--jitter", "none",
                                "--max-attempts", "1000", "--output", "stderr", "--retry-on-output", ".",
                                "--on-retry", ":", "--log", folder.file("log")},
                               "read line; echo \"$line\" >&2; (exec true) & " + reporting_at("100|1000")),
                    with_stdin(input.reader()));
  tool.give_up_after(100'000);
  const finished end = tool.finish();
  EXPECT_TRUE(end.exited_with(1)) << end.status;
  EXPECT_EQ(count_of("a line\n", end.err), 1000U);
  EXPECT_EQ(lines_of(read_file(folder.file("log"))).size(), 1001U);
  const std::vector<usage> seen = usages_in(end.out);
  ASSERT_EQ(seen.size(), 1U) << end.out;  // that of the last attempt, which alone is on stdout
  EXPECT_LT(seen[0].descriptors, 20);
  EXPECT_LE(seen[0].children, 2);
  EXPECT_LT(seen[0].resident, RELENT_TEST_SANITIZED ? 500'000 : 20'000);
  EXPECT_THAT(catcher.caught(), IsEmpty());
}

// Disk.

class run_without_disk : public testing::TestWithParam<bool> {};

TEST_P(run_without_disk, gives_the_first_attempt_its_whole_input_and_ends_there) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(6'000'000);
  write_file(folder.file("bytes"), bytes);
  pipe_pair input;
  const producer feeding(input, bytes);
  const finished end =
      run_tool(run_script({"--base", "0ms"}, "cmp - " + folder.file("bytes") + " && echo same; exit 4"), [&] {
        ::dup2(input.reader(), STDIN_FILENO);
        std::signal(SIGXFSZ, GetParam() ? SIG_IGN : SIG_DFL);
        limit(RLIMIT_FSIZE, 2'000'000);
      });
  EXPECT_TRUE(end.exited_with(4)) << end.status;
  EXPECT_EQ(end.out, "same\n");
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: exit code 4; giving up: its input could not be kept in "
                          "/tmp: File too large"));
}

TEST_P(run_without_disk, loses_nothing_of_held_output) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(6'000'000);
  write_file(folder.file("bytes"), bytes);
  for (const char* mode : {"last", "stderr"}) {
    const finished end = run_tool(
        run_script({"--base", "0ms", "--output", mode}, "cat " + folder.file("bytes") + "; exit 0"), [] {
          std::signal(SIGXFSZ, GetParam() ? SIG_IGN : SIG_DFL);
          limit(RLIMIT_FSIZE, 2'000'000);
        });
    EXPECT_TRUE(end.exited_with(0)) << end.status << end.err;
    EXPECT_TRUE(end.out == bytes) << end.out.size();
  }
}

TEST_P(run_without_disk, goes_on_without_its_log_and_says_so_once) {
  const scratch_folder folder;
  const std::string log = folder.file("log");
  const finished end =
      run_tool(run_script({"--base", "0ms", "--max-attempts", "20", "--log", log}, "exit 4"), [] {
        std::signal(SIGXFSZ, GetParam() ? SIG_IGN : SIG_DFL);
        limit(RLIMIT_FSIZE, 500);
      });
  EXPECT_TRUE(end.exited_with(4)) << end.status;
  EXPECT_EQ(count_of("cannot be written: File too large", end.err), 1U) << end.err;
}

INSTANTIATE_TEST_SUITE_P(with_sigxfsz, run_without_disk, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "ignored" : "deadly"); });

TEST(run_reliability, gives_the_command_the_default_action_of_signals_that_we_ignore) {
  const finished end =
      run_tool({"run", "--", "grep", "^SigIgn", "/proc/self/status"}, [] { std::signal(SIGXFSZ, SIG_DFL); });
  EXPECT_EQ(end.out, "SigIgn:\t0000000000000000\n");
}

// Descriptors.

#if !RELENT_TEST_SANITIZED  // the undefined-behaviour sanitizer needs descriptors of its own
TEST(run_reliability, with_too_few_descriptors_gives_all_or_says_why_not) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(3'000'000);
  write_file(folder.file("bytes"), bytes);
  int succeeded = 0;
  for (rlim_t descriptors = 4; descriptors <= 20; ++descriptors) {
    pipe_pair input;
    const producer feeding(input, bytes);
    const finished end = run_tool({"run", "--base", "1ms", "--output", "last", "--retry-on-output", "x",
                                   "--on-retry", "true", "--log", folder.file("log"), "--", "cat"},
                                  [&] {
                                    ::dup2(input.reader(), STDIN_FILENO);
                                    ::close_range(3, ~0U, 0);
                                    limit(RLIMIT_NOFILE, descriptors);
                                  });
    input.close_reader();
    if (end.exited_with(0)) {
      EXPECT_TRUE(end.out == bytes) << descriptors << ": " << end.out.size();
      ++succeeded;
    } else {
      EXPECT_TRUE(end.exited_with(125)) << descriptors << ": " << end.status << end.err;
      EXPECT_THAT(end.err, HasSubstr("Too many open files")) << descriptors;
    }
  }
  EXPECT_GT(succeeded, 3);
}
#endif

// Processes.

#if !RELENT_TEST_SANITIZED
TEST(run_reliability, without_processes_says_so) {
  const finished end = run_tool({"run", "--", "true"}, [] {
    if (is_root() && ::setresuid(54321, 54321, 54321) != 0) ::_exit(98);
    limit(RLIMIT_NPROC, 0);
  });
  EXPECT_TRUE(end.exited_with(125)) << end.status;
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: no process could be started: Resource temporarily "
                          "unavailable; giving up: trying again cannot help"));
}
#endif

// Standard streams.

TEST(run_reliability, survives_any_of_the_standard_streams_closed) {
  const scratch_folder folder;
  const std::string count = folder.file("count");
  for (int closed = 0; closed < 8; ++closed)
    for (const std::vector<std::string>& flags :
         std::vector<std::vector<std::string>>{{},
                                               {"--output", "last"},
                                               {"--output", "stderr"},
                                               {"--retry-on-output", "^"},
                                               {"--log", folder.file("log")}}) {
      write_file(count, "");
      std::vector<std::string> all{"--base", "1ms", "--on-retry", "echo hook; cat"};
      all.insert(all.end(), flags.begin(), flags.end());
      const finished end =
          run_tool(run_script(all, "echo >> " + count + "; echo out; echo err >&2; cat; exit 5"), [&] {
            for (int descriptor = 0; descriptor < 3; ++descriptor)
              if ((closed >> descriptor & 1) != 0) ::close(descriptor);
          });
      EXPECT_TRUE(end.exited_with(5)) << closed << testing::PrintToString(flags) << end.status << end.err;
      EXPECT_EQ(read_file(count), "\n\n\n") << closed << testing::PrintToString(flags);
      EXPECT_LE(count_of("out\n", end.out), 3U);
    }
}

// Namespaces.

#if !RELENT_TEST_SANITIZED
/// A process namespace of its own whose first process is what is run, with or without a /proc that fits.
/// Not permitted everywhere: then the exit code is 77.
void enter_namespace_without_proc() {
  constexpr int not_permitted = 77;
  if (::unshare(CLONE_NEWNS | CLONE_NEWPID) != 0) ::_exit(not_permitted);
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(not_permitted);
  if (::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) ::_exit(not_permitted);
  const pid_t first = ::fork();
  if (first == 0) return;
  int status = 0;
  ::waitpid(first, &status, 0);
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

TEST(run_reliability, without_proc_retries_and_ends_what_is_in_the_group) {
  const finished end = run_tool(run_script({"--base", "0ms", "--kill-after", "50ms"}, "sleep 60 & exit 5"),
                                enter_namespace_without_proc);
  if (end.exited_with(77)) GTEST_SKIP() << "no namespaces are permitted here";
  EXPECT_TRUE(end.exited_with(5)) << end.err;
  EXPECT_EQ(end.told().size(), 3U) << end.err;
}

TEST(run_reliability, without_proc_says_when_something_is_left_running) {
  const finished end = run_tool(run_script({"--base", "0ms", "--kill-after", "50ms", "--max-attempts", "1"},
                                           "setsid sleep 60 <&- >&- 2>&- & exit 5"),
                                enter_namespace_without_proc);
  if (end.exited_with(77)) GTEST_SKIP() << "no namespaces are permitted here";
  EXPECT_TRUE(end.exited_with(5)) << end.status;
  EXPECT_EQ(count_of("is still running, and cannot be found without /proc", end.err), 1U) << end.err;
}

TEST(run_reliability, as_the_first_process_of_a_container_ends_as_told) {
  tool_process tool(run_script({}, "echo ready; exec sleep 60"), enter_namespace_without_proc);
  if (!tool.wait_for_output("ready")) {
    EXPECT_TRUE(tool.finish().exited_with(77));
    GTEST_SKIP() << "no namespaces are permitted here";
  }
  const std::string list =
      "/proc/" + std::to_string(tool.pid()) + "/task/" + std::to_string(tool.pid()) + "/children";
  ::kill(pid_in(list), SIGTERM);
  const finished end = tool.finish();
  EXPECT_TRUE(end.exited_with(128 + SIGTERM)) << end.status;
}
#endif

}  // namespace
