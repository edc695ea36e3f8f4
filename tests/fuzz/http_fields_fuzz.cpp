// SPDX-License-Identifier: Apache-2.0
// Any bytes as the status, the header fields and the body of a response, and as the fields of a request. The first
// two bytes are the status, then lines "name: value"; what follows an empty line is the body.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <relent/http/idempotency_key_field.hpp>
#include <relent/http/problem_details.hpp>
#include <relent/http/propagation.hpp>
#include <relent/http/response_fault.hpp>
#include <relent/http/status.hpp>
#include <relent/idempotency_key.hpp>
#include <string_view>

namespace {

using namespace relent::http;

void check(bool holds) {
  if (!holds) std::abort();
}

/// Takes the lines before the first empty one.
header_list take_headers(std::string_view& text) {
  header_list headers;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    headers.add(line.substr(0, colon), colon == std::string_view::npos ? line : line.substr(colon + 1));
  }
  return headers;
}

void check_response(int status, const header_list& headers) {
  const response_meaning meaning =
      meaning_of_response(status, headers, std::chrono::system_clock::time_point{});
  const auto alone = fault_of_status(status);
  check(meaning.fault.has_value() == alone.has_value());
  if (meaning.delay) check(meaning.delay->wait >= relent::duration::zero() && !meaning.delay->header.empty());
  if (!meaning.fault) return;
  check(!meaning.fault->vetoed || !meaning.decided_by.empty());
  check(meaning.delay.has_value() == meaning.fault->server_delay.has_value());
  // A proof that nothing was done comes from the status or from a nack.
  if (effect_of(*meaning.fault) == relent::effect::none && effect_of(*alone) == relent::effect::possible)
    check(meaning.fault->kind == relent::fault_kind::not_processed && status == 503);
}

void check_key(const header_list& request) {
  const read_key strict = read_idempotency_key(request, key_reading::strict);
  const read_key lenient = read_idempotency_key(request, key_reading::lenient);
  check(!strict.key || strict.key == lenient.key);
  for (const read_key& read : {strict, lenient}) {
    if (!read.key) continue;
    check(read.problem.empty() && !read.key->empty() &&
          read.key->size() <= relent::idempotency_key::max_size);
    if (read.key->find(' ') != std::string::npos) continue;
    const header_list again{{"Idempotency-Key", write_idempotency_key(*read.key, key_style::quoted)}};
    check(read_idempotency_key(again, key_reading::strict).key == read.key);
  }
}

void check_request(header_list request) {
  const auto left = deadline_in(request);
  if (left) check(*left >= relent::duration::zero());
  const auto number = attempt_number_in(request);
  if (number) check(*number >= 1);
  const propagation everything{true, true, true, true, true, true, true, true, true};
  add_propagation(request, everything, {.number = number.value_or(1), .max_attempts = 3, .time_left = left});
  check(outer_layer_retries(request));
  const std::size_t size = request.size();
  add_propagation(request, everything, {.number = number.value_or(1), .max_attempts = 3, .time_left = left});
  check(request.size() == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const int status = data[0] * 4 + data[1] % 4;
  std::string_view text{reinterpret_cast<const char*>(data) + 2, size - 2};
  const header_list headers = take_headers(text);
  check_response(status, headers);
  check_key(headers);
  check_request(headers);
  const auto problem = parse_problem_details("application/problem+json", text);
  if (problem && problem->status) check(*problem->status >= 100 && *problem->status <= 599);
  return 0;
}
