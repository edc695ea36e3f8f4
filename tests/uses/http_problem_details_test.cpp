// SPDX-License-Identifier: Apache-2.0
// Problem details: what is taken from a body, and that no body does harm.
#include <relent/http/problem_details.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace {

using namespace relent::http;
using std::string_literals::operator""s;

constexpr std::string_view json = "application/problem+json";

struct body_row {
  const char* id;
  std::string body;
  std::optional<problem_details> read;
  friend void PrintTo(const body_row& row, std::ostream* out) { *out << row.id; }
};

class problem_body : public testing::TestWithParam<body_row> {};

TEST_P(problem_body, is_read) {
  const auto read = parse_problem_details(json, GetParam().body);
  ASSERT_EQ(read.has_value(), GetParam().read.has_value());
  if (!read) return;
  EXPECT_EQ(read->type, GetParam().read->type);
  EXPECT_EQ(read->title, GetParam().read->title);
  EXPECT_EQ(read->detail, GetParam().read->detail);
  EXPECT_EQ(read->instance, GetParam().read->instance);
  EXPECT_EQ(read->status, GetParam().read->status);
}

constexpr auto none = std::nullopt;
problem_details titled(std::string title) { return {.title = std::move(title)}; }
problem_details with_status(std::optional<int> status) { return {.status = status}; }

INSTANTIATE_TEST_SUITE_P(
    bodies, problem_body,
    testing::Values(
        body_row{
            "complete",
            R"({"type":"https://example.com/out","title":"Out","status":503,"detail":"Soon","instance":"/1"})",
            problem_details{"https://example.com/out", "Out", "Soon", "/1", 503}},
        body_row{"empty_object", "{}", problem_details{}},
        body_row{"of_blanks_and_lines", " \r\n{ \"title\" :\t\"a\" }\n", titled("a")},
        body_row{"others_are_ignored", R"({"balance":30,"accounts":["/a","/b"],"x":{"y":null},"title":"a"})",
                 titled("a")},
        body_row{"inner_members_are_not_ours",
                 R"({"inner":{"title":"b","status":404},"list":[{"type":"c"}]})", problem_details{}},
        body_row{"names_after_inner_objects", R"({"inner":{"x":1},"title":"a"})", titled("a")},
        body_row{"strings_in_a_list_named_so", R"({"title":["a"],"status":[404]})", problem_details{}},
        body_row{"wrong_types", R"({"type":1,"title":null,"detail":{},"instance":true,"status":"503"})",
                 problem_details{}},
        body_row{"names_in_other_letters", R"({"Title":"a","STATUS":503})", problem_details{}},
        body_row{"status_100", R"({"status":100})", with_status(100)},
        body_row{"status_599", R"({"status":599})", with_status(599)},
        body_row{"status_99", R"({"status":99})", problem_details{}},
        body_row{"status_600", R"({"status":600})", problem_details{}},
        body_row{"status_negative", R"({"status":-503})", problem_details{}},
        body_row{"status_fraction", R"({"status":503.5})", problem_details{}},
        body_row{"status_of_40_digits", R"({"status":5030000000000000000000000000000000000000})",
                 problem_details{}},
        body_row{"escapes", R"({"title":"\u00e4\n\"\ud83d\ude00"})", titled("\xc3\xa4\n\"\xf0\x9f\x98\x80")},
        body_row{"nul_escaped", R"({"title":"a\u0000b"})", titled("a\0b"s)},
        body_row{"member_twice_counts_the_last", R"({"title":"a","title":"b"})", titled("b")},
        body_row{"empty", "", none}, body_row{"blank", "  ", none},
        body_row{"list", R"([{"title":"a"}])", none}, body_row{"text", R"("title")", none},
        body_row{"number", "503", none}, body_row{"null", "null", none},
        body_row{"html", "<html><title>503</title></html>", none},
        body_row{"cut_short", R"({"title":"a)", none},
        body_row{"cut_short_after_a_member", R"({"title":"a",)", none},
        body_row{"more_after_it", R"({}{})", none}, body_row{"comment", R"({/* no */})", none},
        body_row{"trailing_comma", R"({"title":"a",})", none},
        body_row{"nul_bytes", "{\"title\":\"a\0b\"}"s, none}, body_row{"lonely_nul", "\0"s, none},
        body_row{"not_utf_8", "{\"title\":\"\xff\xfe\"}", none},
        body_row{"half_a_surrogate", R"({"title":"\ud800"})", none},
        body_row{"number_beyond_all", R"({"title":"a","x":1e999999})", none}),
    [](const auto& info) { return std::string(info.param.id); });

TEST(problem_type, is_known_whatever_its_parameters_and_letters) {
  for (const char* type :
       {"application/problem+json", "Application/Problem+JSON", "application/problem+json; charset=utf-8",
        " application/problem+json ;x=\"a;b\""}) {
    EXPECT_TRUE(is_problem_json(type)) << type;
    EXPECT_TRUE(parse_problem_details(type, "{}")) << type;
  }
  for (const char* type : {"", "application/json", "application/problem+xml", "application/problem+jsonx",
                           "text/html", ";application/problem+json", "application/problem +json"}) {
    EXPECT_FALSE(is_problem_json(type)) << type;
    EXPECT_FALSE(parse_problem_details(type, "{}")) << type;
  }
}

TEST(problem_bodies, of_any_depth_do_no_harm) {
  constexpr std::size_t half = max_problem_body / 2 - 16;
  const std::string deep = R"({"x":)" + std::string(half, '[') + std::string(half, ']') + R"(,"title":"a"})";
  const auto read = parse_problem_details(json, deep);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->title, "a");
  EXPECT_FALSE(parse_problem_details(json, std::string(max_problem_body, '[')));
  EXPECT_FALSE(parse_problem_details(json, R"({"x":)" + std::string(max_problem_body - 8, '[')));
  std::string objects;
  while (objects.size() < max_problem_body - 8) objects += R"({"x":)";
  EXPECT_FALSE(parse_problem_details(json, objects));
}

TEST(problem_bodies, are_read_up_to_their_limit) {
  const std::string frame = R"({"title":""})";
  std::string body = R"({"title":")" + std::string(max_problem_body - frame.size(), 'a') + R"("})";
  ASSERT_EQ(body.size(), max_problem_body);
  EXPECT_TRUE(parse_problem_details(json, body));
  EXPECT_FALSE(parse_problem_details(json, body + " "));
}

// Every prefix of a good body, and every body with one byte changed.
TEST(problem_bodies, that_are_damaged_do_no_harm) {
  const std::string body = R"({"type":"t","status":503,"x":[1,{"y":null}],"title":"\u00e4"})";
  for (std::size_t size = 0; size < body.size(); ++size)
    EXPECT_FALSE(parse_problem_details(json, std::string_view(body).substr(0, size))) << size;
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = body;
      damaged[at] = static_cast<char>(byte);
      const auto read = parse_problem_details(json, damaged);
      if (read && read->status) {
        EXPECT_TRUE(*read->status >= 100 && *read->status <= 599) << damaged;
      }
    }
  }
}

}  // namespace
