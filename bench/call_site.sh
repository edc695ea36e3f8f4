#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/call_site.sh [<compiler>]: what one more call of relent::retry costs, in compiled mode at -O2: compile time
# and code. Compiles a file with 0, 100 and 200 distinct calls of an operation of its own, five times in turn, and
# divides the difference of the best times. The same operations called directly are subtracted; what a loop
# written by hand costs stands beside it.
set -euo pipefail
source=$(cd -- "$(dirname -- "$0")/.." && pwd)
compiler=${1:-c++}
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder"
export LC_ALL=C

# generate <kind> <calls>
generate() {
  echo '#include <relent/retry.hpp>'
  echo '#include <chrono>'
  echo '#include <stdexcept>'
  echo 'extern const relent::policy rules; int serve(int); void pause(std::chrono::milliseconds);'
  for ((i = 0; i < $2; ++i)); do
    case $1 in
      direct) echo "int call_$i() { return serve($i); }" ;;
      relent) echo "int call_$i() { return relent::retry(rules, [] { return serve($i); }); }" ;;
      by_hand) cat <<HAND
int call_$i() {
  auto wait = std::chrono::milliseconds{100};
  for (int attempt = 1;; ++attempt) {
    try {
      return serve($i);
    } catch (const std::runtime_error&) {
      if (attempt == 3) throw;
    }
    pause(wait);
    wait *= 2;
  }
}
HAND
        ;;
    esac
  done
}

exec 3>&2  # where the compiler complains
declare -A best code
for kind in direct by_hand relent; do
  for calls in 0 100 200; do generate $kind $calls >${kind}_$calls.cpp; done
done
for round in 1 2 3 4 5; do
  for kind in direct by_hand relent; do
    for calls in 0 100 200; do
      name=${kind}_$calls
      # The compiler's own processor time, so that what else runs matters little.
      TIMEFORMAT='%U %S'
      took=$({ time "$compiler" -std=c++20 -O2 -DRELENT_COMPILED -I"$source/include" -c $name.cpp -o $name.o 2>&3; } 2>&1 |
        awk 'END { printf "%d\n", ($1 + $2) * 1e6 }')
      ((${best[$name]:-$took} < took)) || best[$name]=$took
      # Code, constants and unwind tables: what a program grows by.
      code[$name]=$(size $name.o | awk 'NR == 2 { print $1 + $2 }')
    done
  done
done

echo "| one more call site | compile time, ms | code and tables, bytes |"
echo "|---|---|---|"
for kind in direct by_hand relent; do
  awk -v kind=$kind -v t0=${best[${kind}_100]} -v t1=${best[${kind}_200]} -v c0=${code[${kind}_100]} \
    -v c1=${code[${kind}_200]} 'BEGIN { printf "| %s | %.2f | %.0f |\n", kind, (t1 - t0) / 1e5, (c1 - c0) / 100 }'
done
awk -v r=$((best[relent_200] - best[relent_100])) -v d=$((best[direct_200] - best[direct_100])) \
  -v rc=$((code[relent_200] - code[relent_100])) -v dc=$((code[direct_200] - code[direct_100])) \
  'BEGIN { printf "| **relent over direct** (at most 15 ms, 400 bytes) | %.2f | %.0f |\n", (r - d) / 1e5, (rc - dc) / 100 }'
