// SPDX-License-Identifier: Apache-2.0
// The ready policies for common commands: a policy file like any other, read once.
// Where a command ends with the same exit code for a lost connection and for a wrong password, what it says
// decides. One that is told to be silent about such a failure (git -q, ssh -q) is therefore not tried again.
#include "reader.hpp"

namespace relent {
namespace {

constexpr std::string_view text = R"toml(
[policy.default]
max_attempts = 5
backoff = { base = "1s", cap = "30s" }

# Somebody else holds the lock, or the mirror does not answer. Not: a package or a file that does not exist.
# An `apt-get update` that could not reach its mirrors ends with 0 unless given -o APT::Update::Error-Mode=any.
[policy.apt]
max_attempts = 10
backoff.base = "2s"
command.retry_on = "100,timeout"
command.retry_on_output = '(Could not get|Unable to acquire the dpkg frontend) lock|Unable to lock (the )?(directory|administration)|Temporary failure resolving|Could not connect to|Unable to connect to|Connection (failed|timed out|refused|reset)|Could not wait for server|Error reading from server|Hash Sum mismatch|File has unexpected size|(^|[^0-9])(408|429|50[0234])  ?[A-Z]'

# Name not resolved, no connection, cut short, too slow, TLS or stream broken off; with -f also the statuses that
# can be other a moment later, which takes -S where there is -s. Not: a certificate that does not fit, a 404.
[policy.curl]
command.retry_on = "5,6,7,16,18,22,28,35,52,55,56,92,timeout"
command.output_decides_for = "22"
command.retry_on_output = 'returned error: (408|425|429|50[0234]|52[0-9])'

# For pull, push and build: the registry limits, or the way to it is broken. Its limit lasts longer than most.
# Not: no such image, access denied, no daemon.
[policy.docker]
backoff = { base = "5s", cap = "2m" }
command.retry_on = "1,125,timeout"
command.retry_on_output = 'toomanyrequests|Too Many Requests|TLS handshake timeout|i/o timeout|Client\.Timeout exceeded|context deadline exceeded|connection reset by peer|(tcp|http)[^ ]* .*connection refused|unexpected EOF|server misbehaving|Temporary failure in name resolution|(status|status code|status from [^ ]+ request to [^ ]+): (429|50[0234])|50[0234] (Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)'

# For clone, fetch and push. Not: a wrong password, a repository that is not there, a rejected push.
[policy.git]
command.retry_on = "1,128,timeout"
command.retry_on_output = 'early EOF|[Tt]he remote end hung up unexpectedly|Could not resolve host|Temporary failure in name resolution|Failed to connect to|Connection (refused|reset|timed out|closed by)|Operation timed out|Empty reply from server|RPC failed|SSL_ERROR_SYSCALL|GnuTLS recv error|HTTP/2 stream|kex_exchange_identification|returned error: (408|429|5[0-9][0-9])'

# The API server, or etcd behind it, is away for a moment. Not: what is not found or forbidden, or a condition
# that `kubectl wait` waited for in vain.
[policy.kubectl]
command.retry_on = "1,timeout"
command.retry_on_output = 'connection refused|connection reset by peer|TLS handshake timeout|i/o timeout|Client\.Timeout exceeded|unexpected EOF|Unable to connect to the server: (EOF|net/http)|etcdserver: (request timed out|leader changed|no leader)|server is currently unable to handle the request|Too ?Many ?Requests|ServiceUnavailable|client connection lost|server sent GOAWAY|Timeout: request did not complete'

# The names that node gives to broken connections, and the statuses of a registry in trouble. Not: 404, 401, scripts
# that fail.
[policy.npm]
command.retry_on_output = 'ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT|EAI_AGAIN|EPIPE|socket hang up|network timeout|E(429|50[0234])([^0-9]|$)|(429|50[0234]) (Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)'

# Not: a version that no index has, a build that fails, a certificate that does not fit.
[policy.pip]
command.retry_on = "1,2,timeout"
command.retry_on_output = 'ReadTimeoutError|ConnectTimeoutError|Read timed out|NewConnectionError|Connection (reset|refused|aborted|broken|timed out)|ProtocolError|IncompleteRead|RemoteDisconnected|Temporary failure in name resolution|(429|50[0234]) (Client|Server) Error'

# Exit code 2 is a connection that failed: the server is starting, full, or not there yet. A connection that was
# lost later may have done its work, and is left alone, as are passwords and databases that are wrong.
[policy.psql]
command.retry_on = "2"
command.retry_on_output = 'Connection refused|Connection timed out|timeout expired|No route to host|Network is unreachable|Temporary failure in name resolution|the database system is (starting up|shutting down|in recovery mode|not yet accepting connections)|too many (clients|connections)|remaining connection slots are reserved'

# Socket, protocol stream, time-outs, and ssh below it: rsync goes on where it was.
[policy.rsync]
command.retry_on = "10,12,30,35,255,timeout"

# Copying twice does no harm, so a connection lost on the way is tried again as well.
[policy.scp]
command.retry_on = "1,255,timeout"
command.retry_on_output = 'ssh: connect to host .*: (Connection (refused|timed out|reset by peer)|No route to host|Network is unreachable|Operation timed out)|Temporary failure in name resolution|kex_exchange_identification|banner exchange|Connection (closed|reset) by [^ ]+ port|client_loop: send disconnect|Timeout, server [^ ]+ not responding|Connection to [^ ]+ closed by remote host'

# 255 is ssh's own; any other code is that of the remote command. Only what fails before the command has begun.
# Not: a wrong key, which servers answer by locking out, and a connection lost or a time-out later, when the command
# may have run.
[policy.ssh]
command.retry_on = "255"
command.retry_on_output = 'ssh: connect to host .*: (Connection (refused|timed out|reset by peer)|No route to host|Network is unreachable|Operation timed out)|Temporary failure in name resolution|kex_exchange_identification|banner exchange|Connection (closed|reset) by [^ ]+ port'

# Somebody else holds the state's lock, or a registry or a provider's API is in trouble.
[policy.terraform]
backoff = { base = "5s", cap = "1m" }
command.retry_on = "1"
command.retry_on_output = 'Error acquiring the state lock|TLS handshake timeout|i/o timeout|Client\.Timeout exceeded|context deadline exceeded|connection reset by peer|connection refused|unexpected EOF|Temporary failure in name resolution|Too Many Requests|(429|50[0234]) (Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)'

# 4 is the network, 8 a status that is no success. Not: 404, a certificate that does not fit.
[policy.wget]
command.retry_on = "4,8,timeout"
command.output_decides_for = "8"
command.retry_on_output = 'ERROR (408|425|429|50[0234]|52[0-9])'
)toml";

std::vector<named_policy> read_all() {
  const named_policy base{.name = {}, .policy = policy_options{.deadline = std::chrono::hours{1}}};
  std::vector<named_policy> all =
      detail::read_policies(text, "ready profiles", base, []() -> const std::vector<named_policy>& {
        static const std::vector<named_policy> none;
        return none;
      });
  all.erase(all.begin());  // default, which is only what they have in common
  return all;
}

}  // namespace

const std::vector<named_policy>& ready_profiles() {
  static const std::vector<named_policy> all = read_all();
  return all;
}

}  // namespace relent
