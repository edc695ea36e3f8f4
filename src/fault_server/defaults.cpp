// SPDX-License-Identifier: Apache-2.0
// What goes without saying: the phrase of a status, and whether a step has done its work.
#include "script.hpp"

#include "src/text/status_phrases.hpp"

namespace relent::testing::faults {
namespace {

bool works_by_itself(unsigned status) {
  return status < 300 || status == 500 || status == 502 || status == 504;
}

}  // namespace

std::string_view reason_of(unsigned status) noexcept {
  const std::string_view phrase = text::status_phrase(static_cast<int>(status));
  return phrase.empty() ? "Status" : phrase;
}

bool executes_by_itself(const step& read) noexcept {
  switch (read.kind) {
    case step_kind::answer: return works_by_itself(read.status) && !read.head_only;
    case step_kind::reset: return !read.before_head;
    case step_kind::stall: return read.cut.has_value();
    case step_kind::unauthenticated:
    case step_kind::refuse:
    case step_kind::random: return false;
    default: return true;
  }
}

}  // namespace relent::testing::faults
