# SPDX-License-Identifier: Apache-2.0
# Sourced by the packaging tests: an empty folder to work in, and the installed tree.
# shellcheck shell=bash
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$1
rm -rf -- "$work"
mkdir -p -- "$work"
cd -- "$work"

fail() { echo "$*" >&2; exit 1; }

# Installs into a prefix and then moves it: what was installed must not know where it was put.
install_moved() {
  "$CMAKE" --install "$BUILD" --prefix "$work/first" >install.log || fail "$(<install.log)"
  mv -- "$work/first" "$work/installed"
  ! grep -rIl --include='*.cmake' --include='*.pc' -F -e "$work/first" -e "$BUILD" -e "$SOURCE" "$work/installed" ||
    fail "the files named above hold a path of the build"
}

# Every consumer prints this when what it called was retried.
expect_output() {
  local said
  said=$("$@") || fail "$* ended with $?"
  [[ $said == "42 after 2 attempts" ]] || fail "$* printed: $said"
}
