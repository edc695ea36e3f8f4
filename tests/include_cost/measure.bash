#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# measure.bash <checkout> <folder to work in> <compiler>: in compiled mode, all headers of the core
# (layers 0 to 2; drivers' clock.hpp apart) may cost at most 1.15 times what <chrono> costs, and
# relent/retry.hpp at most 1.3 times. Instructions of the compiler, counted by valgrind.
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
awk '$1 == "free" || $1 == "ordered" && $2 <= 2 { for (i = 3; i <= NF; i++) if ($i != "clock") print $i }' \
  "$source/tests/layers/layers.txt" |
  while read -r name; do
    [[ ! -e $source/include/relent/$name.hpp ]] || echo "#include <relent/$name.hpp>"
  done >core.cpp

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
