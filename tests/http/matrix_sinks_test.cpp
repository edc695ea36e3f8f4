// SPDX-License-Identifier: Apache-2.0
// A body that was cut short is a fault: whoever takes the answer gets no byte of it.
#include <relent/curl/client.hpp>
#include <relent/testing/fault_server.hpp>

#include <gtest/gtest.h>

#include <string>

#include "matrix_patience.hpp"
#include "scratch_folder.hpp"

namespace {

using namespace relent;
using namespace std::chrono_literals;
using curl::client;
using curl::request;
using curl::response;
using relent::test::scratch_folder;
using relent::testing::fault_server;

/// A body of which the client can see that it is not whole.
struct cut {
  const char* name;
  const char* step;
};

constexpr cut cuts[] = {
    {"closed", "close(after=30KB, body=200KB)"},
    {"closed_before_its_first_byte", "close(after=0B, body=200KB)"},
    {"reset", "reset(after=30KB, body=200KB)"},
    {"chunks_that_end_early", "close(after=30KB, body=200KB, framing=chunked)"},
    {"chunks_that_are_reset", "reset(after=30KB, body=200KB, framing=chunked)"},
    {"a_chunk_that_is_none", "malformed=chunk"},
    {"a_stall", "stall(after=30KB, body=200KB)"},
    {"reset_without_a_length", "reset(after=30KB, body=200KB, framing=close)"},
};

class body_cut_by : public ::testing::TestWithParam<cut> {
 protected:
  static std::string always() { return GetParam().step; }
  static std::string once() { return always() + ", 200(body=\"the whole of it\")"; }
  static curl::client_options impatient_options() {
    return {.dependency = {.policy = policy{{.max_attempts = 2,
                                             .deadline = 60s,
                                             .attempt_timeout = 400ms * test::patience,
                                             .backoff = {.base = 1ms, .cap = 2ms},
                                             .retry_on = default_retry_on.with(fault_kind::unknown)}}}};
  }
  scratch_folder folder;
};

TEST_P(body_cut_by, is_not_in_the_response) {
  const fault_server server({.scripts = {once()}});
  client asks(impatient_options());
  const response got = asks.get(server.url());
  EXPECT_TRUE(got.ok()) << got.what();
  EXPECT_EQ(got.body, "the whole of it");
  EXPECT_FALSE(got.body_is_cut);
  EXPECT_EQ(got.report.attempts, 2U);
}

TEST_P(body_cut_by, is_marked_as_cut_when_it_is_all_there_is) {
  const fault_server server({.scripts = {always()}});
  client asks(impatient_options());
  const response got = asks.get(server.url());
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(got.stop(), stop_reason::attempts);
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(got.body_is_cut);
}

TEST_P(body_cut_by, leaves_a_file_as_it_was_or_puts_the_whole_one_there) {
  const fault_server server({.scripts = {"/never: " + always(), "/later: " + once()}});
  folder.write("file", "as it was");
  client asks(impatient_options());
  request what{.url = server.url("/never")};
  what.sink = curl::file_sink(folder.path("file"));
  EXPECT_FALSE(asks.send(what).ok());
  what.sink = nullptr;
  EXPECT_EQ(folder.read("file"), "as it was");
  EXPECT_EQ(folder.size(), 1) << "nothing is left beside it";

  what.url = server.url("/later");
  what.sink = curl::file_sink(folder.path("file"));
  EXPECT_TRUE(asks.send(what).ok());
  EXPECT_EQ(folder.read("file"), "the whole of it");
  what.sink = nullptr;
  EXPECT_EQ(folder.size(), 1);
}

TEST_P(body_cut_by, reaches_nobody_through_a_spool) {
  const fault_server server({.scripts = {"/never: " + always(), "/later: " + once()}});
  client asks(impatient_options());
  std::string taken;
  request what{.url = server.url("/never")};
  what.sink = curl::spooled_sink([&](std::string_view bytes) { taken += bytes; });
  EXPECT_FALSE(asks.send(what).ok());
  EXPECT_EQ(taken, "");

  what.url = server.url("/later");
  what.sink = curl::spooled_sink([&](std::string_view bytes) { taken += bytes; });
  EXPECT_TRUE(asks.send(what).ok());
  EXPECT_EQ(taken, "the whole of it");
}

INSTANTIATE_TEST_SUITE_P(cuts, body_cut_by, ::testing::ValuesIn(cuts),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(body_of_a_failure, reaches_no_sink) {
  const fault_server server({.scripts = {"503(body=\"sorry\"), 200(body=good)"}});
  client asks({.dependency = {.policy = policy{{.backoff = {.base = 1ms}}}}});
  std::string taken;
  request what{.url = server.url()};
  what.sink = curl::spooled_sink([&](std::string_view bytes) { taken += bytes; });
  EXPECT_TRUE(asks.send(what).ok());
  EXPECT_EQ(taken, "good");
}

TEST(body_that_is_whole, reaches_the_sink_even_if_it_is_empty) {
  const fault_server server({.scripts = {"/a: 204", "/b: 200(body=0B)"}});
  const scratch_folder folder;
  client asks;
  for (const char* path : {"/a", "/b"}) {
    folder.write("file", "as it was");
    request what{.url = server.url(path)};
    what.sink = curl::file_sink(folder.path("file"));
    EXPECT_TRUE(asks.send(what).ok()) << path;
    EXPECT_EQ(folder.read("file"), "") << path;
  }
}

}  // namespace
