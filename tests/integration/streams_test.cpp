// SPDX-License-Identifier: Apache-2.0
// Every attempt gets the same input: real commands behind real pipes, sockets and files.
#include "attempt_bench.hpp"
#include "tool_process.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace relent::test;
using relent::cli::input_replay;
using relent::cli::output_taker;
using relent::cli::output_way;
using relent::cli::owned_descriptor;

constexpr std::uint64_t plenty = std::uint64_t{1} << 33U;

class streams : public testing::Test {
 protected:
  streams() {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
  }
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string got() const { return read_file(file("got")); }
  /// Takes `n` bytes of its input, or all, and keeps them as "got".
  std::string takes(std::size_t n) const { return "head -c " + std::to_string(n) + " > " + file("got"); }
  std::string takes_all() const { return "cat > " + file("got"); }
  owned_descriptor open_file(const std::string& name, int flags) const {
    return owned_descriptor(::open(file(name).c_str(), flags | O_CREAT | O_CLOEXEC, 0600));
  }

 private:
  const scratch_folder folder_;
};

class stream_input : public streams {};

TEST_F(stream_input, is_the_same_for_each_attempt_whatever_the_pieces) {
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 16; ++seed) {
    const std::string bytes = random_bytes(random() % (seed % 4 == 0 ? 3'000'000 : 150'000), seed);
    channel in = seed % 3 == 0 ? channel::of_sockets() : channel::of_pipe();
    const background_writer writer(std::move(in.write), bytes, seed, seed % 2 == 0 ? 100'000 : 3'000);
    input_replay input(plenty, in.read.get());
    for (int attempt = 1; attempt <= 3; ++attempt) {
      const std::size_t n = random() % (bytes.size() + 1);
      ASSERT_EQ(run_with(&input, nullptr, takes(n)), 0);
      ASSERT_TRUE(got() == bytes.substr(0, n))
          << "attempt " << attempt << " of " << seed << ": " << got().size();
    }
    for (int attempt = 4; attempt <= 5; ++attempt) {
      ASSERT_EQ(run_with(&input, nullptr, takes_all()), 0);
      ASSERT_TRUE(got() == bytes) << "attempt " << attempt << " of " << seed;
    }
    EXPECT_TRUE(input.can_repeat());
    EXPECT_EQ(input.why_not() + input.trouble(), "");
  }
}

TEST_F(stream_input, of_100_megabytes_is_given_whole_and_again) {
  const std::string bytes = random_bytes(100'000'000, 1);
  std::ofstream(file("expected"), std::ios::binary) << bytes;
  channel in = channel::of_pipe();
  const background_writer writer(std::move(in.write), bytes, 1, 1'000'000);
  input_replay input(plenty, in.read.get());
  EXPECT_EQ(run_with(&input, nullptr, "cmp - " + file("expected")), 0);
  EXPECT_EQ(run_with(&input, nullptr, "cmp - " + file("expected")), 0);
}

TEST_F(stream_input, streams_to_the_first_attempt_as_it_comes) {
  channel in = channel::of_pipe();
  channel out = channel::of_pipe();
  input_replay input(plenty, in.read.get());
  output_taker output(out.write.get(), output_way::tee);
  std::string answers;
  std::thread conversation([&] {  // says the next line only once the one before was answered
    for (const std::string line : {"one\n", "two\n", "three\n"}) {
      std::array<char, 10> answer{};
      if (::write(in.write.get(), line.data(), line.size()) < 0) return;
      const ssize_t got = ::read(out.read.get(), answer.data(), answer.size());
      answers.append(answer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    in.write.close();
  });
  EXPECT_EQ(run_with(&input, &output, "while read line; do echo $line; done"), 0);
  out.write.close();
  conversation.join();
  EXPECT_EQ(answers, "one\ntwo\nthree\n");
}

TEST_F(stream_input, that_a_command_does_not_read_stays_for_the_next_reader) {
  channel in = channel::of_pipe();
  ASSERT_EQ(::write(in.write.get(), "first\nsecond\nthird\n", 19), 19);
  in.write.close();
  input_replay input(plenty, in.read.get());
  EXPECT_EQ(run_with(&input, nullptr, "exit 3"), 3);
  EXPECT_EQ(run_with(&input, nullptr, "read line && test $line = first"), 0);
  EXPECT_EQ(run_with(&input, nullptr, "read line && test $line = first"), 0);
  EXPECT_EQ(consumer(std::move(in.read)).text(), "second\nthird\n");
}

TEST_F(stream_input, that_a_command_stops_reading_is_fine) {
  channel in = channel::of_pipe();
  const std::string bytes = random_bytes(2'000'000, 5);
  const background_writer writer(std::move(in.write), bytes, 1, 100'000);
  input_replay input(plenty, in.read.get());
  EXPECT_EQ(run_with(&input, nullptr, "exec <&-; exit 4"), 4);
  EXPECT_EQ(run_with(&input, nullptr, "head -c 100000 > /dev/null; exec <&-; exit 5"), 5);
  EXPECT_EQ(run_with(&input, nullptr, takes_all()), 0);
  EXPECT_TRUE(got() == bytes);
}

TEST_F(stream_input, that_is_empty_has_an_end) {
  channel in = channel::of_pipe();
  in.write.close();
  input_replay input(plenty, in.read.get());
  for (int attempt = 1; attempt <= 3; ++attempt)
    EXPECT_EQ(run_with(&input, nullptr, "test -z \"$(cat)\""), 0);
}

TEST_F(stream_input, of_a_file_is_wound_back_to_where_it_stood) {
  std::ofstream(file("in")) << "0123456789";
  const owned_descriptor in = open_file("in", O_RDONLY);
  ::lseek(in.get(), 3, SEEK_SET);
  input_replay input(plenty, in.get());
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(input.begin_attempt(), 0);
    EXPECT_EQ(input.child_end(), -1);
    std::array<char, 20> text{};
    EXPECT_EQ(::read(in.get(), text.data(), text.size()), 7);
    EXPECT_EQ(text[0], '3');
    input.end_attempt();
  }
}

TEST_F(stream_input, of_anything_else_is_the_commands) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const owned_descriptor ends[] = {owned_descriptor(master), owned_descriptor(slave)};
  const owned_descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const owned_descriptor placeholder(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const owned_descriptor folder(::open("/tmp", O_RDONLY | O_CLOEXEC));
  const owned_descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr any{AF_UNIX, {}};
  ASSERT_EQ(::bind(listener.get(), &any, sizeof any.sa_family), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  const owned_descriptor messages(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const channel backwards = channel::of_pipe();
  constexpr int not_open = 999;
  for (const int source : {slave, null.get(), placeholder.get(), folder.get(), listener.get(), messages.get(),
                           backwards.write.get(), not_open}) {
    input_replay input(plenty, source);
    for (int attempt = 1; attempt <= 2; ++attempt) {
      EXPECT_EQ(input.begin_attempt(), 0);
      EXPECT_EQ(input.child_end(), -1);
      std::vector<pollfd> set;
      input.add_to(set);
      EXPECT_TRUE(set.empty());
      input.end_attempt();
    }
  }
}

struct limit_case {
  const char* id;
  std::uint64_t limit;
  std::size_t used;
  bool repeatable;
};

class stream_limit : public streams, public testing::WithParamInterface<limit_case> {};

TEST_P(stream_limit, forbids_another_attempt_once_more_was_used) {
  const limit_case& row = GetParam();
  const std::string bytes = random_bytes(1'000'000, 9);
  channel in = channel::of_pipe();
  const background_writer writer(std::move(in.write), bytes, 1, 50'000);
  input_replay input(row.limit, in.read.get());
  EXPECT_EQ(run_with(&input, nullptr, takes(row.used)), 0);
  EXPECT_TRUE(got() == bytes.substr(0, row.used));
  EXPECT_EQ(input.can_repeat(), row.repeatable) << input.why_not();
  EXPECT_EQ(input.begin_attempt(), row.repeatable ? 0 : ENODATA);
  input.end_attempt();
  if (row.repeatable) {
    EXPECT_EQ(run_with(&input, nullptr, takes_all()), 0);
    EXPECT_TRUE(got() == bytes);
  }
  in.read.close();
}

INSTANTIATE_TEST_SUITE_P(limits, stream_limit,
                         testing::Values(limit_case{"none_kept", 0, 1'000'000, false},
                                         limit_case{"one_byte", 1, 1'000'000, false},
                                         limit_case{"a_page_and_a_bit", 5'000, 500'000, false},
                                         limit_case{"small_and_hardly_used", 300'000, 10, true},
                                         limit_case{"just_one_short", 999'999, 1'000'000, false},
                                         limit_case{"just_enough", 1'000'000, 1'000'000, true}),
                         [](const testing::TestParamInfo<limit_case>& info) { return info.param.id; });

TEST_F(stream_input, says_why_it_cannot_be_given_again) {
  const std::string bytes = random_bytes(3'000'000, 2);
  channel in = channel::of_pipe();
  const background_writer writer(std::move(in.write), bytes, 1, 50'000);
  input_replay input(2'000'000, in.read.get());
  EXPECT_EQ(run_with(&input, nullptr, takes_all()), 0);
  EXPECT_TRUE(got() == bytes);
  EXPECT_EQ(input.why_not(), "more than --stdin-limit 2MB of input was used");
}

TEST_F(stream_input, streams_on_when_the_disk_is_full) {
  const std::string bytes = random_bytes(4'000'000, 2);
  std::ofstream(file("expected"), std::ios::binary) << bytes;
  EXPECT_TRUE(apart([&] {
    const rlimit limit{1'000'000, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    channel in = channel::of_pipe();
    input_replay input(plenty, in.read.get());
    const background_writer writer(std::move(in.write), bytes, 1, 50'000);
    const int code = run_with(&input, nullptr, "cmp - " + file("expected"));
    return code == 0 && !input.can_repeat() &&
           input.why_not() == "its input could not be kept in /tmp: File too large";
  }));
}

TEST_F(stream_input, names_the_folder_that_it_could_not_use) {
  EXPECT_TRUE(apart([&] {
    ::setenv("TMPDIR", "/there/is/no/such/folder", 1);
    const std::string bytes = random_bytes(2'000'000, 2);
    channel in = channel::of_pipe();
    const background_writer writer(std::move(in.write), bytes, 1, 50'000);
    input_replay input(plenty, in.read.get());
    return run_with(&input, nullptr, takes_all()) == 0 && got() == bytes && !input.can_repeat() &&
           input.why_not() ==
               "its input could not be kept in /there/is/no/such/folder: No such file or directory";
  }));
}

TEST_F(stream_input, tells_of_a_stdin_that_fails) {
  const owned_descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  input_replay input(plenty, listener.get());  // not connected: reading from it fails
  EXPECT_EQ(run_with(&input, nullptr, "test -z \"$(cat)\""), 0);
  EXPECT_EQ(input.trouble(), "its input could not be read: Transport endpoint is not connected");
}

TEST_F(stream_input, leaks_no_descriptor_in_10000_attempts) {
  channel in = channel::of_pipe();
  ASSERT_EQ(::write(in.write.get(), "some", 4), 4);
  input_replay input(plenty, in.read.get());
  output_taker output(in.write.get(), output_way::hold);
  const std::size_t before = open_descriptors();
  for (int attempt = 0; attempt < 10'000; ++attempt) {
    ASSERT_EQ(input.begin_attempt() + output.begin_attempt(), 0);
    ASSERT_GT(::fcntl(input.child_end(), F_GETFD) & ::fcntl(output.child_end(), F_GETFD) & FD_CLOEXEC, 0);
    input.started();
    output.started();
    input.end_attempt();
    output.end_attempt();
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(stream_input, reports_that_no_pipe_can_be_made) {
  EXPECT_TRUE(apart([] {
    const channel in = channel::of_pipe();
    input_replay input(plenty, in.read.get());
    output_taker output(1, output_way::hold);
    const rlimit none{3, 3};
    ::setrlimit(RLIMIT_NOFILE, &none);
    return input.begin_attempt() == EMFILE && output.begin_attempt() == EMFILE && input.child_end() == -1;
  }));
}

}  // namespace
