// SPDX-License-Identifier: Apache-2.0
// The ready policies against what the commands say when they fail.
#include <relent/policy_file/policy_file.hpp>

#include <gtest/gtest.h>

#include <regex.h>

#include <algorithm>
#include <ostream>
#include <string>

namespace {

using namespace std::chrono_literals;
using namespace relent;

const named_policy& profile(std::string_view name) {
  for (const named_policy& each : ready_profiles())
    if (each.name == name) return each;
  throw std::out_of_range(std::string(name));
}

bool matches(const std::string& expression, const char* line) {
  regex_t compiled;
  if (regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool found = regexec(&compiled, line, 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

/// Whether a command that ends with the code, having said the line, is worth another try.
bool is_retried(const command_rules& rules, int code, const char* line) {
  if (rules.stop_on.has_code(code)) return false;
  if (rules.retry_on && !rules.retry_on->has_code(code)) return false;
  const bool output_decides = !rules.output_decides_for || rules.output_decides_for->has_code(code);
  return !rules.retry_on_output || !output_decides || matches(*rules.retry_on_output, line);
}

struct failure {
  const char* profile;
  int code;
  const char* line;
  friend void PrintTo(const failure& one, std::ostream* out) {
    *out << one.profile << " " << one.code << ": " << one.line;
  }
};

class passing_failure : public testing::TestWithParam<failure> {};
class lasting_failure : public testing::TestWithParam<failure> {};

TEST_P(passing_failure, is_worth_another_try) {
  EXPECT_TRUE(is_retried(profile(GetParam().profile).command, GetParam().code, GetParam().line));
}

TEST_P(lasting_failure, is_not) {
  EXPECT_FALSE(is_retried(profile(GetParam().profile).command, GetParam().code, GetParam().line));
}

const auto name_of = [](const auto& info) {
  return std::string(info.param.profile) + "_" + std::to_string(info.param.code) + "_" +
         std::to_string(info.index);
};

constexpr failure passing[] = {
    {"apt", 100,
     "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (unattended-upgr)"},
    {"apt", 100,
     "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using "
     "it?"},
    {"apt", 100, "E: Unable to lock directory /var/lib/apt/lists/"},
    {"apt", 100,
     "W: Failed to fetch http://deb.debian.org/debian/dists/x/InRelease  Temporary failure resolving "
     "'deb.debian.org'"},
    {"apt", 100,
     "E: Failed to fetch http://deb.debian.org/x.deb  503  Service Unavailable [IP: 151.101.2.132 80]"},
    {"apt", 100, "E: Failed to fetch http://deb.debian.org/x.deb  Hash Sum mismatch"},
    {"apt", 100, "  Could not connect to deb.debian.org:80 (151.101.2.132), connection timed out"},
    {"curl", 6, "curl: (6) Could not resolve host: example.org"},
    {"curl", 7, ""},
    {"wget", 4, ""},
    {"curl", 7, "curl: (7) Failed to connect to localhost port 1 after 0 ms: Couldn't connect to server"},
    {"curl", 28, "curl: (28) Operation timed out after 1001 milliseconds with 0 bytes received"},
    {"curl", 56, "curl: (56) Recv failure: Connection reset by peer"},
    {"curl", 92, "curl: (92) HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)"},
    {"curl", 22, "curl: (22) The requested URL returned error: 503"},
    {"curl", 22, "curl: (22) The requested URL returned error: 429 Too Many Requests"},
    {"docker", 1, "Error response from daemon: toomanyrequests: You have reached your pull rate limit."},
    {"docker", 1,
     "Error response from daemon: Get \"https://registry-1.docker.io/v2/\": net/http: TLS handshake timeout"},
    {"docker", 1,
     "Error response from daemon: Get \"https://registry-1.docker.io/v2/\": dial tcp 1.2.3.4:443: i/o "
     "timeout"},
    {"docker", 125,
     "docker: Error response from daemon: Get \"https://r/v2/\": read tcp 1.2.3.4: connection reset by "
     "peer."},
    {"docker", 1, "received unexpected HTTP status: 503 Service Unavailable"},
    {"docker", 1,
     "ERROR: failed to solve: unexpected status from HEAD request to https://r/v2/x: 502 Bad Gateway"},
    {"docker", 1, "Get \"https://r/v2/\": dial tcp 10.0.0.1:443: connect: connection refused"},
    {"git", 128, "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com"},
    {"git", 128, "fatal: early EOF"},
    {"git", 128, "error: RPC failed; curl 56 GnuTLS recv error (-54): Error in the pull function."},
    {"git", 128, "fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 503"},
    {"git", 128, "fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 429"},
    {"git", 128, "ssh: connect to host github.com port 22: Connection timed out"},
    {"git", 128, "fatal: the remote end hung up unexpectedly"},
    {"kubectl", 1,
     "The connection to the server 10.0.0.1:6443 was refused: dial tcp 10.0.0.1:6443: connect: connection "
     "refused"},
    {"kubectl", 1, "Unable to connect to the server: net/http: TLS handshake timeout"},
    {"kubectl", 1, "Error from server: etcdserver: request timed out"},
    {"kubectl", 1, "Error from server: etcdserver: leader changed"},
    {"kubectl", 1,
     "Error from server (ServiceUnavailable): the server is currently unable to handle the request"},
    {"npm", 1, "npm ERR! code ECONNRESET"},
    {"npm", 1,
     "npm ERR! network request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN "
     "registry.npmjs.org"},
    {"npm", 1, "npm ERR! code E503"},
    {"npm", 1, "npm ERR! 429 Too Many Requests - GET https://registry.npmjs.org/x"},
    {"pip", 1,
     "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<...>: Failed to "
     "establish'"},
    {"pip", 2,
     "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.pythonhosted.org'): "
     "Read timed out."},
    {"pip", 1,
     "ERROR: HTTP error 503 while getting x: 503 Server Error: Backend is unhealthy for url: https://x"},
    {"psql", 2,
     "psql: error: connection to server at \"db\" (10.0.0.1), port 5432 failed: Connection refused"},
    {"psql", 2,
     "psql: error: connection to server at \"db\", port 5432 failed: FATAL:  the database system is starting "
     "up"},
    {"psql", 2,
     "psql: error: connection to server at \"db\", port 5432 failed: FATAL:  sorry, too many clients "
     "already"},
    {"rsync", 10, "rsync: [Receiver] failed to connect to host (10.0.0.1): Connection refused (111)"},
    {"rsync", 30, "rsync error: timeout in data send/receive (code 30) at io.c(195)"},
    {"rsync", 255, "rsync error: unexplained error (code 255) at io.c(231) [sender=3.2.7]"},
    {"scp", 255, "ssh: connect to host example.org port 22: Connection refused"},
    {"scp", 255, "client_loop: send disconnect: Broken pipe"},
    {"ssh", 255, "ssh: connect to host example.org port 22: Connection timed out"},
    {"ssh", 255, "ssh: connect to host example.org port 22: No route to host"},
    {"ssh", 255, "kex_exchange_identification: Connection closed by remote host"},
    {"ssh", 255, "ssh: Could not resolve hostname example.org: Temporary failure in name resolution"},
    {"ssh", 255, "Connection closed by 10.0.0.1 port 22"},
    {"ssh", 255, "Connection timed out during banner exchange"},
    {"terraform", 1, "Error: Error acquiring the state lock"},
    {"terraform", 1, "dial tcp: lookup registry.terraform.io: Temporary failure in name resolution"},
    {"wget", 4, "wget: unable to resolve host address 'example.org'"},
    {"wget", 4, "Connecting to localhost (localhost)|127.0.0.1|:1... failed: Connection refused."},
    {"wget", 8, "2026-01-01 00:00:00 ERROR 503: Service Unavailable."},
};

constexpr failure lasting[] = {
    {"apt", 100, "E: Unable to locate package nosuchpackage"},
    {"apt", 100, "E: Failed to fetch http://deb.debian.org/x.deb  404  Not Found [IP: 151.101.2.132 80]"},
    {"apt", 100, "E: Sub-process /usr/bin/dpkg returned an error code (1)"},
    {"apt", 100, "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)"},
    {"apt", 1, "E: Could not get lock /var/lib/dpkg/lock-frontend"},
    {"curl", 22, "curl: (22) The requested URL returned error: 404"},
    {"curl", 22, "curl: (22) The requested URL returned error: 501"},
    {"curl", 60, "curl: (60) SSL certificate problem: self-signed certificate"},
    {"curl", 3, "curl: (3) URL using bad/illegal format or missing URL"},
    {"docker", 1,
     "Error response from daemon: pull access denied for x, repository does not exist or may require 'docker "
     "login'"},
    {"docker", 1, "Error response from daemon: manifest for debian:nosuch not found: manifest unknown"},
    {"docker", 1,
     "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"},
    {"docker", 2, "toomanyrequests"},
    {"git", 128, "fatal: Authentication failed for 'https://github.com/a/b/'"},
    {"git", 128, "remote: Repository not found."},
    {"git", 128, "fatal: repository 'https://github.com/a/b/' not found"},
    {"git", 128, "fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 403"},
    {"git", 128, "git@github.com: Permission denied (publickey)."},
    {"git", 128, "fatal: not a git repository (or any of the parent directories): .git"},
    {"git", 1, " ! [rejected]        main -> main (fetch first)"},
    {"kubectl", 1, "Error from server (NotFound): pods \"x\" not found"},
    {"kubectl", 1, "Error from server (Forbidden): pods is forbidden"},
    {"kubectl", 1, "error: timed out waiting for the condition on pods/x"},
    {"npm", 1, "npm ERR! code E404"},
    {"npm", 1, "npm ERR! code E401"},
    {"npm", 1, "npm ERR! code ELIFECYCLE"},
    {"pip", 1, "ERROR: No matching distribution found for nosuchpackage"},
    {"pip", 1, "ERROR: HTTP error 404 while getting https://x"},
    {"psql", 2,
     "psql: error: connection to server at \"db\", port 5432 failed: FATAL:  password authentication failed "
     "for user \"x\""},
    {"psql", 2,
     "psql: error: connection to server at \"db\", port 5432 failed: FATAL:  database \"x\" does not exist"},
    {"psql", 2, "server closed the connection unexpectedly"},
    {"psql", 1, "psql: error: connection to server failed: Connection refused"},
    {"rsync", 23, "rsync error: some files/attrs were not transferred (see previous errors) (code 23)"},
    {"rsync", 11, "rsync error: error in file IO (code 11)"},
    {"scp", 255, "user@example.org: Permission denied (publickey)."},
    {"scp", 1, "scp: nosuchfile: No such file or directory"},
    {"ssh", 255, "user@example.org: Permission denied (publickey)."},
    {"ssh", 255, "Host key verification failed."},
    {"ssh", 255, "client_loop: send disconnect: Broken pipe"},
    {"ssh", 255, "Connection to example.org closed by remote host."},
    {"ssh", 1, "ssh: connect to host example.org port 22: Connection refused"},
    {"terraform", 1, "Error: Unsupported argument"},
    {"wget", 8, "2026-01-01 00:00:00 ERROR 404: Not Found."},
    {"wget", 5, "ERROR: cannot verify example.org's certificate"},
};

INSTANTIATE_TEST_SUITE_P(profiles, passing_failure, testing::ValuesIn(passing), name_of);
INSTANTIATE_TEST_SUITE_P(profiles, lasting_failure, testing::ValuesIn(lasting), name_of);

TEST(ready_profiles, are_in_alphabetical_order) {
  const auto& all = ready_profiles();
  EXPECT_GE(all.size(), 10U);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const named_policy& a, const named_policy& b) { return a.name < b.name; }));
}

TEST(ready_profiles, wait_long_enough_and_not_for_ever) {
  for (const named_policy& each : ready_profiles()) {
    EXPECT_GE(each.policy->backoff.base, 1s) << each.name;
    EXPECT_GE(each.policy->backoff.cap, 30s) << each.name;
    EXPECT_EQ(each.policy->deadline, optional(duration(1h))) << each.name;
    EXPECT_NE(each.policy->backoff.jitter, jitter::none) << each.name;
  }
}

TEST(ready_profiles, are_each_told_passing_and_lasting_failures) {
  for (const named_policy& each : ready_profiles()) {
    const auto of_it = [&each](const failure& one) { return one.profile == each.name; };
    EXPECT_TRUE(std::any_of(std::begin(passing), std::end(passing), of_it)) << each.name;
    EXPECT_TRUE(std::any_of(std::begin(lasting), std::end(lasting), of_it)) << each.name;
  }
}

TEST(ready_profiles, read_back_equal) {
  for (const named_policy& each : ready_profiles())
    for (const bool complete : {false, true})
      EXPECT_EQ(policy_file::parse(to_toml(each, complete)).at(each.name), each) << each.name;
}

}  // namespace
