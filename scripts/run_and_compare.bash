#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_and_compare.bash <program> <source>: the program must end with 0 and print exactly what the
# lines `// prints: ...` of its source say, one after the other. Without such a line it may print
# anything.
set -uo pipefail
if ! printed=$("$1" </dev/null); then
  printf '%s did not end with 0. It printed:\n%s\n' "$1" "$printed"
  exit 1
fi
grep -q '^ *// prints:' "$2" || exit 0
diff --label expected --label printed -u \
  <(sed -nE 's|^ *// prints: ?||p' "$2") <(printf '%s\n' "$printed")
