#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# measure.bash <checkout> <folder to work in> <compiler>: in compiled mode, the core (all that decides:
# relent/dependency.hpp, which brings engine, policy, budget, breaker and backoff) may cost at most 1.15 times
# what <chrono> costs, and relent/retry.hpp, the whole library, at most 1.3 times. Instructions of the
# compiler, counted by valgrind.
set -euo pipefail
source=$1 compiler=$3
cd -- "$2"
export LC_ALL=C

instructions() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --trace-children=yes \
    "$compiler" -std=c++20 -O2 -fsyntax-only -DRELENT_COMPILED -I"$source/include" "$1" 2>log || {
    grep -v -e '^==' -e '^--' log >&2
    return 1
  }
  awk '/I +refs:/ { gsub(",", "", $NF); sum += $NF } END { printf "%.0f\n", sum }' log
}

echo '#include <chrono>' >chrono.cpp
echo '#include <relent/retry.hpp>' >retry.cpp
echo '#include <relent/dependency.hpp>' >core.cpp

status=0
base=$(instructions chrono.cpp)
# limit <name> <most, in hundredths of <chrono>>
limit() {
  local count ratio
  count=$(instructions "$1.cpp") || { status=1; return 0; }
  ratio=$((count * 1000 / base))
  printf '%-6s %d.%03d times <chrono>, at most %d.%02d\n' "$1" $((ratio / 1000)) $((ratio % 1000)) $(($2 / 100)) $(($2 % 100))
  ((ratio <= $2 * 10)) || status=1
}
limit core 115
limit retry 130
exit "$status"
