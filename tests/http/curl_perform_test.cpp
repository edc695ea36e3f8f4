// SPDX-License-Identifier: Apache-2.0
// perform: retries around a handle that belongs to somebody else.
#include <relent/curl/perform.hpp>
#include <relent/testing/fault_server.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>

namespace {

using namespace relent;
using namespace std::chrono_literals;
using relent::testing::fault_server;

constexpr policy quick{{.max_attempts = 3, .deadline = 20s, .backoff = {.base = 1ms, .cap = 2ms}}};

std::size_t append(char* bytes, std::size_t, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(bytes, size);
  return size;
}

class curl_perform : public ::testing::Test {
 protected:
  void to(const std::string& url) {
    curl_easy_setopt(handle(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle(), CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(handle(), CURLOPT_WRITEDATA, &body_);
  }
  CURL* handle() { return handle_.get(); }

  std::unique_ptr<CURL, void (*)(CURL*)> handle_{curl_easy_init(), &curl_easy_cleanup};
  dependency shared_{{.name = "it", .policy = quick}};
  std::string body_;
  curl::perform_options afresh_{.restart = [this](CURL*) {
    body_.clear();
    return true;
  }};
};

TEST_F(curl_perform, repeats_a_get_until_it_succeeds) {
  const fault_server server({.scripts = {"503, reset, 200(body=\"at last\")"}});
  to(server.url("/"));
  const curl::performed got = curl::perform(handle(), shared_, afresh_);
  EXPECT_TRUE(got.ok());
  EXPECT_EQ(got.code, CURLE_OK);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(body_, "at last");
  EXPECT_EQ(got.transfers.size(), 3U);
}

TEST_F(curl_perform, hears_of_the_method_from_the_handle) {
  const fault_server server({.scripts = {"reset, 200"}});
  to(server.url("/"));
  curl_easy_setopt(handle(), CURLOPT_POSTFIELDS, "42");
  const curl::performed got = curl::perform(handle(), shared_, afresh_);
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.report.stop, stop_reason::unsafe);
  EXPECT_EQ(server.counts("/").executions, 1U);
}

TEST_F(curl_perform, repeats_a_post_of_which_it_is_told_that_it_may) {
  const fault_server server({.scripts = {"reset, 200"}});
  to(server.url("/"));
  curl_easy_setopt(handle(), CURLOPT_POSTFIELDS, "42");
  afresh_.repeatable = true;
  EXPECT_TRUE(curl::perform(handle(), shared_, afresh_).ok());
  EXPECT_EQ(server.counts("/").bodies_complete, 2U);
}

TEST_F(curl_perform, stops_where_the_hook_cannot_take_back_what_was_written) {
  const fault_server server({.scripts = {"close(after=100), 200"}});
  to(server.url("/"));
  const curl::performed got = curl::perform(handle(), shared_, {.restart = [](CURL*) { return false; }});
  EXPECT_EQ(got.report.stop, stop_reason::not_replayable);
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

TEST_F(curl_perform, keeps_the_connection_from_call_to_call) {
  const fault_server server({.scripts = {"200"}});
  to(server.url("/"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(curl::perform(handle(), shared_, afresh_).ok());
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(curl_perform, keeps_the_connection_in_the_callers_multi_handle_too) {
  const fault_server server({.scripts = {"200"}});
  const std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> connections{curl_multi_init(), &curl_multi_cleanup};
  const std::stop_source stop;
  afresh_.connections = connections.get();
  afresh_.call.stop = stop.get_token();
  to(server.url("/"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(curl::perform(handle(), shared_, afresh_).ok());
  EXPECT_EQ(server.connections(), 1U);
  handle_.reset();
}

TEST_F(curl_perform, gives_each_attempt_what_is_left_of_the_time) {
  const fault_server server({.scripts = {"stall"}});
  to(server.url("/"));
  afresh_.call.deadline = 300ms;
  const curl::performed got = curl::perform(handle(), shared_, afresh_);
  EXPECT_EQ(got.code, CURLE_OPERATION_TIMEDOUT);
  EXPECT_EQ(got.fault->kind, fault_kind::timeout);
  EXPECT_EQ(got.report.stop, stop_reason::deadline);
}

}  // namespace
