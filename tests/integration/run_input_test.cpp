// SPDX-License-Identifier: Apache-2.0
// `relent run` and stdin: each attempt gets all of it, whatever it comes from, or there is no further attempt.
#include "tool_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Says for each attempt whether its stdin was what the file holds, and succeeds with the third.
std::string compare_with(const std::string& file) {
  return "cmp - " + file + " && echo same; test $RELENT_ATTEMPT = 3";
}

class run_input_of_size : public testing::TestWithParam<std::size_t> {};

TEST_P(run_input_of_size, is_given_whole_to_each_attempt) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(GetParam());
  write_file(folder.file("bytes"), bytes);
  pipe_pair input;
  finished end;
  {
    const producer feeding(input, bytes);
    end = run_tool(run_script({"--base", "0ms"}, compare_with(folder.file("bytes"))),
                   with_stdin(input.reader()));
    input.close_reader();
  }
  EXPECT_TRUE(end.exited_with(0)) << end.err;
  EXPECT_EQ(end.out, "same\nsame\nsame\n");
}

INSTANTIATE_TEST_SUITE_P(bytes, run_input_of_size,
                         testing::Values(0, 1, 4096, 65535, 65536, 65537, (1 << 20) - 1, 1 << 20,
                                         (1 << 20) + 1, 5'000'003, (64 << 20) + 7));

TEST(run_input, from_a_file_is_wound_back_to_where_it_stood) {
  const scratch_folder folder;
  write_file(folder.file("lines"), "one\ntwo\nthree\nfour\n");
  const int file = ::open(folder.file("lines").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(file, 4, SEEK_SET), 4);
  const finished end =
      run_tool(run_script({"--base", "0ms"}, "read a; read b; echo $a $b; exit 1"), with_stdin(file));
  EXPECT_EQ(end.out, "two three\ntwo three\ntwo three\n");
  const finished whole = run_tool({"run", "--", "cat"}, [&] {
    ::lseek(file, 0, SEEK_SET);
    ::dup2(file, STDIN_FILENO);
  });
  EXPECT_EQ(whole.out, "one\ntwo\nthree\nfour\n");
  ::close(file);
}

TEST(run_input, from_a_file_is_left_where_the_last_attempt_left_it) {
  const scratch_folder folder;
  write_file(folder.file("bytes"), "abcdef");
  const int file = ::open(folder.file("bytes").c_str(), O_RDONLY | O_CLOEXEC);
  run_tool(run_script({"--base", "0ms"}, "dd bs=2 count=1 2>/dev/null; test $RELENT_ATTEMPT = 2"),
           with_stdin(file));
  EXPECT_EQ(::lseek(file, 0, SEEK_CUR), 2);
  ::close(file);
}

TEST(run_input, from_a_socket_is_given_again) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "some words\n", 11), 11);
  ::shutdown(ends[1], SHUT_WR);
  const finished end =
      run_tool(run_script({"--base", "0ms"}, "cat; test $RELENT_ATTEMPT = 3"), with_stdin(ends[0]));
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "some words\nsome words\nsome words\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

/// The two ends of a TCP connection to ourselves.
std::array<int, 2> connection() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const int from = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::connect(from, reinterpret_cast<sockaddr*>(&address), size) != 0)
    std::abort();
  const int to = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(listener);
  return {from, to};
}

TEST(run_input, that_breaks_off_with_an_error_is_no_success) {
  const std::array<int, 2> ends = connection();
  tool_process tool(run_script({}, "read line; echo \"$line\"; cat; exit 0"), with_stdin(ends[1]));
  ::close(ends[1]);
  ASSERT_EQ(::write(ends[0], "begun\n", 6), 6);
  ASSERT_TRUE(tool.wait_for_output("begun"));
  const linger reset{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  ::close(ends[0]);
  const finished end = tool.finish();
  EXPECT_FALSE(end.exited_with(0));
  EXPECT_THAT(end.err, HasSubstr("its input could not be read: Connection reset by peer"));
}

TEST(run_input, from_dev_null_is_empty_each_time) {
  const finished end = run_tool(run_script({"--base", "0ms"}, "cat; echo end; exit 1"));
  EXPECT_EQ(end.out, "end\nend\nend\n");
}

TEST(run_input, that_is_closed_is_closed_for_the_command_too) {
  const finished end = run_tool(run_script({"--base", "0ms"}, "test -e /proc/$$/fd/0 || echo closed; exit 5"),
                                [] { ::close(STDIN_FILENO); });
  EXPECT_TRUE(end.exited_with(5));
  EXPECT_EQ(end.out, "closed\nclosed\nclosed\n");
}

TEST(run_input, from_a_terminal_is_the_terminal_in_each_attempt) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(master, 0);
  ::grantpt(master);
  ::unlockpt(master);
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const finished end =
      run_tool(run_script({"--base", "0ms"}, "test -t 0 && echo terminal; exit 5"), with_stdin(terminal));
  EXPECT_EQ(end.out, "terminal\nterminal\nterminal\n");
  ::close(terminal);
  ::close(master);
}

TEST(run_input, that_the_command_does_not_read_does_no_harm) {
  for (int i = 0; i < 20; ++i) {
    pipe_pair input;
    const producer feeding(input, std::string(300'000, 'x'));
    const finished end = run_tool({"run", "--base", "0ms", "--", "true"}, with_stdin(input.reader()));
    input.close_reader();
    ASSERT_TRUE(end.exited_with(0)) << end.status;
    ASSERT_EQ(end.err, "");
  }
}

TEST(run_input, that_the_command_closes_does_not_keep_us_busy) {
  pipe_pair input;
  const producer feeding(input, std::string(300'000, 'x'));
  const finished end = run_tool(run_script({}, "exec <&-; sleep 1"), with_stdin(input.reader()));
  input.close_reader();
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_LT(end.cpu_ms, 300);
}

TEST(run_input, of_which_an_attempt_read_a_part_is_whole_for_the_next) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(3 << 20);
  write_file(folder.file("bytes"), bytes);
  for (const char* part : {"1", "70000", "1500000"}) {
    pipe_pair input;
    finished end;
    {
      const producer feeding(input, bytes);
      end = run_tool(
          run_script({"--base", "0ms"}, std::string("if test $RELENT_ATTEMPT -lt 3; then head -c ") + part +
                                            " >/dev/null; exit 1; fi; " + compare_with(folder.file("bytes"))),
          with_stdin(input.reader()));
      input.close_reader();
    }
    EXPECT_EQ(end.out, "same\n") << part << end.err;
    EXPECT_TRUE(end.exited_with(0));
  }
}

TEST(run_input, that_comes_slowly_is_passed_on_as_it_comes_and_given_again) {
  pipe_pair input;
  tool_process tool(run_script({"--base", "0ms", "--max-attempts", "2"},
                               "read a; echo \"a=$a\"; read b; echo \"b=$b\"; read c; echo \"c=$c\"; exit 1"),
                    with_stdin(input.reader()));
  ASSERT_TRUE(input.write("one\n"));
  ASSERT_TRUE(tool.wait_for_output("a=one\n"));
  ASSERT_TRUE(input.write("two\n"));
  ASSERT_TRUE(tool.wait_for_output("b=two\n"));
  ASSERT_TRUE(input.write("three\n"));
  input.close_writer();
  const finished end = tool.finish();
  EXPECT_EQ(end.out, "a=one\nb=two\nc=three\na=one\nb=two\nc=three\n");
}

TEST(run_input, that_does_not_end_is_not_waited_for) {
  pipe_pair input;
  ASSERT_TRUE(input.write("one\n"));
  tool_process tool(run_script({"--base", "0ms"}, "read a; echo $a; test $RELENT_ATTEMPT = 2"),
                    with_stdin(input.reader()));
  const finished end = tool.finish();  // while we hold the other end
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "one\none\n");
}

TEST(run_input, over_the_limit_goes_to_the_first_attempt_alone) {
  const std::string bytes = made_up_bytes(1'000'000);
  const scratch_folder folder;
  write_file(folder.file("bytes"), bytes);
  for (const char* limit : {"0B", "10kB", "999999B"}) {
    pipe_pair input;
    finished end;
    {
      const producer feeding(input, bytes);
      end =
          run_tool(run_script({"--base", "0ms", "--stdin-limit", limit}, compare_with(folder.file("bytes"))),
                   with_stdin(input.reader()));
      input.close_reader();
    }
    EXPECT_TRUE(end.exited_with(1));
    EXPECT_EQ(end.out, "same\n") << limit;
    EXPECT_THAT(end.told(),
                ElementsAre("relent: attempt 1 of 3: exit code 1; giving up: more than --stdin-limit " +
                            std::string(limit) + " of input was used"));
  }
}

TEST(run_input, within_the_limit_is_given_again) {
  const std::string bytes = made_up_bytes(1'000'000);
  const scratch_folder folder;
  write_file(folder.file("bytes"), bytes);
  pipe_pair input;
  const producer feeding(input, bytes);
  const finished end =
      run_tool(run_script({"--base", "0ms", "--stdin-limit", "1MB"}, compare_with(folder.file("bytes"))),
               with_stdin(input.reader()));
  EXPECT_EQ(end.out, "same\nsame\nsame\n");
}

TEST(run_input, over_the_limit_of_which_no_byte_too_many_was_used_is_no_obstacle) {
  pipe_pair input;
  ASSERT_TRUE(input.write("0123456789"));
  input.close_writer();
  const finished end = run_tool(run_script({"--base", "0ms", "--stdin-limit", "0B"}, "exec <&-; exit 4"),
                                with_stdin(input.reader()));
  EXPECT_TRUE(end.exited_with(4));  // how many attempts there were depends on who was faster
  pipe_pair silent;
  const finished unread = run_tool(run_script({"--base", "0ms", "--stdin-limit", "0B"}, "echo ran; exit 4"),
                                   with_stdin(silent.reader()));
  EXPECT_EQ(unread.out, "ran\nran\nran\n");
}

TEST(run_input, in_a_large_pipe_whose_writer_has_left_is_not_cut) {
  pipe_pair input;
  ASSERT_GE(::fcntl(input.writer(), F_SETPIPE_SZ, 1 << 20), 1 << 20);
  const std::string bytes = made_up_bytes(1'000'000);
  ASSERT_TRUE(input.write(bytes));
  input.close_writer();
  const scratch_folder folder;
  write_file(folder.file("bytes"), bytes);
  const finished end =
      run_tool(run_script({"--base", "0ms"}, compare_with(folder.file("bytes"))), with_stdin(input.reader()));
  EXPECT_EQ(end.out, "same\nsame\nsame\n");
}

TEST(run_input, goes_through_a_pipeline) {
  const scratch_folder folder;
  write_file(folder.file("bytes"), made_up_bytes(3'000'000));
  const std::string tool = RELENT_TOOL;
  const finished end = run_tool({"run", "--leave-daemons", "--", "sh", "-c",
                                 "cat " + folder.file("bytes") + " | " + tool +
                                     " run --nested retry --output last --base 0ms -- sh -c "
                                     "'cat; test $RELENT_ATTEMPT = 2' 2>/dev/null | cmp - " +
                                     folder.file("bytes") + " && echo same"});
  EXPECT_EQ(end.out, "same\n") << end.err;
}

TEST(run_input, that_cannot_be_kept_is_whole_for_the_first_attempt) {
  const std::string bytes = made_up_bytes(3'000'000);
  const scratch_folder folder;
  write_file(folder.file("bytes"), bytes);
  pipe_pair input;
  const producer feeding(input, bytes);
  const finished end = run_tool(run_script({"--base", "0ms"}, compare_with(folder.file("bytes"))), [&] {
    ::setenv("TMPDIR", "/nowhere/at/all", 1);
    ::dup2(input.reader(), STDIN_FILENO);
  });
  EXPECT_TRUE(end.exited_with(1));
  EXPECT_EQ(end.out, "same\n");
  EXPECT_THAT(end.told(),
              ElementsAre("relent: attempt 1 of 3: exit code 1; giving up: its input could not be kept in "
                          "/nowhere/at/all: No such file or directory"));
}

TEST(run_input, leaves_no_file_behind_and_none_with_a_name) {
  const scratch_folder folder;
  const std::string bytes = made_up_bytes(3'000'000);
  pipe_pair input;
  const producer feeding(input, bytes);
  const finished end =
      run_tool(run_script({"--max-attempts", "1"}, "cat >/dev/null; ls -A \"$TMPDIR\""), [&] {
        ::setenv("TMPDIR", folder.file("").c_str(), 1);
        ::dup2(input.reader(), STDIN_FILENO);
      });
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "");
  EXPECT_TRUE(folder.empty());
}

TEST(run_input, does_not_end_us_with_sigpipe) {
  pipe_pair input;
  const producer feeding(input, std::string(2'000'000, 'x'));
  const finished end = run_tool(run_script({"--base", "0ms"}, "head -c 1 >/dev/null; exec <&-; exit 6"),
                                with_stdin(input.reader()));
  input.close_reader();
  EXPECT_TRUE(end.exited_with(6)) << end.status;
  EXPECT_EQ(end.told().size(), 3U);
}

}  // namespace
