// SPDX-License-Identifier: Apache-2.0
// Bodies by themselves: what they yield, and whether they do so again.
#include "scratch_folder.hpp"

#include <relent/curl/body.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <array>
#include <string>
#include <system_error>

namespace {

using namespace relent::curl;
using relent::test::scratch_folder;

std::string all_of(body_source& from, std::size_t at_once = 3) {
  std::string text;
  std::string piece(at_once, '\0');
  while (const std::size_t got = from.read(piece.data(), piece.size())) text.append(piece, 0, got);
  return text;
}

TEST(curl_body, in_memory_is_the_same_again_and_again) {
  const body sent = memory_body("seven bytes");
  EXPECT_EQ(sent->size(), 11U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(sent->rewind());
    EXPECT_EQ(all_of(*sent), "seven bytes");
  }
}

TEST(curl_body, in_memory_may_be_empty) {
  const body sent = memory_body("");
  EXPECT_EQ(sent->size(), 0U);
  EXPECT_EQ(all_of(*sent), "");
}

TEST(curl_body, of_a_file_is_read_anew_from_its_beginning) {
  const scratch_folder folder;
  folder.write("upload", "from a file");
  const body sent = file_body(folder.path("upload"));
  EXPECT_EQ(sent->size(), 11U);
  EXPECT_EQ(all_of(*sent), "from a file");
  ASSERT_TRUE(sent->can_rewind());
  EXPECT_TRUE(sent->rewind());
  EXPECT_EQ(all_of(*sent), "from a file");
}

TEST(curl_body, of_a_file_that_is_not_there_says_which) {
  try {
    static_cast<void>(file_body("/nowhere/upload"));
    FAIL() << "no error";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_NE(std::string(error.what()).find("/nowhere/upload"), std::string::npos);
  }
}

TEST(curl_body, of_a_descriptor_begins_where_that_stands) {
  const scratch_folder folder;
  folder.write("upload", "head and body");
  const int file = folder.open("upload");
  ASSERT_EQ(::lseek(file, 9, SEEK_SET), 9);
  const body sent = descriptor_body(file);
  EXPECT_EQ(sent->size(), 4U);
  EXPECT_EQ(all_of(*sent), "body");
  EXPECT_TRUE(sent->rewind());
  EXPECT_EQ(all_of(*sent), "body");
  ::close(file);
}

TEST(curl_body, from_a_pipe_can_not_be_rewound_and_has_no_size) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  const body sent = descriptor_body(ends[0]);
  EXPECT_FALSE(sent->size().has_value());
  EXPECT_FALSE(sent->can_rewind());
  EXPECT_EQ(all_of(*sent), "piped");
  EXPECT_FALSE(sent->rewind());
  ::close(ends[0]);
}

TEST(curl_body, of_a_function_is_rewound_by_its_other_function) {
  int left = 2;
  const body sent = stream_body(
      [&left](char* to, std::size_t) -> std::size_t {
        if (left == 0) return 0;
        --left;
        *to = 'x';
        return 1;
      },
      [&left] {
        left = 2;
        return true;
      });
  EXPECT_EQ(all_of(*sent), "xx");
  EXPECT_TRUE(sent->can_rewind());
  EXPECT_TRUE(sent->rewind());
  EXPECT_EQ(all_of(*sent), "xx");
}

}  // namespace
