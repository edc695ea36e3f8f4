// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server that misbehaves on request, to test any client against: the class, and the reference of its
// script language. Target relent::fault_server; docs/fault_server.md has examples.
//
// SCRIPTS. Each is one string: [PATH:] STEP, STEP, ...
//   503*2, 200                               for every path
//   /pay: 503(retry-after=2)*2, 200          for the path /pay; a query does not count
//   /files/*: 200(body=1MB, etag=a)          for every path that begins with /files/
// An exact path goes before a prefix, a longer prefix before a shorter one, a path before none. Where scripts
// have paths and none fits, the answer is 404; where there are none at all, it is 200.
//
// Every key walks through the steps of its script on its own, one step a request; the last step repeats for
// ever. The key of a request is its Idempotency-Key (without quotes), else the parameter `key` of its query, else
// its path.
//
// STEPS. *N after a step repeats it. "body" means its size or text; "work" what a request asks for.
//   100..599              that status; 1xx is sent first, and then 200
//   late(D)               200, D after the request was whole: 200(after=D)
//   reset                 RST when the whole request has been read, before any answer
//   reset(after=SIZE)     200, RST after so many bytes of the body
//   reset(before=head)    RST as the first byte arrives, unread: hits whoever connects next (see AHEAD)
//   close                 as reset, with FIN; TLS says close_notify first
//   close(after=SIZE)     200, FIN after so many bytes of the body: a body cut short
//   unclean               200 whose body ends with the connection, and no close_notify; TLS only
//   stall                 the head is read, nothing is answered; stall(D): and closed after D
//   stall(after=SIZE)     200, silence after so many bytes of the body; stall(after=SIZE, for=D): closed after D
//   drip(SIZE/s)          200, the body at that pace; without body=, ten seconds of it
//   malformed             junk where the status line should be. Others: malformed=head (a line without a colon),
//                         =length (Content-Length: -5), =chunk (a chunk size that is no number), =nul (NUL in a
//                         header), =big-header(SIZE) (one header of that size, at most 100MB)
//   401-until-refresh     401 until credentials are refreshed; then the walk goes on, past the end with 200
//   409-while-in-flight(D)  the work takes D (1s); requests with its Idempotency-Key get 409 meanwhile, and
//                         the stored answer later
//   idle-close            200 with keep-alive; the connection is closed as the client's next request on it arrives,
//                         unread, and counted as dropped
//   refuse(D)             connections are refused for D (see AHEAD)
//   random(STEP:W, ...)   one of the steps, by weight, chosen by the seed, the key and how many were chosen before
//
// OPTIONS of steps that answer, in parentheses, with commas between:
//   body=SIZE | "text"    its size (see BODIES), or itself; without it the reason phrase
//   type=T  etag=E        Content-Type, ETag (quotes are added)
//   header="Name: value"  any other header, any number of times; in the place of the server's own
//   retry-after=N | "text" | +D | -D   as it stands, or the HTTP-date that far ahead (behind), rounded up
//   date=+D | -D | "text" | none       the server's clock is ahead (behind); the dates of retry-after go with it
//   after=D               delay before the answer (steps that are cut use after= for the place of the cut)
//   ranges=no             Range is ignored: always the whole body
//   framing=chunked | close   instead of Content-Length: chunks, or the end of the connection
//   keep-alive=no | D     closes the connection after the answer; or when it was idle for D
//   read=head             answers without having read the request's body, and closes
//   execute=yes | no      whether the work is done. Without it: yes for 2xx, 500, 502, 504 and every fault that has
//                         read the whole request (the server is your adversary); no for the others, and for stall,
//                         read=head and before=head
// With Expect: 100-continue, an answer of 400 or more that does no work is sent in the place of the 100.
//
// EXACTLY ONCE. Work asked for with an Idempotency-Key is done once. The walk goes on as the script says, so
// `reset, 200` loses the first answer; but nothing is done again, and a 2xx is the stored answer, with
// Idempotent-Replayed: true. The same key with another method, target or body is answered 422.
//
// AHEAD. refuse and reset(before=head) concern connections, not requests. They begin when the step before them has
// been answered, in the beginning of a script when the server starts: `refuse(2s), 200` refuses for two seconds
// from the start. They hit whoever connects, whatever its key. The connection of that answer is closed, and with
// refuse every idle one. reset(before=head)*N resets N connections; in the last place of a script without a path,
// all from then on; with a path, the request is reset when its head is there. A request that meets either step
// on a connection that was open is reset, unread.
//
// BODIES of a size are lines of sixteen bytes, each the offset of its first byte in fifteen digits, so that what
// is lost or doubled can be seen: fault_body. GET with Range (one range, If-Range with a strong ETag) gets 206.
//
// SIZE: bytes; with B, KB, MB, GB (powers of 1000) or KiB, MiB, GiB. At most 1TiB.
// D: a duration with its unit, 250ms, 2s, 1m (duration_text.hpp). Text: in quotes, with \" \\ \n \r \t in it, or
// without quotes up to the next comma or parenthesis; a body without quotes that begins with a digit is a size.
//
// RULES for the whole server are scripts of their own, several with commas between: capacity=100/s, cost=0.2
//   outage=2s..5s[:STEP]  from 2 s to 5 s after the first request, STEP instead of the walk (503; 429, refuse, reset,
//                         stall, ...); refuse also closes the listener and every idle connection
//   capacity=N/s[:STEP]   beyond N requests in a second (a tenth of a second's worth may come at once) STEP (503)
//   cost=X                what such a rejection costs, in requests (0); with it, a flood leaves nothing for work
//   latency=D | D..D      added before every answer of a walk
//
// BUILT IN: GET /_relent/counts (counts_json), POST /_relent/reset (reset_counts), POST /_relent/refresh
// (refresh_credentials). They are not counted, and no rule or script concerns them.
#pragma once

#include <relent/time.hpp>
#include <relent/version.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace relent::testing {

/// What a fault server is made from.
struct fault_server_options {
  std::string address = "127.0.0.1";            ///< an IPv4 or IPv6 address to listen on
  std::uint16_t port = 0;                       ///< 0: a free one
  std::vector<std::string> scripts = {};        ///< none: 200 for everything
  std::uint64_t seed = 1;                       ///< of random steps and of latencies
  bool tls = false;                             ///< with a certificate made at the start (EC P-256)
  std::size_t threads = 1;                      ///< that serve, 1 to 64
  duration idle_timeout = detail::seconds(60);  ///< after which a silent client's connection is closed
};

/// Scripts that cannot be used. what() has a line for each problem of each script, with the number of the script
/// and the place in it, both from 1: "script 1:5: 'tetry-after' is no option of a step: did you mean retry-after?".
class fault_script_error : public std::runtime_error {
 public:
  explicit fault_script_error(std::vector<std::string> problems);
  /// The lines of what(); at least one.
  const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  std::vector<std::string> problems_;
};

/// Throws fault_script_error if a server could not be made from these scripts. Thread-safe.
void check_fault_scripts(const std::vector<std::string>& scripts, bool tls = false);

/// What was seen of one key.
struct key_counts {
  std::uint64_t attempts = 0;          ///< request heads that came in
  std::uint64_t executions = 0;        ///< how often the work was done
  std::uint64_t bodies_complete = 0;   ///< requests that came in whole, also those without a body
  std::uint64_t body_bytes = 0;        ///< bytes of request bodies
  std::uint64_t bodies_different = 0;  ///< whole bodies that were not the bytes of the first one
  std::uint64_t answered = 0;          ///< answers of any status that were written whole
  std::uint64_t rejected = 0;          ///< requests turned away by outage or capacity
  std::uint64_t conflicts = 0;         ///< requests answered 409 because their key was in flight, or 422
  std::uint64_t replayed = 0;          ///< answers that were stored ones
  std::uint64_t dropped = 0;           ///< requests that idle-close closed the connection on, unread

  friend bool operator==(const key_counts&, const key_counts&) = default;
};

/// A tenth of a second of a server's life.
struct load_bucket {
  std::uint32_t arrived = 0;   ///< request heads that came in
  std::uint32_t served = 0;    ///< requests for which the script decided on a status below 400
  std::uint32_t rejected = 0;  ///< requests turned away by outage or capacity

  friend bool operator==(const load_bucket&, const load_bucket&) = default;
};

/// `size` bytes, from `offset` on, of the body that body=SIZE stands for.
std::string fault_body(std::uint64_t offset, std::size_t size);

/// The server. Every member but the destructor may be called from any thread at any time.
class fault_server {
 public:
  /// Is listening when it returns (unless a script begins with refuse). Throws fault_script_error;
  /// std::invalid_argument for an option out of its range; std::system_error if it cannot listen there.
  explicit fault_server(const fault_server_options& options);
  /// Closes every connection, also those that stall, and waits for its threads.
  ~fault_server();
  fault_server(const fault_server&) = delete;
  fault_server& operator=(const fault_server&) = delete;

  std::uint16_t port() const noexcept;
  /// "http://127.0.0.1:PORT/path", with https for TLS. `path` begins with a slash.
  std::string url(std::string_view path = "/") const;
  /// The certificate as PEM, which a client has to trust; empty without TLS.
  const std::string& certificate_pem() const noexcept;
  /// The path of a file with that certificate, which goes with the server; empty without TLS.
  const std::string& certificate_file() const noexcept;

  /// What was seen of a key since the start or reset_counts; zeros for a key that never came.
  key_counts counts(std::string_view key) const;
  /// The sum over all keys.
  key_counts totals() const;
  /// Connections accepted since the start or reset_counts, also those that were reset at once.
  std::uint64_t connections() const;
  /// Tenths of a second since the first request, up to now; the first hour is kept.
  std::vector<load_bucket> load() const;
  /// {"keys":{"/pay":{"attempts":3,...}},"totals":{...},"connections":3,"load":{"bucket_ms":100,"arrived":[...],
  /// "served":[...],"rejected":[...]}}
  std::string counts_json() const;
  /// Forgets every key, count, stored answer and the time of the first request: each walk begins anew.
  void reset_counts();
  /// What the 401-until-refresh steps wait for that a request has met so far.
  void refresh_credentials();

 private:
  class implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace relent::testing
