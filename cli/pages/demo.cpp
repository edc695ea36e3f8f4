// SPDX-License-Identifier: Apache-2.0
// All about `relent demo`.
#include "pages.hpp"

namespace relent::cli {
namespace {

constexpr flag how[] = {
    {"--fast", "", "in a few seconds instead of half a minute; the numbers are rougher"},
    {"--plain", "", "lines instead of a chart, as where stdout is no terminal"},
    {"--seed", "N", "which orders get no answer [1]"},
    {"--help", "", "this text", "-h"},
};

constexpr flag_group groups[] = {{"How it is shown", how}};

}  // namespace

page demo_page() {
  return {
      .name = "relent-demo",
      .summary = "watch an outage, without relent and with it",
      .synopsis = {"relent demo [--fast] [--plain] [--seed N]"},
      .lead =
          "Lets a server go down for a while under orders that keep coming, and shows what retries do to it: "
          "first those of a simple loop, then those of Relent.",
      .examples = {},
      .description = R"(
Everything is real: an HTTP server in this process (the one of `relent faults`), which can take so many requests a
second and no more, and clients that send their requests to it through libcurl. It takes half a minute, needs no
network, and leaves nothing behind.)",
      .before_flags = {},
      .groups = {groups[0]},
      .sections =
          {
              {"What it measures", R"(
confirmed, failed :: orders that were told to have been done, and the others
executed more than once :: orders that the server did twice or oftener, as it counted
in vain :: requests that brought no confirmation
at the height :: the most requests in any second
after the outage :: when the server had served nine tenths of the orders that come in, for a second)"},
              {"Exit code", R"(
0 :: it was shown
125 :: wrong usage, or it could not be shown)"},
          },
      .see_also = {"relent(1)", "relent-faults(1)", "relent-run(1)"},
  };
}

}  // namespace relent::cli
