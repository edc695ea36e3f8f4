// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of the policy file. Values and defaults are written as in TOML: what the fields hold looks the
// same in both.
#include "fields.hpp"
#include "statuses.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace relent {
namespace {

using detail::field;
using detail::field_range;
using detail::field_type;
using detail::section;

/// JSON in the making: members or elements with commas between them.
class json {
 public:
  static json object() { return {'{', '}'}; }
  static json array() { return {'[', ']'}; }
  static std::string text(std::string_view words) { return detail::quoted_toml(words); }

  json& add(std::string_view key, const std::string& value) { return add(text(key) + ": " + value); }
  json& add(std::string_view key, const json& value) { return add(key, value.whole()); }
  json& add(const std::string& element) {
    inside_ += (inside_.empty() ? "" : ", ") + element;
    return *this;
  }
  std::string whole() const { return open_ + inside_ + close_; }

 private:
  json(char open, char close) : open_(1, open), close_(1, close) {}
  std::string open_;
  std::string inside_;
  std::string close_;
};

json type(std::string_view name) { return json::object().add("type", json::text(name)); }
json reference(std::string_view name) {
  return json::object().add("$ref", json::text("#/$defs/" + std::string(name)));
}
json any_of(std::initializer_list<json> choices) {
  json all = json::array();
  for (const json& each : choices) all.add(each.whole());
  return json::object().add("anyOf", all);
}
json constant(const std::string& value) { return json::object().add("const", value); }
json strings(std::span<const std::string_view> words) {
  json all = json::array();
  for (const std::string_view word : words) all.add(json::text(word));
  return json::object().add("enum", all);
}

std::string edge(const field& described, double value) {
  return toml_text(described, described.type == field_type::whole
                                  ? detail::field_value(static_cast<std::uint32_t>(value))
                                  : detail::field_value(value));
}

json number(const field& described) {
  const bool whole = described.type == field_type::whole;
  json made = type(whole ? "integer" : "number");
  const field_range range = described.range.value_or(field_range{});
  made.add(range.least_excluded ? "exclusiveMinimum" : "minimum", edge(described, range.least));
  if (range.most > range.least)
    made.add(range.most_excluded ? "exclusiveMaximum" : "maximum", edge(described, range.most));
  else if (whole)
    made.add("maximum", "4294967295");
  return made;
}

json of_type(const field& described) {
  switch (described.type) {
    case field_type::flag: return type("boolean");
    case field_type::whole:
    case field_type::number: return number(described);
    case field_type::length: return reference(described.range ? "duration" : "signed_duration");
    case field_type::choice: return strings(described.words);
    case field_type::kinds: return reference("kinds");
    case field_type::lengths: return reference("durations");
    case field_type::ends: return reference("ends");
    case field_type::expression:
    case field_type::name: return type("string");
  }
  return json::object();
}

json property(const section& part, const field& described) {
  json made = of_type(described);
  if (!described.absent_word.empty() && described.type != field_type::name)
    made = any_of({std::move(made), constant(toml_text(described, detail::absent{}))});
  std::string words(described.help);
  if (described.type != field_type::name) made.add("default", default_text(part, described));
  return made.add("description", json::text(words));
}

json closed_object(const json& properties) {
  return type("object").add("properties", properties).add("additionalProperties", "false");
}

json properties_of(const section& part) {
  json properties = json::object();
  for (const field& each : part.fields) properties.add(each.name, property(part, each));
  return properties;
}

/// Which keys there are depends on the kind. Where none is given that of the inherited budget counts, which
/// cannot be said here: then any kind's keys do.
json budget() {
  json properties = json::object();
  json conditions = json::array();
  std::vector<std::string_view> names;
  for (const section& part : detail::sections()) {
    if (part.name != "budget") continue;
    if (!part.only_for) {
      properties.add("kind", property(part, part.fields[0]));
      const json none =
          json::object().add("properties", json::object().add("kind", constant(json::text("none"))));
      const json alone = json::object().add("maxProperties", "1");
      conditions.add(
          json::object().add("if", json(none).add("required", R"(["kind"])")).add("then", alone).whole());
      continue;
    }
    std::vector<std::string_view> kinds;
    if (part.only_for == budget_kind::token) kinds = {"token", "aws_standard", "aws_2026"};
    if (part.only_for == budget_kind::ratio) kinds = {"ratio"};
    if (part.only_for == budget_kind::throttle) kinds = {"throttle"};
    const json of_kind = json::object()
                             .add("properties", json::object().add("kind", strings(kinds)))
                             .add("required", R"(["kind"])");
    const json its_keys = json::object()
                              .add("properties", properties_of(part).add("kind", "true"))
                              .add("additionalProperties", "false");
    conditions.add(json::object().add("if", of_kind).add("then", its_keys).whole());
    for (const field& each : part.fields) {
      if (std::find(names.begin(), names.end(), each.name) == names.end()) properties.add(each.name, "true");
      names.push_back(each.name);
    }
  }
  return closed_object(properties).add("allOf", conditions);
}

json policy() {
  json properties = json::object();
  for (const section& part : detail::sections()) {
    if (part.name.empty()) {
      for (const field& each : part.fields) properties.add(each.name, property(part, each));
    } else if (!part.only_for) {
      json table = part.name == "budget" ? budget() : closed_object(properties_of(part));
      if (part.removable) table = any_of({std::move(table), constant("false")});
      properties.add(part.name, table.add("description", json::text(part.help)));
    }
  }
  return closed_object(properties);
}

/// A sum of numbers with units, from large to small. That only the last may have decimals is not said.
std::string duration_pattern(std::string_view sign) {
  std::string sum;
  for (const std::string_view unit : {"d", "h", "m", "s", "ms", "us", "ns"})
    sum += "([0-9]+(\\.[0-9]+)?" + std::string(unit) + ")?";
  return json::text("^" + std::string(sign) + sum + "$");
}

json duration_type(std::string_view sign) {
  return type("string").add("pattern", duration_pattern(sign)).add("minLength", "2");
}

json definitions() {
  json kinds = json::array();
  for (int i = 0; i < fault_kind_count; ++i) kinds.add(json::text(to_string(static_cast<fault_kind>(i))));
  for (const detail::status_kind& each : detail::retryable_statuses) kinds.add(std::to_string(each.status));
  const json end = any_of({type("integer").add("minimum", "0").add("maximum", "255"), type("string")});
  const auto list_of = [](const json& items) { return type("array").add("items", items); };
  return json::object()
      .add("policy", policy())
      .add("duration", duration_type(""))
      .add("signed_duration", duration_type("-?"))
      .add("durations", any_of({list_of(reference("duration")).add("maxItems", "16"), type("string")}))
      .add("kinds", list_of(json::object().add("enum", kinds)))
      .add("ends", any_of({json(end), list_of(end)}));
}

/// The same with a line for each member and element; objects and lists of few words stay in one.
std::string laid_out(std::string_view compact) {
  std::string text;
  std::size_t depth = 0;
  bool in_string = false;
  std::vector<bool> broken;
  const auto new_line = [&] { text += "\n" + std::string(depth * 2, ' '); };
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (in_string || c == '"') {
      text += c;
      if (c == '\\') text += compact[++i];
      if (c == '"') in_string = !in_string;
    } else if (c == '{' || c == '[') {
      const std::size_t end = compact.find_first_of("{}[]", i + 1);
      broken.push_back(compact[end] == '{' || compact[end] == '[');
      text += c;
      ++depth;
      if (broken.back()) new_line();
    } else if (c == '}' || c == ']') {
      --depth;
      if (broken.back()) new_line();
      broken.pop_back();
      text += c;
    } else if (c == ',' && !broken.empty() && broken.back()) {
      text += c;
      new_line();
      ++i;  // the blank behind it
    } else {
      text += c;
    }
  }
  return text + "\n";
}

}  // namespace

std::string policy_file_schema() {
  const json policies =
      type("object")
          .add("description", json::text("policies by name; the one called default is inherited "
                                         "by the others, key by key"))
          .add("propertyNames", json::object().add("minLength", "1"))
          .add("additionalProperties", reference("policy"));
  const json schema = json::object()
                          .add("$schema", json::text("https://json-schema.org/draft/2020-12/schema"))
                          .add("title", json::text("Policy file of Relent"))
                          .add("type", json::text("object"))
                          .add("properties", json::object().add("policy", policies))
                          .add("additionalProperties", "false")
                          .add("$defs", definitions());
  return laid_out(schema.whole());
}

}  // namespace relent
