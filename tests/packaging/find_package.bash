#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A project of its own finds the installed tree and runs with all targets.
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"
install_moved
"$CMAKE" -S "$here/consumer" -B build -G Ninja -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_CXX_COMPILER="$CXX"
"$CMAKE" --build build
expect_output build/with_relent
expect_output build/with_compiled
expect_output build/with_policy_file
expect_output build/with_curl
! grep -rIilE --include='*.cmake' --include='*.pc' --include='*.hpp' "toml\+\+/|nlohmann|boost/" "$work/installed" ||
  fail "the files named above want toml++, nlohmann-json or Boost, which is nobody's business"
"$work/installed/bin/relent" fetch --help >/dev/null || fail "the installed tool does not find relent-http"
[[ $("$work/installed/bin/relent" --version) == *"$VERSION"* ]] || fail "the installed tool does not tell its version"
