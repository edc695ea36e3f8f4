#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# format.bash [--check]: gives every source the style of .clang-format, or fails where one has another.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
how=(-i)
[[ ${1-} != --check ]] || how=(--dry-run -Werror)
find include src cli tests bench examples -name '*.[chi]pp' -print0 | xargs -0 -P "$(nproc)" -n 16 clang-format "${how[@]}"
