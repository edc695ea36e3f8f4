// SPDX-License-Identifier: Apache-2.0
// `relent fetch` at a terminal: the progress bar, the countdown, and that both are gone where they would disturb.
#include "fetch_process.hpp"

#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using relent::testing::fault_body;
using relent::testing::fault_server;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What the tool draws on a terminal that is its stderr.
struct at_a_terminal {
  finished end;
  std::string screen;

  explicit at_a_terminal(const std::vector<std::string>& words) {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(master);
    ::unlockpt(master);
    const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    end = fetch(words, [slave] {
      ::dup2(slave, STDERR_FILENO);
      ::setenv("TERM", "xterm", 1);
    });
    ::close(slave);
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = ::read(master, piece.data(), piece.size())) > 0;)
      screen.append(piece.data(), static_cast<std::size_t>(got));
    ::close(master);
  }
};

constexpr const char* erased = "\r\x1b[K";

TEST(fetch_at_a_terminal_real_time, shows_how_far_it_is_and_takes_that_away) {
  const fault_server server({.scripts = {"drip(20KB/s, body=30KB)"}});
  const at_a_terminal seen({server.url()});
  EXPECT_EQ(seen.end.out, fault_body(0, 30'000));
  EXPECT_THAT(seen.screen, AllOf(HasSubstr("% of 30.0kB, "), HasSubstr("/s")));
  EXPECT_TRUE(seen.screen.ends_with(erased));
}

TEST(fetch_at_a_terminal_real_time, shows_nothing_of_what_is_quick_or_not_wanted) {
  const fault_server server({.scripts = {"200(body=10)"}});
  EXPECT_EQ(at_a_terminal({server.url()}).screen, "");
  const fault_server slow({.scripts = {"drip(20KB/s, body=30KB)"}});
  EXPECT_EQ(at_a_terminal({"-s", slow.url()}).screen, "");
  EXPECT_EQ(at_a_terminal({"--no-progress-meter", slow.url()}).screen, "");
}

TEST(fetch_at_a_terminal_real_time, counts_down_to_the_next_attempt) {
  const fault_server server({.scripts = {"503(retry-after=1), 200(body=ok)"}});
  const at_a_terminal seen({server.url()});
  EXPECT_EQ(seen.end.out, "ok");
  EXPECT_THAT(seen.screen, HasSubstr("attempt 2 of 3 in 1s"));
}

}  // namespace
