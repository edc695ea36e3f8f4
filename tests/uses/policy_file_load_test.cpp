// SPDX-License-Identifier: Apache-2.0
// Policy files on disk: those that can be read, and one clear line for those that cannot.
#include <relent/policy_file/policy_file.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

using relent::policy_file;
using relent::policy_file_error;

/// A folder of its own for each test.
class policy_file_load : public testing::Test {
 protected:
  policy_file_load() {
    std::string pattern = (std::filesystem::temp_directory_path() / "relent-policy-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~policy_file_load() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string written(const char* name, std::string_view text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string complaint(const std::string& path) {
    try {
      policy_file::load(path);
    } catch (const policy_file_error& error) {
      EXPECT_EQ(error.problems().size(), 1U);
      EXPECT_EQ(error.problems()[0].line, 0U);
      return error.what();
    }
    return "was read";
  }

  std::filesystem::path folder_;
};

TEST_F(policy_file_load, reads_a_file) {
  const policy_file file = policy_file::load(written("a.toml", "[policy.payments]\nmax_attempts = 7\n"));
  EXPECT_EQ(file.at("payments").policy->max_attempts, 7U);
}

TEST_F(policy_file_load, names_the_file_in_what_is_wrong_with_it) {
  const std::string name = written("a.toml", "[policy.a]\nnested = 1\n");
  try {
    policy_file::load(name);
    FAIL();
  } catch (const policy_file_error& error) {
    EXPECT_EQ(error.what(),
              name + ":2:10: policy.a.nested must be one of \"single_attempt\", \"retry\"; it is 1");
  }
}

TEST_F(policy_file_load, says_that_a_file_is_missing) {
  EXPECT_EQ(complaint(path("none.toml")), path("none.toml") + ": cannot be read: No such file or directory");
  EXPECT_EQ(complaint(""), ": cannot be read: No such file or directory");
}

TEST_F(policy_file_load, says_that_it_is_a_directory) {
  EXPECT_EQ(complaint(folder_.string()), folder_.string() + ": is a directory");
}

TEST_F(policy_file_load, says_that_a_file_may_not_be_read) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string name = written("secret.toml", "");
  std::filesystem::permissions(name, std::filesystem::perms::none);
  EXPECT_EQ(complaint(name), name + ": cannot be read: Permission denied");
}

TEST_F(policy_file_load, stops_at_one_mebibyte_of_a_file_without_end) {
  EXPECT_EQ(complaint("/dev/zero"), "/dev/zero: is larger than 1 MiB, which no policy file needs to be");
}

TEST_F(policy_file_load, takes_a_file_of_exactly_one_mebibyte) {
  std::string text = "[policy.a]\n";
  text.resize(1U << 20U, '\n');
  EXPECT_EQ(policy_file::load(written("full.toml", text)).policies().size(), 1U);
}

TEST_F(policy_file_load, refuses_a_zero_byte_in_the_name) {
  EXPECT_EQ(complaint(std::string("a\0b", 3)), "a: has a zero byte in its name");
}

}  // namespace
