// SPDX-License-Identifier: Apache-2.0
// `relent explain` as a process: what it prints, in which words it refuses, how it ends.
#include "tool_process.hpp"

#include <relent/policy_file/policy_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace relent::test;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* two_policies = R"([policy.payments]
max_attempts = 5
deadline = "10s"
attempt_timeout = "2s"
breaker = { failures = 5 }

[policy.nightly]
command = { retry_on = "75,SIGSEGV", stop_on = "2" }
)";

/// Policy files, a home without any, and a locale of ASCII.
class explain : public testing::Test {
 protected:
  explain() { write("two.toml", two_policies); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  std::string file(const std::string& name) const { return folder_.file(name); }

  finished run(std::vector<std::string> words, const char* locale = "C") const {
    words.insert(words.begin(), "explain");
    return run_tool(words, [&] {
      ::setenv("LC_ALL", locale, 1);
      ::setenv("XDG_CONFIG_HOME", folder_.file("config").c_str(), 1);
    });
  }
  std::string text(const std::vector<std::string>& words) const {
    const finished end = run(words);
    EXPECT_TRUE(end.exited_with(0)) << end.err;
    EXPECT_EQ(end.err, "");
    return end.out;
  }
  json object(std::vector<std::string> words) const {
    words.emplace_back("--json");
    return json::parse(text(words));
  }
  std::string refusal(const std::vector<std::string>& words) const {
    const finished end = run(words);
    EXPECT_TRUE(end.exited_with(125)) << end.status;
    EXPECT_EQ(end.out, "");
    return end.err;
  }

 private:
  scratch_folder folder_;
};

TEST_F(explain, says_where_the_policy_comes_from) {
  EXPECT_THAT(text({}), StartsWith("the defaults of relent run\n"));
  EXPECT_THAT(text({"--profile", "apt"}), StartsWith("the ready profile 'apt'\n"));
  EXPECT_THAT(text({file("two.toml") + ":payments"}),
              StartsWith("policy 'payments' of " + file("two.toml") + "\n"));
}

TEST_F(explain, has_nothing_to_warn_of_in_the_defaults_and_the_ready_profiles) {
  EXPECT_TRUE(run({"--strict"}).exited_with(0));
  ASSERT_FALSE(relent::ready_profiles().empty());
  for (const relent::named_policy& each : relent::ready_profiles()) {
    const finished end = run({"--strict", "--profile", each.name});
    EXPECT_TRUE(end.exited_with(0)) << end.out;
    EXPECT_THAT(end.out, EndsWith("\nNo warnings.\n"));
  }
}

TEST_F(explain, ends_with_1_if_strict_and_warned) {
  EXPECT_TRUE(run({"--jitter", "none"}).exited_with(0));
  const finished end = run({"--jitter", "none", "--strict"});
  EXPECT_TRUE(end.exited_with(1));
  EXPECT_THAT(end.out, HasSubstr("(no_jitter)"));
  EXPECT_THAT(end.out, HasSubstr("mend: backoff.jitter = \"full\""));
  EXPECT_TRUE(run({"--jitter", "none", "--strict", "--json"}).exited_with(1));
}

TEST_F(explain, takes_a_policy_for_calls_unless_it_has_rules_for_commands) {
  EXPECT_EQ(object({file("two.toml") + ":payments"})["use"], "calls");
  EXPECT_EQ(object({file("two.toml") + ":nightly"})["use"], "commands");
  EXPECT_EQ(object({"--policy", file("two.toml") + ":payments"})["use"], "commands");
  EXPECT_THAT(text({file("two.toml") + ":payments"}), HasSubstr("breaker          opens after 5 failures"));
  EXPECT_THAT(text({file("two.toml") + ":nightly"}),
              HasSubstr("For commands\n  tried again      75,SIGSEGV\n  never            2\n"));
}

TEST_F(explain, lays_flags_over_the_file) {
  const json got = object({file("two.toml") + ":payments", "--max-attempts", "2"});
  EXPECT_EQ(got["max_attempts"], 2);
  EXPECT_EQ(got["deadline_seconds"], 10);
}

TEST_F(explain, takes_the_only_policy_and_the_default_one_without_a_name) {
  EXPECT_EQ(object({write("one.toml", "[policy.x]\nmax_attempts = 7\n")})["max_attempts"], 7);
  const std::string both = write("both.toml", "[policy.x]\n[policy.default]\nmax_attempts = 8\n");
  EXPECT_EQ(object({both})["max_attempts"], 8);
}

TEST_F(explain, takes_a_file_with_a_colon_in_its_name) {
  EXPECT_EQ(object({write("a:b.toml", "[policy.x]\nmax_attempts = 7\n")})["max_attempts"], 7);
  EXPECT_EQ(object({file("a:b.toml") + ":x"})["max_attempts"], 7);
}

TEST_F(explain, looks_for_a_profile_in_the_own_policy_file_first) {
  std::filesystem::create_directories(file("config/relent"));
  write("config/relent/policy.toml", "[policy.apt]\nmax_attempts = 9\n[policy.mine]\nmax_attempts = 8\n");
  EXPECT_EQ(object({"--profile", "apt"})["max_attempts"], 9);
  EXPECT_EQ(object({"--profile", "mine"})["max_attempts"], 8);
  EXPECT_EQ(refusal({"--profile", "mime"}),
            "relent explain: --profile: 'mime' is unknown: did you mean mine?\n");
}

TEST_F(explain, refuses_in_one_line_each) {
  const std::string two = file("two.toml");
  EXPECT_EQ(refusal({two}), "relent explain: " + two + " has several policies: write " + two +
                                ":NAME, one of payments, nightly\n");
  EXPECT_EQ(refusal({two + ":paymets"}),
            "relent explain: " + two + " has no policy 'paymets': it has payments, nightly\n");
  EXPECT_EQ(refusal({"--layers", "0"}), "relent explain: --layers: '0' must be at least 1\n");
  EXPECT_EQ(refusal({two + ":payments", "other.toml"}),
            "relent explain: 'other.toml': one policy at a time\n");
  EXPECT_EQ(refusal({two + ":payments", "--profile", "apt"}),
            "relent explain: one policy at a time: give a file, --policy or --profile\n");
  EXPECT_EQ(refusal({"--base", "5"}), "relent explain: --base: '5' has no unit: write 250ms, 10s or 2m\n");
  EXPECT_THAT(refusal({file("absent.toml")}), HasSubstr(file("absent.toml")));
}

TEST_F(explain, tells_the_place_of_every_mistake_in_a_file) {
  const std::string wrong = write("wrong.toml", "[policy.x]\nmax_attempts = 0\nbase = \"1s\"\n");
  const std::string told = refusal({wrong});
  EXPECT_THAT(told, HasSubstr("relent explain: " + wrong + ":2:"));
  EXPECT_THAT(told, HasSubstr("relent explain: " + wrong + ":3:"));
}

TEST_F(explain, draws_with_ascii_unless_the_locale_has_more) {
  const std::string plain = run({"--max-attempts", "40"}, "C").out;
  for (const char c : plain) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << plain;
  EXPECT_THAT(plain, HasSubstr("------o------"));
  EXPECT_THAT(run({"--max-attempts", "40"}, "C.UTF-8").out, HasSubstr("━━━━━━●━━━━━━"));
}

/// Columns of the widest line; of a character's bytes the first one counts.
std::size_t width_of(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xc0U) == 0x80U ? 0 : 1;
    widest = std::max(widest, width);
  }
  return widest;
}

TEST_F(explain, keeps_to_100_columns) {
  const std::string wild = write("w.toml", R"([policy.w]
max_attempts = 4294967295
attempt_timeout = "1m"
deadline = "2345678h"
backoff = { base = "1234567ms", cap = "1234567h", jitter = "none" }
retry_on = ["unreachable", "not_processed", "reset", "timeout", "rate_limited", "unknown", "rejected"]
budget = { kind = "none" }
)");
  const finished end = run({wild, "--layers", "100"}, "C.UTF-8");
  ASSERT_TRUE(end.exited_with(0)) << end.err;
  EXPECT_LE(width_of(end.out), 100U) << end.out;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--max-attempts", "4294967295", "--deadline", "none", "--layers", "100"},
           {"--max-attempts", "1000", "--deadline", "10s", "--attempt-timeout", "9s", "--jitter", "none"},
           {"--delays", "1s,2s,3s,4s,5s,6s,7s,8s,9s,10s,11s,12s,13s,14s,15s,16s", "--deadline", "5s"},
           {file("two.toml") + ":payments", "--layers", "3"}})
    EXPECT_LE(width_of(run(words, "C.UTF-8").out), 100U) << run(words).out;
}

TEST_F(explain, has_the_numbers_as_json) {
  const json got = object({"--max-attempts", "3", "--base", "1s", "--jitter", "none", "--deadline", "10s",
                           "--attempt-timeout", "4s", "--layers", "2"});
  EXPECT_EQ(got["source"], "the defaults of relent run");
  EXPECT_EQ(got["use"], "commands");
  EXPECT_EQ(got["max_attempts"], 3);
  EXPECT_EQ(got["deadline_seconds"], 10);
  EXPECT_EQ(got["attempt_timeout_seconds"], 4);
  const json two_seconds{{"earliest_seconds", 2}, {"mean_seconds", 2}, {"latest_seconds", 2}};
  const json three_seconds{{"earliest_seconds", 3}, {"mean_seconds", 3}, {"latest_seconds", 3}};
  const json last{{"retry", 2}, {"wait", two_seconds}, {"total", three_seconds}};
  ASSERT_EQ(got["schedule"]["rows"].size(), 2U);
  EXPECT_EQ(got["schedule"]["rows"][1], last);
  EXPECT_EQ(got["schedule"]["last"], last);
  EXPECT_EQ(got["schedule"]["mean_is_exact"], true);
  EXPECT_EQ(got["time"], (json{{"waits_seconds", 3},
                               {"with_time_outs_seconds", 15},
                               {"server_wait_seconds", 0},
                               {"worst_seconds", 10},
                               {"certain_attempts", 3},
                               {"certain_attempts_with_time_outs", 2}}));
  const json& load = got["load"];
  EXPECT_TRUE(load["budget_burst"].is_null());
  EXPECT_EQ(load["layers"], 2);
  EXPECT_EQ(load["amplification"], 9);
  ASSERT_EQ(load["at_fault_rates"].size(), 4U);
  EXPECT_EQ(
      load["at_fault_rates"][2],
      (json{{"fault_rate", 0.5}, {"attempts_per_call_without_budget", 1.75}, {"attempts_per_call", 1.75}}));
  std::vector<std::string> ids;
  for (const json& each : got["warnings"]) {
    ids.push_back(each["id"]);
    for (const char* field : {"message", "arithmetic", "mend"}) EXPECT_NE(each[field], "") << field;
  }
  EXPECT_THAT(ids, testing::ElementsAre("time_outs_pass_deadline", "layers_multiply", "no_jitter"));
}

TEST_F(explain, has_null_for_what_is_without_limit) {
  const json got = object({"--deadline", "none"});
  EXPECT_TRUE(got["deadline_seconds"].is_null());
  EXPECT_TRUE(got["time"]["worst_seconds"].is_null());
  EXPECT_TRUE(got["time"]["certain_attempts_with_time_outs"].is_null());
}

TEST_F(explain, agrees_with_a_dry_run) {
  const std::vector<std::string> flags{"--max-attempts", "4", "--base", "1s", "--attempt-timeout", "3s"};
  std::vector<std::string> words{"run", "--dry-run"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"--", "touch", file("never")});
  const finished end = run_tool(words, [] { ::setenv("LC_ALL", "C", 1); });
  EXPECT_TRUE(end.exited_with(0)) << end.err;
  EXPECT_EQ(end.out, text(flags) + "\nNothing was run: touch " + file("never") + "\n");
  EXPECT_FALSE(std::filesystem::exists(file("never")));
}

TEST_F(explain, ends_with_125_if_its_answer_gets_lost) {
  const finished end = run_tool({"explain"}, [] { ::close(STDOUT_FILENO); });
  EXPECT_TRUE(end.exited_with(125)) << end.status;
}

}  // namespace
