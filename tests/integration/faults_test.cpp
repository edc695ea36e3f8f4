// SPDX-License-Identifier: Apache-2.0
// `relent faults` as a process: it tells where it listens, serves what its scripts say, and counts. What the scripts
// mean is tested with the server itself.
#include "tool_process.hpp"

#include <cli/http/faults_counts.hpp>
#include <cli/http/faults_order.hpp>
#include <cli/man_page.hpp>
#include <cli/markup.hpp>
#include <cli/pages/pages.hpp>
#include <src/fault_server/step_words.hpp>

#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

/// A server that listens. What it writes to stdout comes through a pipe of the test's, which can thus read the
/// address while the server runs.
class running_server {
 public:
  explicit running_server(const std::vector<std::string>& words) {
    ::setenv("no_proxy", "*", 1);  // NOLINT(concurrency-mt-unsafe): for the clients of this test
    std::vector<std::string> all{"faults"};
    all.insert(all.end(), words.begin(), words.end());
    tool_ = std::make_unique<tool_process>(all, [this] { ::dup2(out_.writer(), STDOUT_FILENO); });
    out_.close_writer();
    char c = 0;
    while (::read(out_.reader(), &c, 1) == 1 && c != '\n') url_ += c;
  }

  const std::string& url() const { return url_; }
  std::string port() const { return url_.substr(url_.rfind(':') + 1); }
  tool_process& tool() { return *tool_; }

  /// Ends it. `out` is what it wrote to stdout after the address.
  finished end(int signal = SIGTERM) {
    tool_->signal(signal);
    std::string rest = out_.read_all();
    finished result = tool_->finish();
    result.out = std::move(rest);
    return result;
  }

 private:
  pipe_pair out_;
  std::unique_ptr<tool_process> tool_;
  std::string url_;
};

/// Five attempts without a wait to speak of.
relent::curl::client_options impatient() {
  return {.dependency = {.policy = {{.max_attempts = 5, .backoff = {.base = relent::duration{1}}}}}};
}

TEST(faults, serves_its_script_and_tells_at_the_end_what_came) {
  running_server server({"503*2, 200(body=done)"});
  EXPECT_THAT(server.url(), MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+"));
  relent::curl::client client(impatient());
  EXPECT_EQ(client.get(server.url() + "/report?day=1").body, "done");
  EXPECT_EQ(client.post_with_key(server.url() + "/pay", "{}", "application/json").status, 200);
  const finished end = server.end();
  EXPECT_TRUE(end.exited_with(0)) << end.status;
  EXPECT_EQ(end.out, "");
  EXPECT_THAT(
      lines_of(end.err),
      ElementsAre("relent: listening on " + server.url(), MatchesRegex("KEY +ATTEMPTS  EXECUTIONS  ANSWERED"),
                  MatchesRegex("/report +3 +1 +3"), MatchesRegex("[0-9a-f-]+ +3 +1 +3"),
                  MatchesRegex("all +6 +2 +6")));
}

TEST(faults, ends_with_zero_by_each_signal_that_says_so) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    running_server server({"200"});
    const finished end = server.end(signal);
    EXPECT_TRUE(end.exited_with(0)) << signal;
    EXPECT_THAT(end.err, HasSubstr("no requests came\n"));
  }
}

TEST(faults, ends_at_once_whatever_hangs) {
  running_server server({"stall"});
  relent::curl::client client(
      {.dependency = {.policy = {{.max_attempts = 1, .attempt_timeout = std::chrono::milliseconds{50}}}}});
  EXPECT_FALSE(client.get(server.url() + "/").ok());
  EXPECT_TRUE(server.end().exited_with(0));
}

TEST(faults, prints_the_counts_as_json_when_asked) {
  running_server server({"--json", "/pay: reset, 200"});
  relent::curl::client client(impatient());
  EXPECT_EQ(client.put(server.url() + "/pay", "5", "text/plain").status, 200);
  const finished end = server.end();
  const nlohmann::json counts = nlohmann::json::parse(end.out);
  EXPECT_EQ(counts["keys"]["/pay"]["attempts"], 2);
  EXPECT_EQ(counts["keys"]["/pay"]["executions"], 2);
  EXPECT_EQ(end.err, "relent: listening on " + server.url() + "\n");
}

TEST(faults, speaks_tls_with_a_certificate_that_a_client_can_trust) {
  const scratch_folder folder;
  running_server server({"--tls", "--cert-out", folder.file("server.pem")});
  EXPECT_THAT(server.url(), StartsWith("https://"));
  relent::curl::client client({.ca_file = folder.file("server.pem")});
  EXPECT_EQ(client.get(server.url() + "/").status, 200);
  EXPECT_THAT(server.end().err,
              HasSubstr("relent: its certificate is in " + folder.file("server.pem") + "\n"));
  EXPECT_THAT(read_file(folder.file("server.pem")), StartsWith("-----BEGIN CERTIFICATE-----"));
}

TEST(faults, ends_by_itself_after_a_time) {
  const finished end = run_tool({"faults", "--for", "10ms", "--quiet", "200"});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_THAT(end.out, MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+\n"));
  EXPECT_EQ(end.err, "");
}

TEST(faults, says_that_a_port_is_in_use) {
  running_server server({"200"});
  const finished end = run_tool({"faults", "--listen", server.port(), "200"});
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_EQ(end.err, "relent faults: --listen: 127.0.0.1:" + server.port() +
                         " is in use: write another port, or 0 for a free one\n");
}

TEST(faults, says_when_the_address_cannot_be_told) {
  const finished end = run_tool({"faults", "200"}, [] { ::close(STDOUT_FILENO); });
  EXPECT_TRUE(end.exited_with(125));
  EXPECT_THAT(end.err, HasSubstr("relent faults: stdout: the address cannot be written\n"));
}

TEST(faults, checks_scripts_without_serving) {
  const finished end = run_tool({"faults", "--check", "/a: 503*2, 200", "outage=1s..2s"});
  EXPECT_TRUE(end.exited_with(0));
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(end.err, "relent: the scripts are right\n");
}

TEST(faults, takes_words_behind_a_separator_for_scripts) {
  EXPECT_EQ(run_tool({"faults", "--check", "--", "200"}).err, "relent: the script is right\n");
  EXPECT_THAT(run_tool({"faults", "--check", "--", "--tls"}).err, HasSubstr("script 1:1:"));
}

struct wrong_call {
  const char* id;
  std::vector<std::string> words;
  std::string told;  ///< the beginning of stderr, without "relent faults: "
  friend void PrintTo(const wrong_call& row, std::ostream* out) { *out << row.id; }
};

class faults_refused : public testing::TestWithParam<wrong_call> {};

TEST_P(faults_refused, in_so_many_words) {
  std::vector<std::string> words{"faults"};
  words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
  const finished end = run_tool(words);
  EXPECT_TRUE(end.exited_with(125)) << end.status;
  EXPECT_THAT(end.err, StartsWith("relent faults: " + GetParam().told));
  EXPECT_EQ(end.out, "");
}

const wrong_call wrong_calls[] = {
    {"misspelt_option",
     {"503(tetry-after=2)"},
     "script 1:5: 'tetry-after' is no option of a step: did you mean retry-after?\n"},
    {"second_script", {"200", "/a: 20"}, "script 2:5: "},
    {"every_problem",
     {"resett", "20"},
     "script 1:1: 'resett' is no step: did you mean reset?\nrelent faults: script 2:1: "},
    {"tls_only", {"unclean"}, "script 1:1: "},
    {"no_address",
     {"--listen", "example.com:80"},
     "--listen: 'example.com:80' has no IP address: write 127.0.0.1:8080 or [::1]:8080\n"},
    {"no_port",
     {"--listen", "127.0.0.1:http"},
     "--listen: '127.0.0.1:http': the port is 'http', and has to be from 0 to 65535\n"},
    {"large_port",
     {"-l", "65536"},
     "--listen: '65536': the port is '65536', and has to be from 0 to 65535\n"},
    {"certificate_of_nothing",
     {"--cert-out", "x.pem"},
     "--cert-out: without --tls there is no certificate\n"},
    {"certificate_nowhere",
     {"--tls", "--cert-out", "/nowhere/x.pem"},
     "--cert-out: /nowhere/x.pem: No such file or directory\n"},
    {"no_time", {"--for", "0s"}, "--for: '0s' must be above zero\n"},
    {"no_unit", {"--for", "5"}, "--for: '5' has no unit: write 250ms, 10s or 2m\n"},
    {"no_idle_time", {"--idle-timeout", "0s"}, "--idle-timeout: '0s' must be above zero\n"},
    {"nothing_to_check",
     {"--check"},
     "--check: no script: write it in quotes, as in relent faults --check '503*2, 200'\n"},
    {"unknown_flag", {"--sed", "1"}, "--sed: unknown flag; did you mean --seed?\n"},
};

INSTANTIATE_TEST_SUITE_P(wrong, faults_refused, testing::ValuesIn(wrong_calls),
                         [](const auto& info) { return std::string(info.param.id); });

TEST(faults, guesses_that_quotes_are_missing) {
  const finished end = run_tool({"faults", "503*2,", "200"});
  EXPECT_THAT(
      end.err,
      HasSubstr("relent faults: a script with a blank in it is one word only in quotes: '503*2, 200'\n"));
}

struct written_place {
  const char* id;
  std::string text;
  std::string address;
  std::uint16_t port;
  bool only_here;
  friend void PrintTo(const written_place& row, std::ostream* out) { *out << row.id; }
};

class faults_listen : public testing::TestWithParam<written_place> {};

TEST_P(faults_listen, is_understood) {
  using namespace relent::cli;
  std::vector<std::string> problems;
  const page about = faults_page();
  const flag_values values = flag_reader(about.groups).read({"--listen", GetParam().text}, problems);
  const faults_order order = read_faults_order(values, problems);
  EXPECT_THAT(problems, testing::IsEmpty());
  EXPECT_EQ(order.server.address, GetParam().address);
  EXPECT_EQ(order.server.port, GetParam().port);
  EXPECT_EQ(order.only_here, GetParam().only_here);
}

const written_place places[] = {
    {"both", "127.0.0.1:8080", "127.0.0.1", 8080, true},
    {"port", "8080", "127.0.0.1", 8080, true},
    {"colon_port", ":8080", "127.0.0.1", 8080, true},
    {"address", "127.0.0.2", "127.0.0.2", 0, true},
    {"name", "localhost:1", "127.0.0.1", 1, true},
    {"six", "[::1]:8080", "::1", 8080, true},
    {"six_alone", "::1", "::1", 0, true},
    {"six_in_brackets", "[::1]", "::1", 0, true},
    {"everybody", "0.0.0.0:80", "0.0.0.0", 80, false},
    {"everybody_six", "[::]:80", "::", 80, false},
    {"another", "192.0.2.1", "192.0.2.1", 0, false},
};

INSTANTIATE_TEST_SUITE_P(places, faults_listen, testing::ValuesIn(places),
                         [](const auto& info) { return std::string(info.param.id); });

TEST(faults_table, has_a_column_for_what_there_is_and_a_row_for_those_asked_for_most) {
  nlohmann::json all{{"keys", nlohmann::json::object()}};
  const auto counts = [](int attempts, int rejected) {
    return nlohmann::json{{"attempts", attempts}, {"executions", 1},       {"bodies_complete", attempts},
                          {"body_bytes", 0},      {"bodies_different", 0}, {"answered", attempts},
                          {"rejected", rejected}, {"conflicts", 0},        {"replayed", 0},
                          {"dropped", 0}};
  };
  for (int i = 1; i <= 25; ++i) all["keys"]["/" + std::to_string(i)] = counts(i, i == 1 ? 7 : 0);
  all["keys"]["/\x1b[31m" + std::string(40, 'x')] = counts(99, 0);
  all["totals"] = counts(424, 7);
  const std::vector<std::string> lines = lines_of(relent::cli::counts_table(all.dump()));
  ASSERT_EQ(lines.size(), 22U);
  EXPECT_THAT(lines[0], MatchesRegex("KEY +ATTEMPTS  EXECUTIONS  ANSWERED  REJECTED"));
  EXPECT_THAT(lines[1], MatchesRegex("/\\?\\[31mx{31}\\.\\.\\. +99 +1 +99 +0"));
  EXPECT_THAT(lines[2], MatchesRegex("/25 +25 +1 +25 +0"));
  EXPECT_THAT(lines[20], MatchesRegex("\\(7 others\\) +28 +7 +28 +7"));
  EXPECT_THAT(lines[21], MatchesRegex("all +424 +1 +424 +7"));
}

/// The terms of the lists in a section of the page.
std::vector<std::string> terms_of(std::string_view heading) {
  using namespace relent::cli;
  std::vector<std::string> terms;
  for (const page_section& section : faults_page().sections)
    if (section.heading == heading)
      for (const block& part : blocks_of(section.text))
        for (const definition& each : part.terms) terms.push_back(each.term);
  return terms;
}

bool can_be_tried(const std::string& script) {
  try {
    relent::testing::check_fault_scripts({script}, true);
    return true;
  } catch (const relent::testing::fault_script_error&) {
    return false;
  }
}

/// What stands between commas with a blank behind them.
std::vector<std::string> alternatives_in(const std::string& term) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t comma = term.find(", ", at);
    parts.push_back(term.substr(at, comma - at));
    at = comma == std::string::npos ? comma : comma + 2;
  }
  return parts;
}

TEST(faults_page, shows_nothing_that_cannot_be_tried) {
  for (const char* heading : {"Script language", "Steps", "Rules for the whole server"}) {
    const std::vector<std::string> terms = terms_of(heading);
    EXPECT_GT(terms.size(), 2U) << heading;
    for (const std::string& term : terms)
      EXPECT_TRUE(can_be_tried(term) || std::ranges::all_of(alternatives_in(term), can_be_tried)) << term;
  }
  EXPECT_GT(terms_of("Options of a step").size(), 10U);
  for (const std::string& term : terms_of("Options of a step"))
    for (const std::string& option : alternatives_in(term))
      EXPECT_TRUE(can_be_tried("200(" + option + ")")) << option;
}

TEST(faults_page, has_every_step_that_the_server_knows) {
  std::string steps;
  for (const std::string& term : terms_of("Steps")) steps += term + "\n";
  for (const relent::testing::faults::step_word& each : relent::testing::faults::words)
    EXPECT_THAT(steps, HasSubstr(std::string(each.name)));
}

}  // namespace
