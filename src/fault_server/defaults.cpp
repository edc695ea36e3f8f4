// SPDX-License-Identifier: Apache-2.0
// What goes without saying: the phrase of a status, and whether a step has done its work.
#include <algorithm>
#include <iterator>

#include "script.hpp"

namespace relent::testing::faults {
namespace {

struct reason {
  unsigned status;
  std::string_view phrase;
};

// The IANA registry's phrases (RFC 9110 section 15 and those it lists), for statuses that clients treat specially.
constexpr reason reasons[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {102, "Processing"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
};

bool works_by_itself(unsigned status) {
  return status < 300 || status == 500 || status == 502 || status == 504;
}

}  // namespace

std::string_view reason_of(unsigned status) noexcept {
  const auto* const found = std::find_if(std::begin(reasons), std::end(reasons),
                                         [&](const reason& each) { return each.status == status; });
  return found == std::end(reasons) ? "Status" : found->phrase;
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
