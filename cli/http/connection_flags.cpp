// SPDX-License-Identifier: Apache-2.0
// From flags to a connection.
#include "curl_times.hpp"
#include "request_flags.hpp"

#include "cli/policy_flags.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <charconv>
#include <limits>

namespace relent::cli {
namespace {

using lines = std::vector<std::string>;

void read_redirects(const flag_values& values, fetch_connection& connection, lines& problems) {
  constexpr std::uint32_t as_curl = 50;
  constexpr std::uint32_t unlimited = 1'000'000;
  const auto text = values.text("--max-redirs");
  std::optional<std::uint64_t> most = as_curl;
  if (text == "-1")
    most = unlimited;
  else if (text)
    most = read_number(values, "--max-redirs", unlimited, problems);
  if (text && values.given("--location") && most == 0)
    problems.emplace_back("--max-redirs: '0' with --location follows none: leave --location out");
  if (values.given("--location") && most) connection.max_redirects = static_cast<std::uint32_t>(*most);
}

void read_stall(const flag_values& values, fetch_connection& connection, lines& problems) {
  if (values.text("--stall-timeout") == "none") {
    connection.stall_seconds = std::nullopt;
    return;
  }
  const auto limit = read_duration(values, "--stall-timeout", problems);
  if (!limit) return;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(*limit).count();
  if (*limit < std::chrono::seconds{1} || seconds > std::numeric_limits<std::int32_t>::max())
    problems.push_back(
        fmt::format("--stall-timeout: '{}' must be at least 1s, or none", *values.text("--stall-timeout")));
  else
    connection.stall_seconds = static_cast<std::uint32_t>(seconds);
}

/// curl's own sizes: 100k, 2M, 1G; powers of 1024.
void read_rate(const flag_values& values, fetch_connection& connection, lines& problems) {
  const auto text = values.text("--limit-rate");
  if (!text) return;
  std::uint64_t rate = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, rate);
  constexpr std::string_view units = "kmg";
  unsigned shift = 0;
  if (error == std::errc{} && rest + 1 == end)
    if (const std::size_t unit = units.find(static_cast<char>(*rest | 0x20)); unit != std::string_view::npos)
      shift = 10U * static_cast<unsigned>(unit + 1);
  const bool is_rate = error == std::errc{} && (rest == end || shift > 0) && rate > 0 && rate < 1ULL << 32U;
  if (is_rate)
    connection.bytes_per_second = rate << shift;
  else
    problems.push_back(fmt::format("--limit-rate: '{}' is no rate: write 500000, 100k or 2M", *text));
}

/// "=https" or "=http,https"; without the equals sign curl adds to its own list, where both are.
void read_protocols(const flag_values& values, fetch_connection& connection, lines& problems) {
  const auto text = values.text("--proto");
  if (!text) return;
  std::string_view list = *text;
  const bool only = list.starts_with('=');
  if (only) list.remove_prefix(1);
  if (list != "http" && list != "https" && list != "http,https" && list != "https,http") {
    problems.push_back(fmt::format("--proto: '{}' is unknown: write =https, =http or =http,https", *text));
    return;
  }
  if (only) connection.protocols = list;
}

/// A file that has to be there.
std::string file_of(const flag_values& values, std::string_view name, lines& problems) {
  std::string path(values.text(name).value_or(""));
  if (values.given(name) && ::access(path.c_str(), R_OK) != 0)
    problems.push_back(fmt::format("{}: '{}' cannot be read", name, path));
  return path;
}

/// Which of two flags was given: 1 or 2; 0: none.
std::uint8_t either(const flag_values& values, std::string_view first, std::string_view second,
                    lines& problems) {
  if (values.given(first) && values.given(second))
    problems.push_back(fmt::format("{}: not together with {}", first, second));
  if (values.given(second)) return 2;
  return values.given(first) ? 1 : 0;
}

}  // namespace

fetch_connection read_connection(const flag_values& values, lines& problems) {
  fetch_connection connection;
  read_redirects(values, connection, problems);
  connection.connect_timeout = read_seconds(values, "--connect-timeout", problems);
  read_stall(values, connection, problems);
  read_rate(values, connection, problems);
  read_protocols(values, connection, problems);
  connection.verify_tls = !values.given("--insecure");
  connection.ca_file = file_of(values, "--cacert", problems);
  connection.certificate = file_of(values, "--cert", problems);
  connection.key = file_of(values, "--key", problems);
  if (const auto proxy = values.text("--proxy")) connection.proxy = std::string(*proxy);
  if (const auto list = values.text("--noproxy")) connection.no_proxy = std::string(*list);
  for (const std::string_view each : values.texts("--resolve")) connection.resolve.emplace_back(each);
  connection.unix_socket = values.text("--unix-socket").value_or("");
  connection.http = either(values, "--http1.1", "--http2", problems);
  if (const std::uint8_t family = either(values, "--ipv4", "--ipv6", problems))
    connection.ip = family == 1 ? 4 : 6;
  if (values.given("--tlsv1.2")) connection.least_tls = 2;
  if (values.given("--tlsv1.3")) connection.least_tls = 3;
  connection.compressed = values.given("--compressed");
  return connection;
}

}  // namespace relent::cli
