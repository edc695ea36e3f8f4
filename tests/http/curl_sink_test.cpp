// SPDX-License-Identifier: Apache-2.0
// Sinks by themselves: nothing arrives before it is certain.
#include "scratch_folder.hpp"

#include <relent/curl/sink.hpp>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <string>
#include <system_error>

namespace {

using namespace relent::curl;
using relent::test::scratch_folder;

TEST(file_sink, puts_the_file_in_its_place_when_it_is_whole) {
  const scratch_folder folder;
  const sink to = file_sink(folder.path("out"));
  to->begin(200, {});
  to->write("all ");
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  to->write("of it");
  to->complete();
  EXPECT_EQ(folder.read("out"), "all of it");
  EXPECT_EQ(folder.size(), 1);
}

TEST(file_sink, leaves_a_file_untouched_and_nothing_beside_it_if_it_was_not_whole) {
  const scratch_folder folder;
  folder.write("out", "as it was");
  {
    const sink to = file_sink(folder.path("out"));
    to->begin(200, {});
    to->write("a part");
  }
  EXPECT_EQ(folder.read("out"), "as it was");
  EXPECT_EQ(folder.size(), 1);
}

TEST(file_sink, forgets_what_an_attempt_wrote_that_failed) {
  const scratch_folder folder;
  const sink to = file_sink(folder.path("out"));
  to->begin(200, {});
  to->write("half of the fir");
  to->begin(200, {});
  to->write("second");
  to->complete();
  EXPECT_EQ(folder.read("out"), "second");
  EXPECT_EQ(folder.size(), 1);
}

TEST(file_sink, keeps_the_permissions_of_a_file_that_it_replaces) {
  const scratch_folder folder;
  folder.write("out", "old");
  ASSERT_EQ(::chmod(folder.path("out").c_str(), 0640), 0);
  const sink to = file_sink(folder.path("out"));
  to->begin(200, {});
  to->complete();
  struct stat status {};
  ASSERT_EQ(::stat(folder.path("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST(file_sink, replaces_what_a_symbolic_link_points_to_and_not_the_link) {
  const scratch_folder folder;
  folder.write("real", "old");
  std::filesystem::create_symlink(folder.path("real"), folder.path("link"));
  const sink to = file_sink(folder.path("link"));
  to->begin(200, {});
  to->write("new");
  to->complete();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.read("real"), "new");
}

TEST(file_sink, writes_to_a_device_and_does_not_replace_it) {
  const sink to = file_sink("/dev/null");
  to->begin(200, {});
  to->write("gone");
  to->complete();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(file_sink, says_which_file_cannot_be_made) {
  const sink to = file_sink("/nowhere/out");
  try {
    to->begin(200, {});
    FAIL() << "no error";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/out"), std::string::npos);
  }
}

TEST(spooled_sink, hands_nothing_over_before_all_is_there) {
  std::string taken;
  const sink to = spooled_sink([&taken](std::string_view bytes) { taken += bytes; });
  to->begin(200, {});
  to->write("first attempt");
  EXPECT_EQ(taken, "");
  to->begin(200, {});
  to->write("second");
  to->complete();
  EXPECT_EQ(taken, "second");
}

TEST(spooled_sink, hands_over_what_does_not_fit_into_memory) {
  std::string taken;
  const sink to = spooled_sink([&taken](std::string_view bytes) { taken += bytes; });
  std::string all;
  to->begin(200, {});
  for (int i = 0; i < 300; ++i) {
    const std::string piece(10'000, static_cast<char>('a' + i % 26));
    to->write(piece);
    all += piece;
  }
  EXPECT_EQ(taken, "");
  to->complete();
  EXPECT_TRUE(taken == all) << taken.size() << " bytes";
}

}  // namespace
