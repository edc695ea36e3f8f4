#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.bash [seconds]: builds every fuzz target and runs each for 30 s, or as long as told, two at a
# time, from its corpus in tests/fuzz/corpus. What breaks one is left in build/fuzz/found.
set -euo pipefail
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=fuzz
seconds=${1-30}
source "$root/scripts/setup.bash"
build_preset fuzz fuzz_targets

# Runs one target on a copy of its corpus; says what it did in a line, or all of it when it broke.
run_target() {
  local name=$1 found=$PWD/found corpus=$PWD/corpus/$1 log=$PWD/$1.log seeds=$root/tests/fuzz/corpus
  mkdir -p -- "$found" "$corpus"
  [[ ! -d $seeds/$name ]] || cp -R -- "$seeds/$name/." "$corpus"
  if ! "tests/fuzz/$name" -max_total_time="$seconds" -timeout=10 -max_len=4096 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$found/$name-" "$corpus" >"$log" 2>&1; then
    cat -- "$log"
    echo "$name broke; its input is in $found"
    return 1
  fi
  echo "$name: $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs in $seconds s, nothing found"
}
export -f run_target
export root seconds

cd -- "$root/build/fuzz"
targets=("$root"/tests/fuzz/*_fuzz.cpp)
targets=("${targets[@]##*/}")
printf '%s\0' "${targets[@]%.cpp}" | xargs -0 -P 2 -n 1 bash -c 'run_target "$1"' bash
