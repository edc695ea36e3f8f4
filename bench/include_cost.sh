#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/include_cost.sh [<compiler>]: what including each header costs in compiled mode, in instructions of the
# compiler as valgrind counts them, and as a ratio to <chrono>. Dearest first, so that what
# dominates is seen. The limits (core 1.15, relent/retry.hpp 1.3) are kept by the test include_cost.
set -euo pipefail
source=$(cd -- "$(dirname -- "$0")/.." && pwd)
compiler=${1:-g++}
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder"
export LC_ALL=C

# instructions <header>: as it stands between the brackets of #include
instructions() {
  echo "#include <$1>" >include.cpp
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --trace-children=yes \
    "$compiler" -std=c++20 -O2 -fsyntax-only -DRELENT_COMPILED -I"$source/include" include.cpp 2>&1 |
    awk '/I +refs:/ { gsub(",", "", $NF); sum += $NF } END { printf "%.0f\n", sum }'
}

base=$(instructions chrono)
echo "| header | million instructions | times \`<chrono>\` |"
echo "|---|---|---|"
printf '| `<chrono>` | %d | 1.000 |\n' $((base / 1000000))
for header in "$source"/include/relent/*.hpp; do
  name=relent/$(basename -- "$header")
  printf '%s %s\n' "$(instructions "$name")" "$name"
done | sort -rn | awk -v base="$base" '{ printf "| `%s` | %d | %.3f |\n", $2, $1 / 1e6, $1 / base }'
