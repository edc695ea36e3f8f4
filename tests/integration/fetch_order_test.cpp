// SPDX-License-Identifier: Apache-2.0
// What the command line of `relent fetch` comes to, without a server. What is sent is in fetch_request_test.cpp.
#include "tool_process.hpp"

#include <cli/http/fetch_order.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace relent::cli;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct read_words {
  std::vector<std::string> problems;
  fetch_order order;

  explicit read_words(const std::vector<std::string>& words) {
    const flag_values values = fetch_flag_reader().read(words, problems);
    order = read_fetch_order(values, {}, problems);
  }
};

const relent::policy_options& rules(const read_words& read) { return read.order.rules.policy.options(); }

TEST(fetch_flags, keep_the_meaning_that_people_know) {
  const read_words read({"-sSfL", "-XDELETE", "-HA: b", "-H", "C;", "-ofile", "-A", "me", "http://a/x"});
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_TRUE(read.order.silent);
  EXPECT_TRUE(read.order.show_error);
  EXPECT_EQ(read.order.connection.max_redirects, 50U);
  EXPECT_EQ(read.order.request.method, "DELETE");
  EXPECT_EQ(read.order.request.headers, (relent::http::header_list{{"A", "b"}, {"C", ""}}));
  EXPECT_EQ(read.order.output.file, "file");
  EXPECT_EQ(read.order.request.user_agent, "me");
}

TEST(fetch_flags, have_defaults_of_their_own) {
  const read_words read({"http://a"});
  EXPECT_EQ(rules(read).max_attempts, 3U);
  EXPECT_EQ(rules(read).deadline, relent::optional<relent::duration>(1h));
  EXPECT_EQ(read.order.connection.stall_seconds, 60U);
  EXPECT_EQ(read.order.request.method, "GET");
  EXPECT_EQ(read.order.source, "the defaults of relent fetch");
  EXPECT_THAT(read.order.warnings, IsEmpty());
}

struct retry_row {
  const char* id;
  std::vector<std::string> words;
  std::function<bool(const relent::policy_options&)> holds;
  const char* warning;  ///< null: none
  friend void PrintTo(const retry_row& row, std::ostream* out) { *out << row.id; }
};

class retry_family : public testing::TestWithParam<retry_row> {};

TEST_P(retry_family, is_a_policy) {
  std::vector<std::string> words = GetParam().words;
  words.emplace_back("http://a");
  const read_words read(words);
  EXPECT_THAT(read.problems, IsEmpty());
  EXPECT_TRUE(GetParam().holds(rules(read)));
  if (GetParam().warning == nullptr)
    EXPECT_THAT(read.order.warnings, IsEmpty());
  else
    EXPECT_THAT(read.order.warnings, ElementsAre(HasSubstr(GetParam().warning)));
}

using options = relent::policy_options;

INSTANTIATE_TEST_SUITE_P(
    table, retry_family,
    testing::Values(
        retry_row{"retry", {"--retry", "5"}, [](const options& o) { return o.max_attempts == 6; }, nullptr},
        retry_row{"retry_0", {"--retry", "0"}, [](const options& o) { return o.max_attempts == 1; }, nullptr},
        retry_row{"delay",
                  {"--retry-delay", "4"},
                  [](const options& o) {
                    return o.backoff.base == 4s && o.backoff.cap == 4s &&
                           o.backoff.jitter == relent::jitter::equal &&
                           o.backoff.growth == relent::growth::constant;
                  },
                  "waits are drawn from 2s to 4s"},
        retry_row{
            "delay_by_the_book",
            {"--retry-delay", "4", "--jitter", "none"},
            [](const options& o) { return o.backoff.base == 4s && o.backoff.jitter == relent::jitter::none; },
            nullptr},
        retry_row{"delay_0",
                  {"--retry-delay", "0"},
                  [](const options& o) { return o == options{.deadline = 1h}; },
                  nullptr},
        retry_row{"max_time_of_all",
                  {"--retry-max-time", "90"},
                  [](const options& o) { return o.deadline == relent::optional<relent::duration>(90s); },
                  "everything ends after 90s"},
        retry_row{"refused",
                  {"--retry-connrefused"},
                  [](const options& o) { return o == options{.deadline = 1h}; },
                  nullptr},
        retry_row{"all_errors",
                  {"--retry-all-errors"},
                  [](const options& o) { return o == options{.deadline = 1h}; },
                  "--retry-all-errors: no effect"},
        retry_row{
            "max_time",
            {"-m2.5"},
            [](const options& o) { return o.attempt_timeout == relent::optional<relent::duration>(2500ms); },
            nullptr},
        retry_row{
            "max_time_with_unit",
            {"--max-time", "100ms"},
            [](const options& o) { return o.attempt_timeout == relent::optional<relent::duration>(100ms); },
            nullptr},
        retry_row{"max_time_0", {"-m", "0"}, [](const options& o) { return !o.attempt_timeout; }, nullptr},
        retry_row{"our_own",
                  {"--max-attempts", "4", "--deadline", "none", "--cap", "20s"},
                  [](const options& o) { return o.max_attempts == 4 && !o.deadline && o.backoff.cap == 20s; },
                  nullptr}),
    [](const auto& info) { return std::string(info.param.id); });

struct wrong_row {
  const char* id;
  std::vector<std::string> words;
  const char* problem;
  friend void PrintTo(const wrong_row& row, std::ostream* out) { *out << row.id; }
};

class wrong_words : public testing::TestWithParam<wrong_row> {};

TEST_P(wrong_words, are_refused_with_what_would_be_right) {
  EXPECT_THAT(read_words(GetParam().words).problems, ElementsAre(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    table, wrong_words,
    testing::Values(
        wrong_row{"no_address", {}, "no address: write one, as in relent fetch https://example.com/health"},
        wrong_row{"two",
                  {"http://a", "http://u:p@b?q"},
                  "'http://...@b?...': one address at a time: write a relent fetch for each"},
        wrong_row{"ftp", {"ftp://me:secret@a"}, "'ftp://...@a' is neither http nor https"},
        wrong_row{
            "pattern",
            {"http://a/{b,c}"},
            "'http://a/{b,c}': curl would make several addresses of the braces or brackets: write one, or "
            "--globoff if they stand for themselves"},
        wrong_row{"typo", {"--ouput", "x", "http://a"}, "--ouput: unknown flag; did you mean --output?"},
        wrong_row{"absent",
                  {"-F", "a=b", "http://a"},
                  "-F: is not there: use relent run --profile curl -- curl -fsS ..."},
        wrong_row{
            "absent_in_a_bundle", {"-sv", "http://a"}, "-v: is not there: --log - tells of each attempt"},
        wrong_row{"header",
                  {"-H", "Authorization Bearer xyz", "http://a"},
                  "--header: 'Authorization...' is no header: write 'Name: value'"},
        wrong_row{"user",
                  {"-u", "me", "http://a"},
                  "--user: has no password: write NAME:PASSWORD, or NAME: where it is empty"},
        wrong_row{
            "cookie_file", {"-b", "jar.txt", "http://a"}, "--cookie: reads no file: write NAME=VALUE; VALUE"},
        wrong_row{"retry_twice",
                  {"--retry", "3", "--max-attempts", "3", "http://a"},
                  "--retry: not together with --max-attempts: both say it"},
        wrong_row{"time_twice",
                  {"-m", "3", "--attempt-timeout", "3s", "http://a"},
                  "--max-time: not together with --attempt-timeout: both say it"},
        wrong_row{"seconds",
                  {"-m", "soon", "http://a"},
                  "--max-time: 'soon' is no number of seconds: write 30, 2.5 or 500ms"},
        wrong_row{"negative_seconds",
                  {"-m", "-1", "http://a"},
                  "--max-time: '-1' is not a number of seconds from 0 to 1000000000"},
        wrong_row{"stall",
                  {"--stall-timeout", "10ms", "http://a"},
                  "--stall-timeout: '10ms' must be at least 1s, or none"},
        wrong_row{"remote_name",
                  {"-O", "http://a/b/"},
                  "--remote-name: the address ends with no name of a file: write -o FILE"},
        wrong_row{"remote_dots",
                  {"-O", "http://a/b/.."},
                  "--remote-name: the address ends with no name of a file: write -o FILE"},
        wrong_row{"two_files", {"-O", "-o", "x", "http://a/b"}, "--remote-name: not together with --output"},
        wrong_row{
            "resume_to_stdout", {"--resume", "http://a"}, "--resume: needs a file: write -o FILE or -O"},
        wrong_row{"resume_post",
                  {"--resume", "-ox", "-d", "1", "http://a"},
                  "--resume: is for GET without data, and this is POST"},
        wrong_row{
            "resume_head", {"--resume", "-ox", "-i", "http://a"}, "--resume: not together with --include"},
        wrong_row{
            "two_bodies", {"-T", "-", "-d", "x", "http://a"}, "--upload-file: not together with --data"},
        wrong_row{"style",
                  {"--idempotency-key", "--idempotency-key-style", "bare", "http://a"},
                  "--idempotency-key-style: 'bare' is unknown: write quoted, raw"},
        wrong_row{"key",
                  {"--idempotency-key=a b", "http://a"},
                  "--idempotency-key: must be 1 to 255 visible ASCII characters"},
        wrong_row{"proto",
                  {"--proto", "=https", "http://a"},
                  "--proto: the address is http, and only https is allowed"},
        wrong_row{"rate",
                  {"--limit-rate", "fast", "http://a"},
                  "--limit-rate: 'fast' is no rate: write 500000, 100k or 2M"},
        wrong_row{"ca", {"--cacert", "/nowhere/x", "http://a"}, "--cacert: '/nowhere/x' cannot be read"},
        wrong_row{"log_format",
                  {"--log-format", "xml", "--log", "-", "http://a"},
                  "--log-format: 'xml' is unknown: write text, json, logfmt"},
        wrong_row{"method",
                  {"-X", "GET /", "http://a"},
                  "--request: 'GET /' is no method: write GET, POST or another word"},
        wrong_row{"redirects",
                  {"-L", "--max-redirs", "0", "http://a"},
                  "--max-redirs: '0' with --location follows none: leave --location out"}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(fetch_data, is_put_together_as_curl_does) {
  const read_words read(
      {"-d", "a=1", "--data-raw", "@b", "--data-urlencode", "c=x y", "--data-urlencode", "=&", "http://a"});
  EXPECT_EQ(read.order.request.content.bytes, "a=1&@b&c=x%20y&%26");
  EXPECT_EQ(read.order.request.method, "POST");
  EXPECT_EQ(read.order.request.headers.first("content-type"), "application/x-www-form-urlencoded");
}

TEST(fetch_data, of_a_file_is_without_its_line_ends_unless_it_is_binary) {
  const relent::test::scratch_folder folder;
  relent::test::write_file(folder.file("f"), "a\r\nb\n");
  EXPECT_EQ(read_words({"-d", "@" + folder.file("f"), "http://a"}).order.request.content.bytes, "ab");
  const read_words binary({"--data-binary", "@" + folder.file("f"), "http://a"});
  EXPECT_EQ(binary.order.request.content.is, fetch_content::kind::file);
  EXPECT_EQ(binary.order.request.content.path, folder.file("f"));
  const read_words both({"--data-binary", "@" + folder.file("f"), "--data-binary", "c", "http://a"});
  EXPECT_EQ(both.order.request.content.bytes, "a\r\nb\n&c");
}

TEST(fetch_data, is_json_with_its_headers_unless_others_are_given) {
  const read_words read({"--json", "{", "--json", "}", "http://a"});
  EXPECT_EQ(read.order.request.content.bytes, "{}");
  EXPECT_EQ(read.order.request.headers.first("content-type"), "application/json");
  EXPECT_EQ(read.order.request.headers.first("accept"), "application/json");
  const read_words other(
      {"--json", "{}", "-H", "Content-Type: application/vnd.x+json", "-H", "Accept:", "http://a"});
  EXPECT_EQ(other.order.request.headers.first("content-type"), "application/vnd.x+json");
  EXPECT_FALSE(other.order.request.headers.contains("accept"));
}

TEST(fetch_data, goes_into_the_address_by_get) {
  const read_words read({"-G", "-d", "a=1", "--data-urlencode", "b=x y", "http://a/?q"});
  EXPECT_EQ(read.order.request.address.text(), "http://a/?q&a=1&b=x%20y");
  EXPECT_EQ(read.order.request.method, "GET");
  EXPECT_FALSE(read.order.request.headers.contains("content-type"));
}

TEST(fetch_data, that_is_uploaded_gives_its_name_to_a_folder) {
  const relent::test::scratch_folder folder;
  relent::test::write_file(folder.file("f x"), "");
  const read_words read({"-T", folder.file("f x"), "http://a/up/"});
  EXPECT_EQ(read.order.request.address.text(), "http://a/up/f%20x");
  EXPECT_EQ(read.order.request.method, "PUT");
}

TEST(fetch_data, that_cannot_be_read_is_an_error_of_its_own) {
  EXPECT_THROW(read_words({"-d", "@/nowhere/x", "http://a"}), content_error);
  EXPECT_THROW(read_words({"-T", "/", "http://a"}), content_error);
}

TEST(fetch_problems, do_not_tell_what_may_be_secret) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-u", "s3cret", "http://a"},
                                                {"-H", "X s3cret", "http://a"},
                                                {"-b", "s3cret", "http://a"},
                                                {"ftp://me:s3cret@a/"},
                                                {"http://me:s3cret@a b/"},
                                                {"http://a", "http://b?key=s3cret"},
                                                {"--idempotency-key=s3cret key", "http://a"}}) {
    const read_words read(words);
    EXPECT_THAT(read.problems, Not(IsEmpty()));
    for (const std::string& problem : read.problems) EXPECT_THAT(problem, Not(HasSubstr("s3cret")));
  }
}

}  // namespace
