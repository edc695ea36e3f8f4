// SPDX-License-Identifier: Apache-2.0
// The table.
#include "absent_flags.hpp"

namespace relent::cli {
namespace {

constexpr std::string_view by_run = "is not there: use relent run --profile curl -- curl -fsS ...";

constexpr absent_flag table[] = {
    {"--form", "-F", true, by_run},
    {"--form-string", "", true, by_run},
    {"--cookie-jar", "-c", true, by_run},
    {"--config", "-K", true, by_run},
    {"--netrc", "-n", false, "is not there: use --user, or a header from a file: -H @FILE"},
    {"--netrc-file", "", true, "is not there: use --user, or a header from a file: -H @FILE"},
    {"--digest", "", false, by_run},
    {"--negotiate", "", false, by_run},
    {"--ntlm", "", false, by_run},
    {"--anyauth", "", false, by_run},
    {"--basic", "", false, "is not needed: --user means it"},
    {"--continue-at", "-C", true,
     "is not there, since what was there before may be of another version: use --resume"},
    {"--write-out", "-w", true, "is not there: --log - --log-format json has status, times and bytes"},
    {"--verbose", "-v", false, "is not there: --log - tells of each attempt"},
    {"--trace", "", true, "is not there: --log - tells of each attempt"},
    {"--trace-ascii", "", true, "is not there: --log - tells of each attempt"},
    {"--dump-header", "-D", true, "is not there: --include writes the head before the body"},
    {"--parallel", "-Z", false, "is not there: one address at a time, as by xargs -P"},
    {"--next", "-:", false, "is not there: one address at a time"},
    {"--progress-bar", "-#", false, "is not needed: there is one on a terminal"},
    {"--no-buffer", "-N", false, "is not there: the answer is written once it is whole"},
    {"--remote-header-name", "-J", false, "is not there: write -o FILE"},
    {"--remote-time", "-R", false, "is not there: write touch afterwards"},
    {"--output-dir", "", true, "is not there: write -o FOLDER/FILE"},
    {"--remove-on-error", "", false, "is not needed: a file is whole or as it was"},
    {"--speed-limit", "-Y", true, "is not there: --stall-timeout ends an attempt in which nothing moves"},
    {"--speed-time", "-y", true, "is not there: --stall-timeout ends an attempt in which nothing moves"},
    {"--time-cond", "-z", true, "is not there: send -H 'If-Modified-Since: ...'"},
    {"--etag-save", "", true, "is not there: --resume keeps what it needs itself"},
    {"--etag-compare", "", true, "is not there: send -H 'If-None-Match: ...'"},
    {"--fail-early", "", false, "is not needed: there is one address"},
    {"--disable", "-q", false, "is not needed: there is no file of defaults"},
    {"--http2-prior-knowledge", "", false, by_run},
    {"--http3", "", false, by_run},
    {"--connect-to", "", true, "is not there: use --resolve"},
    {"--ciphers", "", true, by_run},
    {"--capath", "", true, "is not there: use --cacert FILE"},
    {"--interface", "", true, by_run},
    {"--post301", "", false, by_run},
    {"--post302", "", false, by_run},
    {"--post303", "", false, by_run},
    {"--location-trusted", "", false, "is not there: credentials stay with the host they were given for"},
};

}  // namespace

std::span<const absent_flag> absent_curl_flags() { return table; }

}  // namespace relent::cli
