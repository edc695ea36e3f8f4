// SPDX-License-Identifier: Apache-2.0
// RFC 9110 sections 13.1.5 (If-Range), 15.3.7 (206) and 15.5.17 (416).
#include "resumed_sink.hpp"

#include "content_range.hpp"

#include <chrono>
#include <string>

namespace relent::cli {
namespace {

constexpr int status_ok = 200;
constexpr int status_partial = 206;

}  // namespace

void resumed_sink::ask_for_rest(http::header_list& headers) {
  asked_from_.reset();
  if (!part_.can_go_on()) return;
  asked_from_ = part_.size();
  headers.set("Range", "bytes=" + std::to_string(part_.size()) + "-");
  headers.set("If-Range", part_.state().validator);
}

bool resumed_sink::was_whole(const http::header_list& headers) {
  const auto text = headers.first("content-range");
  const auto range = text ? parse_content_range(*text) : std::nullopt;
  const bool whole = range && !range->first && range->total == part_.size() &&
                     (!part_.state().total || part_.state().total == range->total);
  if (whole)
    part_.finish();
  else
    part_.start_over({});
  return whole;
}

bool resumed_sink::fits(const http::header_list& headers) const {
  const auto text = headers.first("content-range");
  const auto range = text ? parse_content_range(*text) : std::nullopt;
  if (!range || range->first != part_.size()) return false;
  if (range->total && part_.state().total && range->total != part_.state().total) return false;
  const auto etag = headers.first("etag");
  return !etag || !part_.state().validator.starts_with('"') || *etag == part_.state().validator;
}

void resumed_sink::begin(int status, const http::header_list& headers) {
  if (status == status_partial) {
    if (asked_from_ && fits(headers)) return;
    part_.start_over({});
    throw ask_again("the server sent another part than was asked for");
  }
  part_state state;
  if (status == status_ok) {
    state.validator = validator_in(headers, std::chrono::system_clock::now());
    state.total = content_length_in(headers);
    if (headers.contains("content-encoding")) state.validator.clear();
  }
  part_.start_over(state);
}

void resumed_sink::write(std::string_view bytes) { part_.append(bytes); }

void resumed_sink::complete() {
  const auto& total = part_.state().total;
  if (total && part_.size() < *total) throw ask_again("the server sent less than was asked for");
  if (total && part_.size() > *total) {
    part_.start_over({});
    throw ask_again("the server sent more than was asked for");
  }
  part_.finish();
}

}  // namespace relent::cli
