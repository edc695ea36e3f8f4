// SPDX-License-Identifier: Apache-2.0
// From words to an order.
#include "faults_order.hpp"

#include "cli/policy_flags.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace relent::cli {
namespace {

using problem_lines = std::vector<std::string>;

/// An address and a port as they were written, either of which may be absent.
struct written_place {
  std::string address;
  std::string port;
};

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// 127.0.0.1:8080, [::1]:8080, 8080, :8080, 127.0.0.1, ::1.
written_place take_apart(std::string_view text) {
  if (is_number(text)) return {"", std::string(text)};
  if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find(']'), text.size());
    const std::string_view rest = text.substr(std::min(end + 1, text.size()));
    const std::string address(text.substr(1, end - 1));
    if (rest.empty()) return {address, ""};
    return {address, rest.starts_with(':') ? std::string(rest.substr(1)) : std::string(rest)};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos)
    return {std::string(text), ""};
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

enum class address_kind : std::uint8_t { none, loopback, other };

address_kind kind_of(const std::string& address) {
  in_addr four{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24U) == IN_LOOPBACKNET ? address_kind::loopback : address_kind::other;
  in6_addr six{};
  if (::inet_pton(AF_INET6, address.c_str(), &six) != 1) return address_kind::none;
  return IN6_IS_ADDR_LOOPBACK(&six) ? address_kind::loopback : address_kind::other;
}

void read_place(std::string_view text, faults_order& order, problem_lines& problems) {
  written_place place = take_apart(text);
  if (place.address.empty() || place.address == "localhost") place.address = order.server.address;
  const address_kind kind = kind_of(place.address);
  if (kind == address_kind::none) {
    problems.push_back(
        fmt::format("--listen: '{}' has no IP address: write 127.0.0.1:8080 or [::1]:8080", text));
    return;
  }
  if (!place.port.empty()) {
    const char* const end = place.port.data() + place.port.size();
    const auto read = std::from_chars(place.port.data(), end, order.server.port);
    if (read.ec != std::errc{} || read.ptr != end) {
      problems.push_back(
          fmt::format("--listen: '{}': the port is '{}', and has to be from 0 to 65535", text, place.port));
      return;
    }
  }
  order.server.address = place.address;
  order.only_here = kind == address_kind::loopback;
}

/// Without quotes the shell makes two words of `503*2, 200`.
bool lacks_quotes(const std::vector<std::string>& scripts) {
  return scripts.size() > 1 && std::any_of(scripts.begin(), scripts.end() - 1, [](const std::string& each) {
           return each.ends_with(',') || each.ends_with(':');
         });
}

void check_scripts(const faults_order& order, problem_lines& problems) {
  try {
    testing::check_fault_scripts(order.server.scripts, order.server.tls);
  } catch (const testing::fault_script_error& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    if (lacks_quotes(order.server.scripts))
      problems.emplace_back("a script with a blank in it is one word only in quotes: '503*2, 200'");
  }
}

/// A length of time above zero.
std::optional<duration> read_span(const flag_values& values, std::string_view name, problem_lines& problems) {
  const auto length = read_duration(values, name, problems);
  if (!length || *length > duration::zero()) return length;
  problems.push_back(fmt::format("{}: '{}' must be above zero", name, *values.text(name)));
  return std::nullopt;
}

}  // namespace

faults_order read_faults_order(const flag_values& values, problem_lines& problems) {
  faults_order order;
  if (const auto text = values.text("--listen")) read_place(*text, order, problems);
  order.server.tls = values.given("--tls");
  order.server.seed = read_number(values, "--seed", std::numeric_limits<std::uint64_t>::max(), problems)
                          .value_or(order.server.seed);
  order.server.idle_timeout =
      read_span(values, "--idle-timeout", problems).value_or(order.server.idle_timeout);
  order.ends_after = read_span(values, "--for", problems);
  if (const auto path = values.text("--cert-out")) {
    order.certificate_copy = std::string(*path);
    if (!order.server.tls) problems.emplace_back("--cert-out: without --tls there is no certificate");
  }
  order.only_check = values.given("--check");
  order.json = values.given("--json");
  order.quiet = values.given("--quiet");
  order.server.scripts = values.operands();
  if (order.only_check && order.server.scripts.empty())
    problems.emplace_back("--check: no script: write it in quotes, as in relent faults --check '503*2, 200'");
  check_scripts(order, problems);
  return order;
}

std::string place_text(const testing::fault_server_options& server) {
  const bool six = server.address.find(':') != std::string::npos;
  return fmt::format("{}:{}", six ? '[' + server.address + ']' : server.address, server.port);
}

}  // namespace relent::cli
