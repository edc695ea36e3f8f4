// SPDX-License-Identifier: Apache-2.0
// `relent fetch` into a file: whole, or as it was; and in parts, as long as the server proves that they belong
// together.
#include "fetch_process.hpp"

#include <relent/testing/fault_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace relent::test;
using relent::testing::fault_body;
using relent::testing::fault_server;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class fetch_file : public testing::Test {
 protected:
  std::string path(const char* name = "file") const { return folder_.file(name); }
  std::string content(const char* name = "file") const { return read_file(path(name)); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator(folder_.file("")))
      found.push_back(each.path().filename().string());
    return found;
  }
  finished fetch_to_file(const std::vector<std::string>& more, const std::string& url) const {
    std::vector<std::string> words{"-o", path()};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(url);
    return fetch(words);
  }
  std::size_t size(const char* name) const {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(path(name), missing);
    return missing ? 0 : bytes;
  }
  scratch_folder folder_;
};

using fetch_resume = fetch_file;

/// Whether the process has a file open in that folder, with a name or without.
bool holds_a_file_in(pid_t pid, const std::string& folder) {
  std::error_code gone;
  for (const auto& each : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", gone))
    if (std::filesystem::read_symlink(each.path(), gone).string().starts_with(folder)) return true;
  return false;
}

TEST_F(fetch_file, gets_the_answer_and_stdout_nothing) {
  const fault_server server({.scripts = {"503(body=sorry), close(after=100,body=1000), 200(body=1000)"}});
  const finished end = fetch_to_file({}, server.url());
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(content(), fault_body(0, 1000));
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(fetch_file, stays_as_it_was_if_all_fails) {
  write_file(path(), "before");
  for (const char* script : {"404", "503", "close(after=100,body=1000)", "reset"}) {
    const fault_server server({.scripts = {script}});
    EXPECT_FALSE(fetch_to_file({}, server.url()).exited_with(0));
    EXPECT_EQ(content(), "before");
    EXPECT_THAT(names(), ElementsAre("file"));
  }
}

TEST_F(fetch_file, stays_as_it_was_if_the_tool_is_ended_in_between) {
  write_file(path(), "before");
  for (const int number : {SIGTERM, SIGKILL}) {
    const fault_server server({.scripts = {"stall(after=50000,body=100000)"}});
    tool_process tool(fetch_words({"-o", path(), server.url()}));
    ASSERT_TRUE(eventually([&] { return holds_a_file_in(tool.pid(), folder_.file("")); }));
    tool.signal(number);
    EXPECT_TRUE(tool.finish().died_of(number));
    EXPECT_EQ(content(), "before");
    EXPECT_THAT(names(), ElementsAre("file")) << number;
  }
}

TEST_F(fetch_file, keeps_its_permissions) {
  write_file(path(), "before");
  ::chmod(path().c_str(), 0640);
  const fault_server server({.scripts = {"200(body=10,etag=v1)"}});
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--resume"}}) {
    EXPECT_TRUE(fetch_to_file(flags, server.url()).exited_with(0));
    EXPECT_EQ(content(), fault_body(0, 10));
    struct stat status {};
    ::stat(path().c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777U, 0640U);
  }
}

TEST_F(fetch_file, is_named_as_the_address_ends) {
  const fault_server server({.scripts = {"200(body=10)"}});
  EXPECT_TRUE(fetch({"-O", server.url("/a/name.txt?q=1")}, [&] {
                if (::chdir(folder_.file("").c_str()) != 0) ::_exit(98);
              }).exited_with(0));
  EXPECT_EQ(content("name.txt"), fault_body(0, 10));
}

TEST_F(fetch_file, is_made_in_folders_that_there_are_not_if_told_so) {
  const fault_server server({.scripts = {"200(body=10)"}});
  EXPECT_TRUE(fetch({"-o", path("a/b/c"), server.url()}).exited_with(23));
  EXPECT_TRUE(fetch({"--create-dirs", "-o", path("a/b/c"), server.url()}).exited_with(0));
  EXPECT_EQ(content("a/b/c"), fault_body(0, 10));
}

TEST_F(fetch_file, of_a_device_is_written_to) {
  const fault_server server({.scripts = {"close(after=5,body=10), 200(body=10)"}});
  EXPECT_EQ(fetch({"-o", "/dev/stdout", server.url()}).out, fault_body(0, 10));
  EXPECT_TRUE(fetch({"-o", "/dev/null", server.url()}).exited_with(0));
}

constexpr const char* cut_five_times = "close(after=10000,body=1000000,etag=v1)*5, 200(body=1000000,etag=v1)";

TEST_F(fetch_resume, goes_on_where_the_connection_was_cut_five_times) {
  const fault_server server({.scripts = {cut_five_times}});
  const finished end = fetch_to_file({"--resume", "--max-attempts", "6"}, server.url());
  EXPECT_TRUE(end.exited_with(0)) << end.err;
  EXPECT_EQ(content(), fault_body(0, 1'000'000));
  EXPECT_EQ(server.totals().attempts, 6U);
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(fetch_resume, goes_on_where_an_earlier_run_ended) {
  write_file(path(), "before");
  const fault_server server({.scripts = {cut_five_times}});
  for (int run = 1; run <= 5; ++run) {
    const finished end = fetch_to_file({"--resume", "--retry", "0"}, server.url());
    EXPECT_TRUE(end.exited_with(18)) << end.err;
    EXPECT_EQ(content(), "before");
    EXPECT_THAT(names(), UnorderedElementsAre("file", "file.relent-part", "file.relent-part.state"));
    EXPECT_THAT(end.told().back(), HasSubstr(std::to_string(run * 10) + ".0kB of '" + path() + "' are kept"));
  }
  EXPECT_TRUE(fetch_to_file({"--resume", "--retry", "0"}, server.url()).exited_with(0));
  EXPECT_EQ(content(), fault_body(0, 1'000'000));
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(fetch_resume, goes_on_after_the_tool_was_killed) {
  const fault_server server(
      {.scripts = {"stall(after=50000,body=100000,etag=v1), 200(body=100000,etag=v1)"}});
  {
    tool_process tool(fetch_words({"--resume", "-o", path(), server.url()}));
    ASSERT_TRUE(eventually([&] { return size("file.relent-part") == 50000; }));
    tool.signal(SIGKILL);
    EXPECT_TRUE(tool.finish().died_of(SIGKILL));
  }
  EXPECT_THAT(names(), UnorderedElementsAre("file.relent-part", "file.relent-part.state"));
  EXPECT_EQ(content("file.relent-part"), fault_body(0, 50'000));
  EXPECT_TRUE(
      fetch_to_file({"--resume", "--log", path("log"), "--log-format", "json"}, server.url()).exited_with(0));
  EXPECT_EQ(content(), fault_body(0, 100'000));
  EXPECT_THAT(content("log"), HasSubstr("\"status\":206"));
  EXPECT_THAT(content("log"), HasSubstr("\"bytes_received\":50000"));
}

TEST_F(fetch_resume, begins_anew_for_another_address) {
  const recording_server first({answer(200, "01234", {"Content-Length: 10", "ETag: \"v1\""})});
  EXPECT_TRUE(fetch_to_file({"--resume", "--retry", "0"}, first.url("/a")).exited_with(18));
  const recording_server second({answer(200, "abcdefghij", {"ETag: \"v1\""})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, second.url("/a")).exited_with(0));
  EXPECT_EQ(header_in(second.request(0), "range"), "");
  EXPECT_EQ(content(), "abcdefghij");
}

const std::string first_half = answer(200, "01234", {"Content-Length: 10", "ETag: \"v1\""});

TEST_F(fetch_resume, asks_for_the_rest_on_the_condition_that_it_is_the_same) {
  const recording_server server(
      {first_half, answer(206, "56789", {"Content-Range: bytes 5-9/10", "ETag: \"v1\""})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, server.url()).exited_with(0));
  EXPECT_EQ(header_in(server.request(1), "range"), "bytes=5-");
  EXPECT_EQ(header_in(server.request(1), "if-range"), "\"v1\"");
  EXPECT_EQ(content(), "0123456789");
}

TEST_F(fetch_resume, takes_the_whole_of_a_file_that_changed) {
  const recording_server server({first_half, answer(200, "abcdef", {"ETag: \"v2\""})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, server.url()).exited_with(0));
  EXPECT_EQ(content(), "abcdef");
}

TEST_F(fetch_resume, begins_anew_without_a_strong_validator) {
  for (const char* weak : {"ETag: W/\"v1\"", "X-None: 1", "Last-Modified: Tue, 01 Dec 2026 08:00:00 GMT"}) {
    const recording_server server(
        {answer(200, "01234", {"Content-Length: 10", weak}), answer(200, "abcdefghij")});
    EXPECT_TRUE(fetch_to_file({"--resume"}, server.url()).exited_with(0));
    EXPECT_EQ(header_in(server.request(1), "range"), "") << weak;
    EXPECT_EQ(content(), "abcdefghij");
  }
  const recording_server failing({answer(200, "01234", {"Content-Length: 10"})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, failing.url()).exited_with(18));
  EXPECT_THAT(names(), ElementsAre("file")) << "what cannot be gone on with is not kept";
}

TEST_F(fetch_resume, takes_a_date_that_is_old_enough) {
  const std::string modified = "Last-Modified: Tue, 01 Dec 2026 08:00:00 GMT";
  const recording_server server(
      {answer(200, "01234", {"Content-Length: 10", modified, "Date: Tue, 01 Dec 2026 09:00:00 GMT"}),
       answer(206, "56789", {"Content-Range: bytes 5-9/10"})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, server.url()).exited_with(0));
  EXPECT_EQ(header_in(server.request(1), "if-range"), "Tue, 01 Dec 2026 08:00:00 GMT");
  EXPECT_EQ(content(), "0123456789");
}

TEST_F(fetch_resume, never_adds_a_part_that_does_not_fit) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"Content-Range: bytes 4-9/10", "ETag: \"v1\""},
        {"Content-Range: bytes 5-9/11", "ETag: \"v1\""},
        {"Content-Range: bytes 5-9/10", "ETag: \"v2\""},
        {"Content-Range: nonsense"},
        {"X-None: 1"}}) {
    const recording_server server({first_half, answer(206, "56789", wrong), answer(200, "abcdefghij")});
    const finished end = fetch_to_file({"--resume"}, server.url());
    EXPECT_TRUE(end.exited_with(0)) << wrong.front();
    EXPECT_THAT(end.told(),
                Contains("relent: --resume: the server sent another part than was asked for: asking again"));
    EXPECT_EQ(header_in(server.request(2), "range"), "");
    EXPECT_EQ(content(), "abcdefghij");
  }
}

TEST_F(fetch_resume, gives_up_on_a_server_that_only_sends_parts) {
  write_file(path(), "before");
  const recording_server server({answer(206, "56789", {"Content-Range: bytes 5-9/10", "ETag: \"v1\""})});
  const finished end = fetch_to_file({"--resume"}, server.url());
  EXPECT_TRUE(end.exited_with(33)) << end.err;
  EXPECT_EQ(content(), "before");
  EXPECT_LE(server.requests().size(), 3U);
}

TEST_F(fetch_resume, asks_again_for_what_a_part_lacks) {
  const recording_server server({first_half,
                                 answer(206, "56", {"Content-Range: bytes 5-6/10", "ETag: \"v1\""}),
                                 answer(206, "789", {"Content-Range: bytes 7-9/10", "ETag: \"v1\""})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, server.url()).exited_with(0));
  EXPECT_EQ(header_in(server.request(2), "range"), "bytes=7-");
  EXPECT_EQ(content(), "0123456789");
}

TEST_F(fetch_resume, knows_a_part_that_is_whole) {
  const recording_server server({first_half, answer(416, "", {"Content-Range: bytes */10"})});
  EXPECT_TRUE(fetch_to_file({"--resume", "--retry", "0"}, server.url()).exited_with(18));
  write_file(path("file.relent-part"), "0123456789");  // as if killed before it was put in its place
  EXPECT_TRUE(fetch_to_file({"--resume", "--retry", "0"}, server.url()).exited_with(0));
  EXPECT_EQ(header_in(server.request(1), "range"), "bytes=10-");
  EXPECT_EQ(content(), "0123456789");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(fetch_resume, begins_anew_when_the_server_has_no_such_part) {
  const recording_server server(
      {first_half, answer(416, "", {"Content-Range: bytes */3"}), answer(200, "abc", {"ETag: \"v2\""})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, server.url()).exited_with(0));
  EXPECT_EQ(content(), "abc");
}

TEST_F(fetch_resume, takes_a_part_for_whole_when_there_is_nothing_behind_it) {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n";
  const recording_server server({chunked, answer(416, "", {"Content-Range: bytes */5"})});
  EXPECT_TRUE(fetch_to_file({"--resume"}, server.url()).exited_with(0));
  EXPECT_EQ(content(), "01234");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(fetch_resume, is_one_at_a_time) {
  const fault_server server({.scripts = {"stall(after=10,body=100,etag=v1)"}});
  tool_process first(fetch_words({"--resume", "-o", path(), server.url()}));
  ASSERT_TRUE(eventually([&] { return server.totals().attempts > 0; }));
  const finished second = fetch_to_file({"--resume"}, server.url());
  EXPECT_TRUE(second.exited_with(23));
  EXPECT_THAT(second.err, HasSubstr("file.relent-part"));
}

}  // namespace
