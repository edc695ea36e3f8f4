#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A project takes the source tree in as a part of it, with the compiled library shared.
# Nothing but the two libraries may be built, and nothing of ours installed with the project.
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"
"$CMAKE" -S "$here/consumer" -B build -G Ninja -DRELENT_SOURCE="$SOURCE" -DBUILD_SHARED_LIBS=ON -DCMAKE_CXX_COMPILER="$CXX"
"$CMAKE" --build build
expect_output build/with_relent
expect_output build/with_compiled
[[ ! -e build/with_policy_file ]] || fail "the policy file was built, and with it toml++ needed, though nobody asked"
[[ -e build/relent/librelent.so ]] || fail "the compiled library is not shared"
[[ ! -e build/relent/cli && ! -e build/relent/tests ]] || fail "the tool or the tests were configured too"
"$CMAKE" --install build --prefix "$work/installed"
[[ ! -e $work/installed/include ]] || fail "our headers were installed with the consumer"
