#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_layers.bash <checkout>: reads the #include lines of include/, src/, cli/ and examples/ and
# fails on every one that points the wrong way by layers.txt.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
cd -- "$1"

folders=()
for folder in include src cli examples; do [[ ! -d $folder ]] || folders+=("$folder"); done

# One row for each include: file, line, what is included. Then one row for each body there is.
includes() {
  grep -rnE --include='*.[chi]pp' '^[[:space:]]*#[[:space:]]*include' "${folders[@]}" |
    sed -nE 's/^([^:]+):([0-9]+):[^<"]*[<"]([^>"]+)[>"].*/\1\t\2\t\3/p'
}
bodies() {
  find include/relent/impl -name '*.ipp' 2>/dev/null | sort | sed -E 's/^include\/(.*)/\1\tbody\t/'
}

{ includes && bodies; } | awk -F '\t' -v rules="$here/layers.txt" -f "$here/check_layers.awk"
