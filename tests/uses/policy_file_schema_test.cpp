// SPDX-License-Identifier: Apache-2.0
// The JSON Schema against the reader: what one takes the other takes, as far as a schema can say it. With a
// validator for the words of JSON Schema that ours uses.
#include <relent/policy_file/policy_file.hpp>

#include "src/policy_file/toml.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <regex>
#include <string>

namespace {

using nlohmann::json;
using relent::policy_file;

// --- TOML as JSON

json json_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  if (const auto* list = node.as_array()) {
    json all = json::array();
    for (const toml::node& each : *list) all.push_back(json_of(each));
    return all;
  }
  json all = json::object();
  if (const auto* table = node.as_table())
    for (auto&& [key, value] : *table) all[std::string(key.str())] = json_of(value);
  return all;
}

// --- the validator

class validator {
 public:
  explicit validator(json schema) : root_(std::move(schema)) {}

  bool takes(const json& value) const { return takes(root_, value); }

 private:
  bool takes(const json& schema, const json& value) const {
    if (schema.is_boolean()) return schema.get<bool>();
    for (const auto& [word, argument] : schema.items())
      if (!holds(schema, word, argument, value)) return false;
    return true;
  }

  bool holds(const json& schema, const std::string& word, const json& argument, const json& value) const {
    if (word == "type") return has_type(argument.get<std::string>(), value);
    if (word == "const") return value == argument;
    if (word == "enum") return std::find(argument.begin(), argument.end(), value) != argument.end();
    if (word == "$ref")
      return takes(root_.at(json::json_pointer(argument.get<std::string>().substr(1))), value);
    if (word == "anyOf")
      return std::any_of(argument.begin(), argument.end(),
                         [&](const json& one) { return takes(one, value); });
    if (word == "allOf")
      return std::all_of(argument.begin(), argument.end(),
                         [&](const json& one) { return takes(one, value); });
    if (word == "if") return !takes(argument, value) || takes(schema.at("then"), value);
    if (value.is_number())
      return holds_for_number(word, argument.is_number() ? argument.get<double>() : 0, value);
    if (value.is_string()) return holds_for_text(word, argument, value.get<std::string>());
    if (value.is_array()) return holds_for_list(word, argument, value);
    if (value.is_object()) return holds_for_object(schema, word, argument, value);
    return is_known(word);
  }

  static bool has_type(const std::string& type, const json& value) {
    if (type == "integer") return value.is_number_integer();
    return type == (value.is_number() ? "number" : value.type_name());
  }

  static bool holds_for_number(const std::string& word, double argument, const json& value) {
    const auto number = value.get<double>();
    if (word == "minimum") return number >= argument;
    if (word == "maximum") return number <= argument;
    if (word == "exclusiveMinimum") return number > argument;
    if (word == "exclusiveMaximum") return number < argument;
    return is_known(word);
  }

  static bool holds_for_text(const std::string& word, const json& argument, const std::string& text) {
    if (word == "minLength") return text.size() >= argument.get<std::size_t>();
    if (word == "pattern") return std::regex_search(text, std::regex(argument.get<std::string>()));
    return is_known(word);
  }

  bool holds_for_list(const std::string& word, const json& argument, const json& list) const {
    if (word == "maxItems") return list.size() <= argument.get<std::size_t>();
    if (word == "items")
      return std::all_of(list.begin(), list.end(), [&](const json& one) { return takes(argument, one); });
    return is_known(word);
  }

  bool holds_for_object(const json& schema, const std::string& word, const json& argument,
                        const json& object) const {
    if (word == "maxProperties") return object.size() <= argument.get<std::size_t>();
    if (word == "required")
      return std::all_of(argument.begin(), argument.end(),
                         [&](const json& name) { return object.contains(name); });
    for (const auto& [name, value] : object.items()) {
      const bool described = schema.contains("properties") && schema["properties"].contains(name);
      if (word == "properties" && described && !takes(argument.at(name), value)) return false;
      if (word == "additionalProperties" && !described && !takes(argument, value)) return false;
      if (word == "propertyNames" && !takes(argument, name)) return false;
    }
    return is_known(word);
  }

  static bool is_known(const std::string& word) {
    constexpr std::string_view words[] = {"$schema",          "$defs",      "title",
                                          "description",      "default",    "then",
                                          "minimum",          "maximum",    "exclusiveMinimum",
                                          "exclusiveMaximum", "minLength",  "pattern",
                                          "maxItems",         "items",      "maxProperties",
                                          "required",         "properties", "additionalProperties",
                                          "propertyNames"};
    const bool known = std::find(std::begin(words), std::end(words), word) != std::end(words);
    EXPECT_TRUE(known) << "the schema has a word that this validator has not: " << word;
    return known;
  }

  json root_;
};

bool schema_takes(const std::string& text) {
  static const validator schema(json::parse(relent::policy_file_schema()));
  return schema.takes(json_of(toml::parse(text)));
}

bool reader_takes(const std::string& text) {
  try {
    policy_file::parse(text);
    return true;
  } catch (const relent::policy_file_error&) {
    return false;
  }
}

// --- both

TEST(policy_file_schema, is_json_of_the_draft_that_it_names) {
  const json schema = json::parse(relent::policy_file_schema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["$defs"]["policy"]["properties"]["max_attempts"]["default"], 3);
}

struct sample {
  const char* id;
  std::string text;
  friend void PrintTo(const sample& one, std::ostream* out) { *out << one.id; }
};

std::string in_policy(const char* keys) { return "[policy.p]\n" + std::string(keys) + "\n"; }

class good_policy_file : public testing::TestWithParam<sample> {};
class bad_policy_file : public testing::TestWithParam<sample> {};

TEST_P(good_policy_file, is_taken_by_the_reader_and_by_the_schema) {
  EXPECT_TRUE(reader_takes(GetParam().text));
  EXPECT_TRUE(schema_takes(GetParam().text));
}

TEST_P(bad_policy_file, is_refused_by_the_reader_and_by_the_schema) {
  EXPECT_FALSE(reader_takes(GetParam().text));
  EXPECT_FALSE(schema_takes(GetParam().text));
}

const auto name_of = [](const auto& info) { return std::string(info.param.id); };

INSTANTIATE_TEST_SUITE_P(
    samples, good_policy_file,
    testing::Values(
        sample{"empty", ""}, sample{"no_keys", in_policy("")},
        sample{"name_in_quotes", "[policy.\"my shop\"]\n"},
        sample{"inherits", in_policy("inherit = \"profile:apt\"")},
        sample{"durations",
               in_policy("deadline = \"1h30m\"\nattempt_timeout = \"1.5s\"\nleast_attempt_time = \"0s\"")},
        sample{"words_for_absent", in_policy("deadline = \"none\"\nserver_error_retries = \"unlimited\"")},
        sample{"kinds", in_policy("retry_on = [\"timeout\", 503]\nno_effect_on = []")},
        sample{"tables_taken_away", in_policy("breaker = false\nsender_limit = false")},
        sample{"empty_tables",
               in_policy("breaker = {}\nsender_limit = {}\nbudget = {}\nbackoff = {}\ncommand = {}")},
        sample{"list", in_policy("backoff = { growth = \"list\", delays = [\"1s\", \"2s\"] }")},
        sample{"list_in_a_text", in_policy("backoff = { growth = \"list\", delays = \"1s,2s\" }")},
        sample{"negative_increment", in_policy("backoff = { growth = \"linear\", increment = \"-1ms\" }")},
        sample{"whole_for_a_number", in_policy("backoff.multiplier = 3")},
        sample{"preset", in_policy("budget = { kind = \"aws_2026\", timeout_cost = 10 }")},
        sample{"ratio", in_policy("budget = { kind = \"ratio\", ratio = 0.2, window = \"20s\" }")},
        sample{"throttle", in_policy("budget = { kind = \"throttle\", capacity = 1000 }")},
        sample{"ends", in_policy("command = { retry_on = [1, \"2-5\"], stop_on = \"HUP\" }")},
        sample{"expressions", in_policy("command = { retry_on_output = 'a|b', until_output = false }")}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    samples, bad_policy_file,
    testing::Values(sample{"top_level", "[payments]\n"}, sample{"no_name", "[policy.\"\"]\n"},
                    sample{"unknown_key", in_policy("max_atempts = 4")},
                    sample{"unknown_in_a_table", in_policy("breaker.colour = 4")},
                    sample{"key_of_another_kind", in_policy("budget = { kind = \"ratio\", capacity = 4 }")},
                    sample{"amount_without_budget", in_policy("budget = { kind = \"none\", capacity = 4 }")},
                    sample{"text_for_a_number", in_policy("max_attempts = \"4\"")},
                    sample{"fraction", in_policy("max_attempts = 1.5")},
                    sample{"zero_attempts", in_policy("max_attempts = 0")},
                    sample{"above_the_range", in_policy("server_delay_spread = 1.5")},
                    sample{"edge_left_out", in_policy("sender_limit.beta = 1")},
                    sample{"bare_number", in_policy("deadline = 10")},
                    sample{"no_unit", in_policy("deadline = \"10\"")},
                    sample{"wrong_order_of_units", in_policy("deadline = \"1s5m\"")},
                    sample{"negative_length", in_policy("deadline = \"-1s\"")},
                    sample{"no_length", in_policy("deadline = \"\"")},
                    sample{"unknown_word", in_policy("backoff.jitter = \"some\"")},
                    sample{"status", in_policy("retry_on = [404]")},
                    sample{"no_list", in_policy("retry_on = \"timeout\"")},
                    sample{"breaker_true", in_policy("breaker = true")},
                    sample{"budget_false", in_policy("budget = false")},
                    sample{
                        "seventeen_delays",
                        in_policy("backoff = { growth = \"list\", delays = [\"1s\", \"1s\", \"1s\", "
                                  "\"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", \"1s\", "
                                  "\"1s\", \"1s\", \"1s\", \"1s\", \"1s\"] }")},
                    sample{"code", in_policy("command.retry_on = [256]")},
                    sample{"flag", in_policy("command.invert = 1")}),
    name_of);

TEST(policy_file_schema, takes_what_is_written) {
  for (const relent::named_policy& each : relent::ready_profiles()) {
    EXPECT_TRUE(schema_takes(to_toml(each))) << each.name;
    EXPECT_TRUE(schema_takes(to_toml(each, true))) << each.name;
  }
}

}  // namespace
