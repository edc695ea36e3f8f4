#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tidy.bash [file...]: clang-tidy, by .clang-tidy, over the library, the tool, and the tests that
# between them use every header; or over the files given.
set -euo pipefail
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
program=tidy
source "$root/scripts/setup.bash"
cd -- "$root"

configure_preset tidy >/dev/null
files=("$@")
if ((${#files[@]} == 0)); then
  files=(src/relent.cpp src/*/*.cpp cli/*.cpp cli/pages/*.cpp)
  for test in engine retry dependency; do
    [[ ! -e tests/unit/${test}_test.cpp ]] || files+=("tests/unit/${test}_test.cpp")
  done
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$(nproc)" -n 1 clang-tidy -p build/tidy --quiet 2> >(grep -v 'warnings\? generated' >&2)
