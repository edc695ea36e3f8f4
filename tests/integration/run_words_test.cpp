// SPDX-License-Identifier: Apache-2.0
// The words of `relent run` that need no process: sizes, records of the log, environment variables, keys.
#include <cli/run_environment.hpp>
#include <cli/run_log.hpp>
#include <cli/size_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace relent::cli;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(sizes, are_read_in_powers_of_1000_and_1024) {
  EXPECT_EQ(parse_size("0B").value, 0U);
  EXPECT_EQ(parse_size("1kB").value, 1000U);
  EXPECT_EQ(parse_size("1KiB").value, 1024U);
  EXPECT_EQ(parse_size("10mb").value, 10'000'000U);
  EXPECT_EQ(parse_size("1.5GiB").value, 1'610'612'736U);
}

TEST(sizes, without_a_unit_or_with_a_wrong_one_are_refused) {
  EXPECT_EQ(parse_size("10").error, "has no unit: write 64KiB, 10MB or 1GB");
  EXPECT_EQ(parse_size("10XB").error, "has an unknown unit: write B, kB, MB, GB, KiB, MiB or GiB");
  for (const char* text : {"", "MB", "-1MB", "1e3MB", "1..5MB", " 1MB", "inf", "0x1MB"})
    EXPECT_FALSE(parse_size(text).value) << text;
  EXPECT_EQ(parse_size("99999999999TB").error, "is more than can be counted");
}

TEST(sizes, are_written_in_the_largest_whole_unit) {
  for (const char* text : {"0B", "1234B", "64KiB", "10MB", "1GiB", "8TiB"})
    EXPECT_EQ(size_to_text(*parse_size(text).value), text);
}

const std::vector<log_field> odd_fields{
    {"time", "12:00"}, {"dependency", "a \"b\"\n=\xff"}, {"empty", ""}, {"attempt", "3", true}};

TEST(log_records, are_json_whatever_the_bytes) {
  const auto record = nlohmann::json::parse(as_json(odd_fields));
  EXPECT_EQ(record["dependency"], "a \"b\"\n=\xef\xbf\xbd");
  EXPECT_EQ(record["empty"], "");
  EXPECT_EQ(record["attempt"], 3);
}

TEST(log_records, are_one_line_of_logfmt_with_quotes_where_needed) {
  EXPECT_EQ(as_logfmt(odd_fields),
            "time=12:00 dependency=\"a \\\"b\\\"\\n=\xef\xbf\xbd\" empty=\"\" attempt=3");
}

/// What stands in the environment while it lives.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~variable() { ::unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
};

std::chrono::system_clock::time_point at(std::chrono::milliseconds since_1970) {
  return std::chrono::system_clock::time_point(since_1970);
}

std::vector<std::string> entries(run_environment& environment) {
  std::vector<std::string> found;
  for (char* const* each = environment.get(); *each != nullptr; ++each)
    if (std::string_view(*each).starts_with("RELENT_")) found.emplace_back(*each);
  return found;
}

TEST(run_environment, says_what_attempt_it_is) {
  run_environment environment;
  environment.set_attempt(2, 5, 1500ms, at(1'000'250ms), "key-1");
  EXPECT_THAT(entries(environment), ElementsAre("RELENT_ATTEMPT=2", "RELENT_MAX_ATTEMPTS=5",
                                                "RELENT_DEADLINE=1001.750", "RELENT_IDEMPOTENCY_KEY=key-1"));
}

TEST(run_environment, replaces_what_an_enclosing_run_said_and_takes_out_a_deadline_that_is_none) {
  const variable attempt("RELENT_ATTEMPT", "9");
  const variable deadline("RELENT_DEADLINE", "12.5");
  run_environment environment;
  environment.set_attempt(1, 1, relent::max_duration, at(0ms), "k");
  EXPECT_THAT(entries(environment), Contains("RELENT_ATTEMPT=1"));
  EXPECT_THAT(entries(environment), Not(Contains(StartsWith("RELENT_DEADLINE"))));
}

TEST(enclosing_run, is_none_without_its_variables) {
  std::vector<std::string> remarks;
  EXPECT_FALSE(find_enclosing_run(at(0ms), remarks));
  EXPECT_THAT(remarks, IsEmpty());
}

TEST(enclosing_run, is_found_with_what_is_left_of_its_deadline) {
  const variable attempt("RELENT_ATTEMPT", "2");
  const variable deadline("RELENT_DEADLINE", "12.5");
  const variable key("RELENT_IDEMPOTENCY_KEY", "abc");
  std::vector<std::string> remarks;
  const auto found = find_enclosing_run(at(10s), remarks);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->attempt, 2U);
  EXPECT_EQ(found->time_left, 2500ms);
  EXPECT_EQ(found->idempotency_key, "abc");
}

TEST(enclosing_run, whose_deadline_has_passed_leaves_no_time) {
  const variable attempt("RELENT_ATTEMPT", "2");
  const variable deadline("RELENT_DEADLINE", "12.5");
  std::vector<std::string> remarks;
  EXPECT_EQ(find_enclosing_run(at(99s), remarks)->time_left, 0ms);
}

TEST(enclosing_run, with_senseless_variables_is_left_out_and_told_of) {
  std::vector<std::string> remarks;
  {
    const variable attempt("RELENT_ATTEMPT", "two");
    EXPECT_FALSE(find_enclosing_run(at(0ms), remarks));
  }
  const variable attempt("RELENT_ATTEMPT", "2");
  const variable deadline("RELENT_DEADLINE", "tomorrow");
  const variable key("RELENT_IDEMPOTENCY_KEY", "has a blank");
  const auto found = find_enclosing_run(at(0ms), remarks);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->time_left);
  EXPECT_EQ(found->idempotency_key, "");
  EXPECT_THAT(remarks,
              ElementsAre("RELENT_ATTEMPT: 'two' is not the number of an attempt: ignored",
                          "RELENT_DEADLINE: 'tomorrow' is not a number of seconds since 1970: ignored"));
}

std::string key_for(std::string outer, std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return derived_key(outer, argv);
}

TEST(derived_keys, are_the_same_for_the_same_command_and_differ_for_any_other) {
  EXPECT_EQ(key_for("k", {"curl", "a"}), key_for("k", {"curl", "a"}));
  const std::set<std::string> keys{key_for("k", {"curl", "a"}), key_for("k", {"curl", "b"}),
                                   key_for("k", {"curla"}),     key_for("k", {"curl", "a", ""}),
                                   key_for("j", {"curl", "a"}), key_for("kcurl", {"a"})};
  EXPECT_EQ(keys.size(), 6U);
}

TEST(derived_keys, are_uuids_of_version_8) {
  EXPECT_THAT(key_for("k", {"x"}),
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

}  // namespace
