// SPDX-License-Identifier: Apache-2.0
// All about `relent fetch`: its flags, which are curl's where curl has them, and what they do together.
#include "../policy_flags.hpp"
#include "../policy_source.hpp"
#include "pages.hpp"

namespace relent::cli {
namespace {

constexpr flag asked[] = {
    {"--request", "METHOD", "the method [GET; POST with data, PUT with --upload-file]", "-X"},
    {"--header", "LINE", "a header, as in 'Accept: text/plain'; @FILE: one from each line of it", "-H",
     completes::file},
    {"--data", "DATA", "send this as a form; @FILE or @- (stdin): without its line ends", "-d",
     completes::file},
    {"--data-raw", "DATA", "the same, and an @ is only an @"},
    {"--data-binary", "DATA", "the same as --data, with line ends as they are", {}, completes::file},
    {"--data-urlencode", "DATA", "the same, encoded: TEXT, NAME=TEXT, @FILE or NAME@FILE"},
    {"--json", "DATA", "send this as JSON; @FILE or @- as with --data", {}, completes::file},
    {"--upload-file", "FILE", "send this file; - for stdin", "-T", completes::file},
    {"--stdin-limit", "SIZE", "keep so much piped input for further attempts: 10MB, 1GiB [8GiB]"},
    {"--get", "", "put the data into the address", "-G"},
    {"--head", "", "ask for the head of the answer, and print it", "-I"},
    {"--user", "NAME:PASSWORD", "basic authentication", "-u"},
    {"--oauth2-bearer", "TOKEN", "bearer authentication"},
    {"--user-agent", "NAME", "who asks [relent/VERSION]; empty for none", "-A"},
    {"--referer", "URL", "where the address was found", "-e"},
    {"--cookie", "NAME=VALUE", "cookies to send", "-b"},
    {"--range", "FIRST-LAST", "only these bytes", "-r"},
    {"--compressed", "", "let the server compress the answer, and unpack it"},
    {"--url", "URL", "the address"},
    {"--globoff", "", "braces and brackets in the address stand for themselves", "-g"},
};

constexpr flag repeating[] = {
    {"--idempotency-key", "[=KEY]", "send this key, or one made up, with every attempt: POST is retried"},
    {"--idempotency-key-style",
     "S",
     "quoted, as the draft says, or raw, as most payment services want it [quoted]",
     {},
     completes::words,
     "quoted raw"},
    {"--repeatable", "", "it may be done twice: retry it as a GET is"},
};

constexpr flag answers[] = {
    {"--output", "FILE", "write the answer there: whole, or the file stays as it was", "-o", completes::file},
    {"--remote-name", "", "write it to a file named as the address ends", "-O"},
    {"--create-dirs", "", "make the folders that --output names"},
    {"--resume", "", "go on where an attempt, or an earlier relent fetch --resume, broke off"},
    {"--include", "", "write the answer's head before its body", "-i"},
    {"--fail", "", "a status of 400 or more is a failure; here it is one in any case", "-f"},
    {"--fail-with-body", "", "write the body of a failure too, its first 64 KiB"},
    {"--location", "", "follow redirects", "-L"},
    {"--max-redirs", "N", "at most so many [50]"},
};

constexpr flag times[] = {
    {"--connect-timeout", "S", "seconds for connecting, TLS included [10]"},
    {"--max-time", "S", "seconds for one attempt, as --attempt-timeout; --deadline is for all", "-m"},
    {"--stall-timeout", "D",
     "an attempt in which nothing moves for so long has failed; none for no limit [60s]"},
    {"--retry", "N", "so many attempts after the first: --max-attempts is one more"},
    {"--retry-delay", "S", "wait between half of so many seconds and all of them; --jitter none: all"},
    {"--retry-max-time", "S", "all ends after so many seconds: --deadline"},
    {"--retry-connrefused", "", "retry what is refused; here that is retried in any case"},
    {"--retry-all-errors", "", "no effect: what can succeed is retried in any case, and nothing else"},
};

constexpr flag connections[] = {
    {"--insecure", "", "do not check the server's certificate", "-k"},
    {"--cacert", "FILE", "trust these certificates in the place of the system's", {}, completes::file},
    {"--cert", "FILE", "the client's certificate, with its key", "-E", completes::file},
    {"--key", "FILE", "its key, if that is in another file", {}, completes::file},
    {"--proxy", "URL", "connect through this proxy [of the environment]", "-x"},
    {"--noproxy", "LIST", "hosts without a proxy"},
    {"--resolve", "HOST:PORT:ADDRESS", "where to find a host"},
    {"--unix-socket", "FILE", "connect to this socket", {}, completes::file},
    {"--limit-rate", "SIZE", "so many bytes a second at most: 100k, 2M"},
    {"--proto", "LIST", "https, '=https' or http,https: what the address and redirects may be"},
    {"--tlsv1.2", "", "TLS 1.2 or newer; TLS 1.3 with the next"},
    {"--tlsv1.3", "", "TLS 1.3 or newer"},
    {"--http1.1", "", "HTTP/1.1 only"},
    {"--http2", "", "HTTP/2 where the server has it"},
    {"--ipv4", "", "IPv4 only", "-4"},
    {"--ipv6", "", "IPv6 only", "-6"},
};

constexpr flag telling[] = {
    {"--silent", "", "tell nothing on stderr but wrong usage", "-s"},
    {"--show-error", "", "with --silent: tell all the same why it failed", "-S"},
    {"--no-progress-meter", "", "draw no progress bar"},
    {"--log",
     "FILE",
     "append a record of each attempt and of the outcome; - for stderr",
     {},
     completes::file},
    {"--log-format", "F", "text, json or logfmt [text]", {}, completes::words, "text json logfmt"},
    {"--budget", "NAME",
     "share a retry budget with all relent run and fetch of this user and host that name it"},
    {"--dry-run", "", "explain what would be done, and do nothing"},
    {"--help", "", "this text", "-h"},
};

}  // namespace

std::span<const flag_group> fetch_flags() {
  static const flag_group groups[] = {
      {"The request", asked},
      {"What may be repeated", repeating},
      {"The answer", answers},
      {"How often and how long", policy_flags},
      {"The same as curl has it", times},
      {"Ready rules", policy_source_flags},
      {"The connection", connections},
      {"Telling", telling},
  };
  return groups;
}

page fetch_page() {
  return {
      .name = "relent-fetch",
      .summary = "make an HTTP request, and make it again while it fails",
      .synopsis = {"relent fetch [FLAGS] URL"},
      .lead = "Makes an HTTP request, and makes it again while it fails.",
      .examples = R"(
  relent fetch https://example.com/health
  relent fetch --resume -o big.iso https://example.com/big.iso
  relent fetch --json '{"amount": 5}' --idempotency-key https://example.com/pay)",
      .description = R"(
For scripts that use `curl --retry`: the flags that people know keep their meaning. The answer's body goes to stdout
once it is whole, or to a file; nothing of a failed attempt ever does.)",
      .before_flags = R"(
D is a length of time: `250ms`, `10s`, `1.5m`. S is the same, or a number of seconds as curl has it. Defaults are in
brackets. Short flags may be put together, as in `-sSfLo FILE`.)",
      .groups = {fetch_flags().begin(), fetch_flags().end()},
      .sections =
          {
              {"What is tried again", R"(
A status of 400 or more is a failure. Those that may pass are tried again: 408, 421, 425, 429, 500 (once), 502, 503,
504 and their relatives, and whatever breaks before the answer is whole. A wait that the server asks for
(Retry-After in every form, RateLimit) is kept.)"},
              {"POST and PATCH", R"(
They are tried again only if the attempt proves that nothing was done (not connected, refused, 425) or if the server
can tell a repetition: `--idempotency-key` sends the same key with every attempt. `--repeatable` is your word that it
may be done twice.)"},
              {"Files", R"(
With `--output` the answer is written beside the file, and takes its place when it is whole. With `--resume` what came
stays in FILE.relent-part when all attempts failed, and the next `relent fetch --resume` goes on from there, provided
that the server proves by an ETag or a date that it is still the same; otherwise it begins anew.)"},
              {"Uploads", R"(
What comes through a pipe is kept for further attempts, up to `--stdin-limit`; beyond that there is no further one. An
upload is never sent short.)"},
              {"Time", R"(
`--deadline` bounds all attempts and waits together, and cuts the attempt under way. `--stall-timeout` ends an
attempt in which no byte moves.)"},
              {"Exit code", R"(
Those of curl:

0 :: the answer is whole, with a status below 400
22 :: a status of 400 or more
5, 6 :: the proxy's or the server's name was not resolved
7 :: not connected
1, 8 :: the answer is not HTTP, or its head is too large
16, 92 :: HTTP/2 broke
18 :: the answer was cut short
23 :: the answer could not be written
26 :: what is to be sent could not be read
28 :: a time limit
33 :: the server sends other parts of a file than were asked for (`--resume`)
35, 60 :: TLS failed; the certificate is not trusted
47 :: too many redirects
52 :: no answer
55, 56 :: the connection broke in sending, in receiving
125 :: wrong usage, or a failure of relent itself
128+n :: it was ended by signal n

What relent tells goes to stderr, with `relent:` before it.)"},
              {"Environment", R"(
http_proxy, HTTPS_PROXY, ALL_PROXY, NO_PROXY :: proxies, as curl has them
TMPDIR :: where answers and piped input are kept that do not fit into memory [/tmp]

Inside an attempt of a `relent run`, one attempt is made and the outer deadline is kept, so that attempts do not
multiply; `--nested retry` makes it retry all the same. A key that is made up is then made of the outer run's own,
and is the same when that repeats its attempt.)",
               shown::man_only},
          },
      .see_also = {"relent(1)", "relent-run(1)", "relent-explain(1)", "relent-budget(1)", "curl(1)"},
  };
}

}  // namespace relent::cli
