// SPDX-License-Identifier: Apache-2.0
// What is kept comes back as it was, from memory and from disk, also when the disk takes no more.
#include "attempt_bench.hpp"
#include "tool_process.hpp"

#include "cli/spool.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using relent::cli::spool;

std::string letters(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& each : text) each = static_cast<char>(random());
  return text;
}

std::string all_of(const spool& kept, std::size_t at_a_time) {
  std::string text;
  std::string part(at_a_time, '\0');
  for (;;) {
    const ssize_t got = kept.read_at(text.size(), part);
    EXPECT_GE(got, 0);
    if (got <= 0) return text;
    text.append(part, 0, static_cast<std::size_t>(got));
  }
}

TEST(spool, gives_back_what_it_was_given_whatever_the_pieces) {
  std::mt19937 random(1);
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const std::string text = letters(random() % 5000, seed);
    spool kept(random() % 3000);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 700, text.size() - at);
      ASSERT_TRUE(kept.append(std::string_view(text).substr(at, size)));
      at += size;
    }
    ASSERT_EQ(kept.size(), text.size());
    ASSERT_EQ(all_of(kept, 1 + random() % 900), text);
  }
}

TEST(spool, reads_from_any_place) {
  const std::string text = letters(3000, 7);
  spool kept(1000);
  ASSERT_TRUE(kept.append(text));
  for (const std::size_t at : {0U, 1U, 999U, 1000U, 1001U, 2999U, 3000U, 9000U}) {
    std::array<char, 100> part{};
    const std::string expected = at < text.size() ? text.substr(at, part.size()) : "";
    ASSERT_EQ(kept.read_at(at, part), static_cast<ssize_t>(expected.size()));
    EXPECT_EQ(std::string(part.data(), expected.size()), expected) << at;
  }
}

TEST(spool, opens_no_file_for_what_fits_into_memory) {
  const std::size_t before = open_descriptors();
  spool kept;
  ASSERT_TRUE(kept.append(letters(spool::default_memory, 1)));
  EXPECT_EQ(open_descriptors(), before);
  ASSERT_TRUE(kept.append("x"));
  EXPECT_EQ(open_descriptors(), before + 1);
  kept.clear();
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(kept.size(), 0U);
}

TEST(spool, leaves_no_name_behind_and_nothing_to_a_command) {
  const scratch_folder folder;
  EXPECT_TRUE(apart([&] {
    ::setenv("TMPDIR", folder.file("").c_str(), 1);
    spool kept(0);
    const bool was_kept = kept.append("some text");
    const int file = ::open("/dev/null", O_RDONLY) - 1;  // the one opened before
    return was_kept && folder.empty() && (::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0;
  }));
}

TEST(spool, says_that_no_file_can_be_made_and_keeps_what_it_has) {
  EXPECT_TRUE(apart([] {
    ::setenv("TMPDIR", "/there/is/no/such/folder", 1);
    spool kept(4);
    const bool first = kept.append("abc");
    const bool second = kept.append("defg");
    return first && !second && errno == ENOENT && all_of(kept, 10) == "abc" && kept.append("d") &&
           all_of(kept, 10) == "abcd";
  }));
}

TEST(spool, keeps_what_it_has_when_the_disk_takes_no_more) {
  EXPECT_TRUE(apart([] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string text = letters(1500, 3);
    spool kept(1000);
    const bool first = kept.append(text);
    const bool second = kept.append(letters(600, 4));  // written in part, and then refused
    return first && !second && errno == EFBIG && all_of(kept, 64) == text && kept.append("more") &&
           all_of(kept, 64) == text + "more";
  }));
}

}  // namespace
