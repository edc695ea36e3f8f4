// SPDX-License-Identifier: Apache-2.0
// Output gets where it is meant to, all of it and in order: real commands before real pipes, sockets, files
// and terminals.
#include "attempt_bench.hpp"
#include "tool_process.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace relent::test;
using relent::cli::line_watch;
using relent::cli::output_taker;
using relent::cli::output_way;
using relent::cli::owned_descriptor;
using namespace std::string_literals;

class output : public testing::Test {
 protected:
  output() {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
  }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  const scratch_folder folder_;
};

/// What `seq` prints, of some megabytes.
constexpr int many = 500'000;
const std::string count_to_many = "seq " + std::to_string(many);
std::string numbers() {
  std::string text;
  for (int i = 1; i <= many; ++i) text += std::to_string(i) + "\n";
  return text;
}

bool would_wait(int number) { return (::fcntl(number, F_GETFL) & O_NONBLOCK) == 0; }

TEST_F(output, passes_without_a_pipe) {
  output_taker taker(1, output_way::pass);
  EXPECT_EQ(taker.begin_attempt(), 0);
  EXPECT_EQ(taker.child_end(), -1);
  std::vector<pollfd> set;
  taker.add_to(set);
  EXPECT_TRUE(set.empty());
  taker.end_attempt();
}

TEST_F(output, of_any_size_comes_through_whole) {
  for (const bool socket : {false, true}) {
    channel out = socket ? channel::of_sockets() : channel::of_pipe();
    consumer reader(std::move(out.read));
    {
      output_taker taker(out.write.get(), output_way::tee);
      EXPECT_EQ(run_with(nullptr, &taker, count_to_many), 0);
      EXPECT_TRUE(flush(taker));
    }
    EXPECT_TRUE(would_wait(out.write.get())) << "flags that others share";
    out.write.close();
    EXPECT_TRUE(reader.text() == numbers());
  }
}

TEST_F(output, comes_through_a_named_pipe_and_into_a_file) {
  ASSERT_EQ(::mkfifo(file("fifo").c_str(), 0600), 0);
  owned_descriptor fifo(::open(file("fifo").c_str(), O_RDWR | O_CLOEXEC));
  owned_descriptor fifo_in(::open(file("fifo").c_str(), O_WRONLY | O_CLOEXEC));
  consumer reader(owned_descriptor(::open(file("fifo").c_str(), O_RDONLY | O_CLOEXEC)));
  fifo.close();
  const owned_descriptor disk(::open(file("disk").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  for (const int to : {fifo_in.get(), disk.get()}) {
    output_taker taker(to, output_way::tee);
    EXPECT_EQ(run_with(nullptr, &taker, count_to_many), 0);
    EXPECT_TRUE(flush(taker));
  }
  fifo_in.close();
  EXPECT_TRUE(reader.text() == numbers());
  EXPECT_TRUE(read_file(file("disk")) == numbers());
}

TEST_F(output, that_nobody_reads_makes_the_command_wait_and_not_us) {
  channel out = channel::of_pipe();
  std::optional<output_taker> taker(std::in_place, out.write.get(), output_way::tee);
  int rounds = 0;
  // That this returns at all is the point: the command ended itself while nothing went out.
  EXPECT_EQ(
      run_with(nullptr, &*taker, "yes & sleep 0.1; kill $!; wait 2>/dev/null; exit 7", [&] { ++rounds; }), 7);
  EXPECT_TRUE(taker->pending());
  EXPECT_LT(rounds, 200) << "turned round and round instead of waiting";
  consumer reader(std::move(out.read));
  EXPECT_TRUE(flush(*taker));
  taker.reset();
  out.write.close();
  EXPECT_GT(reader.text().size(), 100'000U);
}

TEST_F(output, on_a_stopped_terminal_makes_the_command_wait_and_not_us) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const owned_descriptor screen(master);
  owned_descriptor terminal(slave);
  ::tcflow(slave, TCOOFF);
  output_taker taker(slave, output_way::tee);
  EXPECT_EQ(run_with(nullptr, &taker, "echo hello; exit 7"), 7);
  EXPECT_TRUE(taker.pending());
  EXPECT_TRUE(would_wait(slave));
  ::tcflow(slave, TCOON);
  EXPECT_TRUE(flush(taker));
  std::array<char, 100> text{};
  EXPECT_EQ(::read(master, text.data(), text.size()), 7);
  EXPECT_STREQ(text.data(), "hello\r\n");
}

TEST_F(output, whose_reader_leaves_ends_the_command_as_without_us) {
  channel out = channel::of_pipe();
  output_taker taker(out.write.get(), output_way::tee);
  bool left = false;
  const auto leave = [&] {
    if (!std::exchange(left, true)) out.read.close();
  };
  EXPECT_EQ(run_with(nullptr, &taker, "exec yes", leave), 128 + SIGPIPE);
  EXPECT_EQ(taker.lost(), EPIPE);
  EXPECT_FALSE(taker.pending());
  EXPECT_EQ(run_with(nullptr, &taker, "exec yes"), 128 + SIGPIPE) << "and so does the next";
}

TEST_F(output, whose_reader_leaves_ends_a_silent_command_at_its_next_word) {
  channel out = channel::of_pipe();
  output_taker taker(out.write.get(), output_way::tee);
  out.read.close();
  EXPECT_EQ(run_with(nullptr, &taker, "sleep 0.05; exec echo hello"), 128 + SIGPIPE);
}

TEST_F(output, refused_by_a_full_disk_is_remembered) {
  const owned_descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  output_taker streaming(full.get(), output_way::tee);
  run_with(nullptr, &streaming, "echo hello");
  flush(streaming);  // the command may have ended before its output was tried
  EXPECT_EQ(streaming.lost(), ENOSPC);
  output_taker holding(full.get(), output_way::hold);
  EXPECT_EQ(run_with(nullptr, &holding, "echo hello"), 0);
  EXPECT_EQ(holding.lost(), 0);
  holding.release_to(full.get());
  EXPECT_TRUE(flush(holding));
  EXPECT_EQ(holding.lost(), ENOSPC);
}

TEST_F(output, is_held_until_it_is_released) {
  channel out = channel::of_pipe();
  channel other = channel::of_pipe();
  consumer reader(std::move(out.read));
  consumer other_reader(std::move(other.read));
  std::optional<output_taker> taker(std::in_place, out.write.get(), output_way::hold);
  EXPECT_EQ(run_with(nullptr, &*taker, "echo first; exit 1"), 1);
  EXPECT_FALSE(taker->pending());
  taker->discard();
  EXPECT_EQ(run_with(nullptr, &*taker, "echo second; exit 1"), 1);
  taker->release_to(other.write.get());
  EXPECT_TRUE(flush(*taker));
  EXPECT_EQ(run_with(nullptr, &*taker, count_to_many), 0);
  taker->release_to(out.write.get());
  EXPECT_TRUE(taker->pending());
  EXPECT_TRUE(flush(*taker));
  EXPECT_FALSE(taker->committed());
  taker.reset();
  out.write.close();
  other.write.close();
  EXPECT_TRUE(reader.text() == numbers());
  EXPECT_EQ(other_reader.text(), "second\n");
}

TEST_F(output, that_is_released_to_a_blocked_pipe_can_be_given_up) {
  const channel out = channel::of_pipe();
  output_taker taker(out.write.get(), output_way::hold);
  EXPECT_EQ(run_with(nullptr, &taker, count_to_many), 0);
  taker.release_to(out.write.get());
  std::vector<pollfd> set;
  for (int round = 0; round < 3; ++round) {
    set.clear();
    taker.add_to(set);
    ASSERT_EQ(set.size(), 1U);
    if (::poll(set.data(), 1, 0) > 0) taker.handle(set);
  }
  EXPECT_TRUE(taker.pending());
  taker.discard();
  EXPECT_FALSE(taker.pending());
}

TEST_F(output, that_cannot_be_kept_goes_out_at_once) {
  EXPECT_TRUE(apart([] {
    ::setenv("TMPDIR", "/there/is/no/such/folder", 1);
    channel out = channel::of_pipe();
    consumer reader(std::move(out.read));
    std::optional<output_taker> taker(std::in_place, out.write.get(), output_way::hold);
    const int code = run_with(nullptr, &*taker, count_to_many);
    const bool went = code == 0 && taker->committed() && flush(*taker);
    const std::string why = taker->why_committed();
    taker.reset();
    out.write.close();
    return went && reader.text() == numbers() &&
           why == "its output could not be held back and is written already: No such file or directory";
  }));
}

TEST_F(output, left_in_the_pipe_is_taken_without_waiting_for_those_who_hold_it) {
  for (const output_way way : {output_way::tee, output_way::hold}) {
    channel out = channel::of_pipe();
    std::optional<output_taker> taker(std::in_place, out.write.get(), way);
    ASSERT_EQ(taker->begin_attempt(), 0);
    const owned_descriptor holder(::fcntl(taker->child_end(), F_DUPFD_CLOEXEC, 0));
    taker->started();
    const std::string text(60'000, 'x');
    ASSERT_EQ(::write(holder.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    taker->end_attempt();
    EXPECT_EQ(::write(holder.get(), "y", 1), -1) << "closed to those who live on";
    if (way == output_way::hold) taker->release_to(out.write.get());
    EXPECT_TRUE(flush(*taker));
    taker.reset();
    out.write.close();
    EXPECT_EQ(consumer(std::move(out.read)).text(), text);
  }
}

TEST_F(output, is_watched_whichever_way_it_goes) {
  for (const output_way way : {output_way::tee, output_way::hold}) {
    channel out = channel::of_pipe();
    line_watch watch;
    ASSERT_EQ(watch.add("^ready$"), "");
    output_taker taker(out.write.get(), way, &watch);
    bool seen_early = false;
    const auto look = [&] { seen_early = seen_early || watch.matched(); };
    EXPECT_EQ(run_with(nullptr, &taker, "echo not ready; echo ready; sleep 0.05", look), 0);
    EXPECT_TRUE(seen_early);
    EXPECT_EQ(run_with(nullptr, &taker, "echo not ready"), 0);
    EXPECT_FALSE(watch.matched()) << "each attempt begins anew";
    EXPECT_EQ(run_with(nullptr, &taker, "printf ready"), 0);
    EXPECT_TRUE(watch.matched()) << "a last line without an end";
  }
}

TEST_F(output, of_many_megabytes_is_held_on_disk_and_not_in_memory) {
  EXPECT_TRUE(apart([this] {
    const owned_descriptor disk(::open(file("disk").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    output_taker taker(disk.get(), output_way::hold);
    rusage before{};
    rusage after{};
    ::getrusage(RUSAGE_SELF, &before);
    if (run_with(nullptr, &taker, "head -c 100000000 /dev/zero") != 0) return false;
    taker.release_to(disk.get());
    const bool went = flush(taker);
    ::getrusage(RUSAGE_SELF, &after);
    return went && std::filesystem::file_size(file("disk")) == 100'000'000 &&
           after.ru_maxrss - before.ru_maxrss < 8'000;
  }));
}

}  // namespace
