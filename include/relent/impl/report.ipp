// SPDX-License-Identifier: Apache-2.0
// Keeping the story of a call, and telling it.
#pragma once

#include <relent/duration_text.hpp>
#include <relent/report.hpp>

#include <string_view>
#include <utility>

namespace relent {

namespace detail {

/// For how many records there is room when so many are there: hardly a call has more than a few.
constexpr std::size_t room_for(std::size_t records) noexcept {
  return records == 0 ? 0 : records <= 4 ? 4 : records <= 16 ? 16 : record_list::capacity;
}

}  // namespace detail

RELENT_INLINE record_list::record_list(const record_list& other) : dropped_(other.dropped_) {
  for (const attempt_record& record : other) add(record);
}

RELENT_INLINE record_list::record_list(record_list&& other) noexcept
    : records_(std::exchange(other.records_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      dropped_(std::exchange(other.dropped_, 0)) {}

RELENT_INLINE record_list& record_list::operator=(record_list other) noexcept {
  std::swap(records_, other.records_);
  std::swap(size_, other.size_);
  std::swap(dropped_, other.dropped_);
  return *this;
}

RELENT_INLINE record_list::~record_list() { delete[] records_; }

RELENT_INLINE attempt_record& record_list::add(attempt_record record) {
  if (size_ == detail::room_for(size_) && size_ < capacity) make_room();
  if (size_ == capacity) {
    for (std::size_t i = capacity / 2; i + 1 < capacity; ++i) records_[i] = std::move(records_[i + 1]);
    --size_;
    ++dropped_;
  }
  records_[size_] = std::move(record);
  return records_[size_++];
}

RELENT_INLINE void record_list::make_room() {
  auto* const more = new attempt_record[detail::room_for(size_ + 1)];
  for (std::size_t i = 0; i < size_; ++i) more[i] = std::move(records_[i]);
  delete[] records_;
  records_ = more;
}

namespace detail {

/// A duration for a person: at most three significant digits.
RELENT_INLINE std::string rounded(duration d) {
  duration unit{1};
  while (d / unit >= 1000) unit *= 10;
  return to_text(d / unit * unit);
}

/// How many bytes the UTF-8 character at the front of a text has; 0 if it is none (RFC 3629 section 4).
RELENT_INLINE std::size_t utf8_size(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  // The second byte rules out overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  const std::size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 2; i < size; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  return size;
}

/// JSON is UTF-8 (RFC 8259 section 8.1), an error's text may be anything: U+FFFD for each byte that fits nowhere.
RELENT_INLINE void append_json_string(std::string& out, std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first < 0x20 || first == 0x7f) {
      out += "\\u00";
      out += digits[first >> 4U];
      out += digits[first & 15U];
    } else if (size == 0) {
      out += "\\ufffd";
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  out += '"';
}

RELENT_INLINE std::string seconds(duration d) {
  const auto whole = d.count() / 1'000'000'000;
  std::string fraction = std::to_string(d.count() % 1'000'000'000);
  fraction.insert(0, 9 - fraction.size(), '0');
  while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
  return std::to_string(whole) + "." + fraction;
}

RELENT_INLINE void append_json_field(std::string& out, std::string_view name, std::string_view raw_value) {
  if (out.back() != '{') out += ',';
  append_json_string(out, name);
  out += ':';
  out += raw_value;
}

RELENT_INLINE std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

RELENT_INLINE std::string json_of(const attempt_record& record) {
  std::string out = "{";
  append_json_field(out, "attempt", std::to_string(record.number));
  append_json_field(out, "ended_seconds", seconds(record.ended));
  if (record.fault) {
    append_json_field(out, "fault", detail::quoted(to_string(record.fault->kind)));
    append_json_field(out, "effect", detail::quoted(to_string(effect_of(*record.fault))));
    if (!record.error_text.empty()) append_json_field(out, "error", detail::quoted(record.error_text));
  }
  if (record.wait) {
    append_json_field(out, "wait_seconds", seconds(*record.wait));
    append_json_field(out, "wait_source", detail::quoted(to_string(record.source)));
  }
  return out + "}";
}

RELENT_INLINE std::string times(std::uint64_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

RELENT_INLINE std::string fault_text(const attempt_record& record) {
  std::string text{to_string(record.fault->kind)};
  if (!record.error_text.empty()) text += " (" + record.error_text + ")";
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';  // one line, whatever the error says
  return text;
}

}  // namespace detail

RELENT_INLINE std::string to_line(const report& story) {
  std::string line = story.dependency.empty() ? "" : story.dependency + ": ";
  if (story.attempts == 0)
    return line + (story.stop ? "refused before the first attempt: " + std::string(explain(*story.stop))
                              : "not run");
  const std::string after =
      detail::times(story.attempts, "attempt") + " in " + detail::rounded(story.elapsed);
  if (!story.stop) return line + "succeeded after " + after;
  line += "gave up after " + after + ": " + std::string(explain(*story.stop));
  if (story.server_delay && *story.stop == stop_reason::server_delay)
    line += " (" + detail::rounded(*story.server_delay) + ")";
  if (!story.records.empty() && story.records[story.records.size() - 1].fault)
    line += "; last fault " + detail::fault_text(story.records[story.records.size() - 1]);
  const std::string hint = hint_for(story);
  return hint.empty() ? line : line + "; " + hint;
}

RELENT_INLINE std::string hint_for(const report& story) {
  if (story.stop != stop_reason::permanent || story.records.empty()) return {};
  const auto& last = story.records[story.records.size() - 1].fault;
  if (!last || last->kind != fault_kind::unknown || last->transient) return {};
  return "nobody classified this error: pass .classify = relent::retry_on<E> if another try can help "
         "(a relent_fault(const E&) beside E says what it means)";
}

RELENT_INLINE std::string to_json(const report& story) {
  std::string out = "{";
  if (!story.dependency.empty())
    detail::append_json_field(out, "dependency", detail::quoted(story.dependency));
  const std::string_view outcome = story.stop            ? to_string(*story.stop)
                                   : story.attempts == 0 ? "not_run"
                                   : story.attempts == 1 ? "first_try"
                                                         : "after_retry";
  detail::append_json_field(out, "outcome", detail::quoted(outcome));
  detail::append_json_field(out, "attempts", std::to_string(story.attempts));
  detail::append_json_field(out, "max_attempts", std::to_string(story.max_attempts));
  detail::append_json_field(out, "elapsed_seconds", detail::seconds(story.elapsed));
  detail::append_json_field(out, "waited_seconds", detail::seconds(story.waited));
  if (story.server_delay)
    detail::append_json_field(out, "server_delay_seconds", detail::seconds(*story.server_delay));
  const std::string hint = hint_for(story);
  if (!hint.empty()) detail::append_json_field(out, "hint", detail::quoted(hint));
  std::string records = "[";
  for (const attempt_record& record : story.records) {
    if (records.size() > 1) records += ',';
    records += detail::json_of(record);
  }
  detail::append_json_field(out, "records", records + "]");
  if (story.records.dropped() > 0)
    detail::append_json_field(out, "records_dropped", std::to_string(story.records.dropped()));
  return out + "}";
}

}  // namespace relent
