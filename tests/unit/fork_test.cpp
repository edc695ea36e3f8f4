// SPDX-License-Identifier: Apache-2.0
// Workers that are forked must not retry in step: parent and children never draw the same series.
#include <relent/random.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t draws = 16;
using series = std::array<std::uint64_t, draws>;

series draw() {
  relent::thread_random random;
  series drawn;
  for (std::uint64_t& one : drawn) one = random.next();
  return drawn;
}

// What a forked child writes into the pipe that it is given; nothing if it fails.
std::vector<series> from_child(std::size_t expected, const std::function<void(int pipe)>& child) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    child(ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::vector<series> got(expected);
  std::size_t bytes = 0;
  const std::size_t wanted = expected * sizeof(series);
  while (bytes < wanted) {
    const ssize_t n = ::read(ends[0], reinterpret_cast<char*>(got.data()) + bytes, wanted - bytes);
    if (n <= 0) break;
    bytes += static_cast<std::size_t>(n);
  }
  ::close(ends[0]);
  int status = -1;
  ::waitpid(pid, &status, 0);
  return bytes == wanted && status == 0 ? got : std::vector<series>{};
}

void write_draws(int pipe) {
  const series drawn = draw();
  if (::write(pipe, drawn.data(), sizeof drawn) != static_cast<ssize_t>(sizeof drawn)) ::_exit(1);
}

// No number twice, wherever it was drawn: series that overlap at an offset are found out too.
void expect_all_different(const std::vector<series>& all) {
  std::set<std::uint64_t> seen;
  for (const series& one : all) seen.insert(one.begin(), one.end());
  EXPECT_EQ(seen.size(), all.size() * draws);
}

TEST(fork, child_of_a_parent_that_has_drawn_draws_another_series) {
  std::vector<series> all{draw()};
  const std::vector<series> childs = from_child(1, write_draws);
  ASSERT_EQ(childs.size(), 1U);
  all.push_back(childs[0]);
  all.push_back(draw());
  expect_all_different(all);
}

TEST(fork, child_of_a_parent_that_has_not_drawn_draws_another_series) {
  std::vector<series> all;
  // In a child of our own, so that the tests before this one do not matter; its thread has never drawn.
  all = from_child(2, [](int pipe) {
    std::thread([pipe] {
      const std::vector<series> childs = from_child(1, write_draws);
      if (childs.empty() || ::write(pipe, childs[0].data(), sizeof(series)) < 0) ::_exit(1);
      write_draws(pipe);
    }).join();
  });
  ASSERT_EQ(all.size(), 2U);
  expect_all_different(all);
}

TEST(fork, grandchild_draws_another_series) {
  std::vector<series> all{draw()};
  const std::vector<series> descendants = from_child(2, [](int pipe) {
    write_draws(pipe);
    const std::vector<series> grandchilds = from_child(1, write_draws);
    if (grandchilds.empty() || ::write(pipe, grandchilds[0].data(), sizeof(series)) < 0) ::_exit(1);
  });
  ASSERT_EQ(descendants.size(), 2U);
  all.insert(all.end(), descendants.begin(), descendants.end());
  expect_all_different(all);
}

TEST(fork, grandchild_whose_parent_has_not_drawn_draws_another_series) {
  std::vector<series> all{draw()};
  const std::vector<series> descendants = from_child(2, [](int pipe) {
    const std::vector<series> grandchilds = from_child(1, write_draws);
    if (grandchilds.empty() || ::write(pipe, grandchilds[0].data(), sizeof(series)) < 0) ::_exit(1);
    write_draws(pipe);
  });
  ASSERT_EQ(descendants.size(), 2U);
  all.insert(all.end(), descendants.begin(), descendants.end());
  expect_all_different(all);
}

TEST(fork, pre_forked_workers_all_draw_different_series) {
  std::vector<series> all{draw()};
  for (int worker = 0; worker < 8; ++worker) {
    const std::vector<series> childs = from_child(1, write_draws);
    ASSERT_EQ(childs.size(), 1U);
    all.push_back(childs[0]);
  }
  all.push_back(draw());
  expect_all_different(all);
}

}  // namespace
