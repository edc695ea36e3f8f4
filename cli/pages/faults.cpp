// SPDX-License-Identifier: Apache-2.0
// All about `relent faults`, its script language included. Each term of the sections on scripts is a script, or a
// part of one, that can be tried: a test does.
#include "pages.hpp"

namespace relent::cli {
namespace {

constexpr flag serving[] = {
    {"--listen", "PLACE",
     "where: 127.0.0.1:8080, [::1]:8080 or a port alone; port 0 is a free one [127.0.0.1:0]", "-l"},
    {"--tls", "", "speak TLS, with a certificate made at the start for localhost and the address"},
    {"--cert-out",
     "FILE",
     "write that certificate there too, before the address is told",
     {},
     completes::file},
    {"--seed", "N", "of `random` and of a latency between two times [1]"},
    {"--idle-timeout", "D", "close a connection on which the client sends nothing [60s]"},
    {"--for", "D", "end after this time [with INT or TERM]"},
};

constexpr flag telling[] = {
    {"--check", "", "check the scripts, and serve nothing"},
    {"--json", "", "at the end print the counts as one JSON object on stdout"},
    {"--quiet", "", "tell nothing but mistakes on stderr", "-q"},
    {"--help", "", "this text", "-h"},
};

constexpr flag_group groups[] = {{"Serving", serving}, {"Telling", telling}};

constexpr std::string_view short_scripts = R"(
A script is one word, so write it in quotes: steps with commas between, behind a path and a colon if it is only
for that path. Each key (the request's Idempotency-Key, else
`key` in its query, else its path) walks through the steps, one a request; the last one repeats.

503 :: any status; `503(retry-after=2)*3` three times with a header
late(2s) :: 200 after the client has lost patience; the work is done
reset, close, stall :: instead of an answer; `reset(after=10KB)` in its body
drip(1KB/s), malformed :: a body that trickles; bytes that are no HTTP
refuse(2s) :: connections are refused for two seconds
random(503:0.2, 200:0.8) :: one of them, by weight

Rules for the whole server are words of their own: `outage=2s..5s`, `capacity=100/s,cost=0.2`, `latency=5ms..20ms`.
The man page, `relent-faults(1)`, has the whole language.)";

constexpr std::string_view scripts = R"(
A script is `[PATH:] STEP, STEP, ...`:

503*2, 200 :: for every path: 503 twice, then 200
/pay: reset, 200 :: for the path /pay; a query does not count
/files/*: 200(body=1MB) :: for every path that begins with /files/

An exact path goes before a prefix, a longer prefix before a shorter one, a path before none. Where scripts have paths
and none fits, the answer is 404; where there are none at all, it is 200.

Every key walks through the steps of its script on its own, one step a request; `*N` behind a step repeats it, the
last step repeats for ever. The key of a request is its Idempotency-Key (without quotes), else the parameter `key` of
its query, else its path.)";

constexpr std::string_view steps = R"(
503 :: that status, 100 to 599; 1xx is sent first, and then 200
late(2s) :: 200 two seconds after the request was whole; the work is done even if the client has gone
reset :: RST when the whole request has been read, before any answer
reset(after=10KB) :: 200, and RST after so many bytes of the body
reset(before=head) :: RST as the first byte arrives, unread
close, close(after=10KB) :: the same with FIN: no answer, a body cut short
unclean :: 200 whose body ends with the connection, without close_notify; with `--tls` only
stall, stall(5s) :: the head is read, and nothing is answered; closed after five seconds
stall(after=10KB), stall(after=10KB, for=5s) :: 200, and silence in the middle of the body
drip(1KB/s) :: 200, the body at that pace: ten seconds of it, or `body=`
malformed :: junk where the status line should be
malformed=head, malformed=length, malformed=chunk, malformed=nul :: a header line without a colon; `Content-Length: -5`;
a chunk size that is no number; a NUL byte in a header
malformed=big-header(10MB) :: one header of that size, at most 100MB
401-until-refresh :: 401 until POST /_relent/refresh; then the walk goes on, past the end with 200
409-while-in-flight(2s) :: the work takes two seconds; another request with its Idempotency-Key gets 409 meanwhile, the
stored answer later
idle-close :: 200 on a connection that is kept, and closed as the next request on it arrives, unread
refuse(2s) :: connections are refused for that time
random(503:0.3, reset:0.1, 200:0.6) :: one of them, by weight; the same for the same seed, key and position

`refuse` and `reset(before=head)` concern connections, before any request is seen. They begin when the step before
them has been answered, at the beginning of a script when the server starts, and hit whoever connects.)";

constexpr std::string_view options = R"(
In parentheses behind a step that answers, with commas between:

body=1MB, body="hello" :: a size, or the text itself; without it the reason phrase
type=text/html, etag=v1 :: Content-Type, ETag (quotes are added)
header="Location: /b" :: any header, any number of times, in the place of the server's own
retry-after=2, retry-after="soon" :: Retry-After as it stands
retry-after=+5s, retry-after=-5s :: the HTTP-date that far ahead, or behind
date=+1h, date=none :: the server's clock is ahead, or is not told; the dates of retry-after go with it
after=100ms :: a delay before the answer
ranges=no :: a Range is ignored
framing=chunked, framing=close :: chunks, or the end of the connection, in the place of Content-Length
keep-alive=no, keep-alive=2s :: closes the connection after the answer; or when it was idle for so long
read=head :: answers without having read the request's body, and closes
execute=yes, execute=no :: whether the work is done

A size is bytes, or has B, KB, MB, GB, KiB, MiB or GiB. A body of a size is made of lines of sixteen bytes, each the
offset of its first byte. A text is in quotes with `\"`, `\\`, `\n`, `\r`, `\t` in it, or without quotes up to the next comma
or parenthesis.)";

constexpr std::string_view rules = R"(
Words of their own beside the scripts, one rule or several with commas between:

outage=2s..5s, outage=2s..5s:refuse :: from 2s to 5s after the first request 503, or that step, in the place of the walk;
`refuse` closes the listener and every idle connection
capacity=100/s, capacity=100/s:429(retry-after=1) :: beyond so many requests in a second 503, or that step; a tenth of a
second's worth may come at once
capacity=100/s, cost=0.2 :: turning one away costs a fifth of a request: at 500 requests a second nothing is served
latency=10ms, latency=5ms..20ms :: added before every answer of a walk)";

constexpr std::string_view exactly_once = R"(
The server is an adversary: it does the work and then fails. Work counts as done for 2xx, 500, 502, 504 and every
fault after the whole request was read; not for other statuses, `stall`, `read=head` and `before=head`. `execute=`
says otherwise.

Work asked for with an Idempotency-Key is done once. The walk goes on as the script says, but a 2xx is then the stored
answer, with `Idempotent-Replayed: true`; the same key with another method, target or body gets 422. So a client that
repeats a POST without a key is found out by its EXECUTIONS, which are 2.)";

constexpr std::string_view counting = R"(
GET /_relent/counts :: the counts of each key, their sum, connections, and the load by tenths of a second, as JSON
POST /_relent/reset :: begins anew: keys, walks, stored answers, outages
POST /_relent/refresh :: what `401-until-refresh` waits for

These are not counted, and no script concerns them. When it ends, the server prints the counts as a table on stderr:
ATTEMPTS are request heads that came in, EXECUTIONS how often the work was done, ANSWERED the answers that were written
whole, and as far as there are any REJECTED by outage or capacity, CONFLICTS with 409 or 422, REPLAYED stored answers,
DROPPED by idle-close, OTHER BODY requests whose body was not that of the first.)";

}  // namespace

page faults_page() {
  return {
      .name = "relent-faults",
      .summary = "an HTTP server that misbehaves on request, to test clients",
      .synopsis = {"relent faults [FLAGS] [SCRIPT...]"},
      .lead =
          "Serves HTTP/1.1 that misbehaves as scripts say, and tells how often it was asked and how often "
          "the work was done.",
      .examples = R"(
  relent faults -l 8080 '503(retry-after=1)*2, 200'
  relent faults -l 8080 '/pay: reset, 200' 'outage=2s..5s')",
      .description = R"(
For the tests of anything that makes HTTP requests. The address is printed alone on stdout as soon as it listens. It
serves until INT or TERM, and then prints the counts.)",
      .before_flags = "D is a length of time: `250ms`, `10s`, `1.5m`. Defaults are in brackets.",
      .groups = {groups[0], groups[1]},
      .sections =
          {
              {"Scripts", std::string(short_scripts)},
              {"Script language", std::string(scripts), shown::man_only},
              {"Steps", std::string(steps), shown::man_only},
              {"Options of a step", std::string(options), shown::man_only},
              {"Rules for the whole server", std::string(rules), shown::man_only},
              {"Exactly once", std::string(exactly_once), shown::man_only},
              {"Counts", std::string(counting), shown::man_only},
              {"In a script", R"(
  exec 3< <(relent faults --quiet '503, 200')
  server=$! && read -r url <&3
  curl --retry 2 "$url/report"
  curl "$url/_relent/counts"
  kill "$server")",
               shown::man_only},
              {"Exit code", R"(
0 :: it was ended by INT, TERM or `--for`, or the scripts are right
125 :: wrong usage, a mistake in a script, or it cannot listen there

An address that is not of this machine alone is warned of: there is no protection against anybody.)"},
          },
      .see_also = {"relent(1)", "relent-fetch(1)", "relent-run(1)"},
      .operand = completes::words,
      .operand_words =
          "reset close stall unclean malformed idle-close 401-until-refresh 409-while-in-flight "
          "refuse late drip random outage= capacity= latency=",
  };
}

}  // namespace relent::cli
