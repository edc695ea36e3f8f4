#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A compiler and pkg-config, no CMake.
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"
install_moved
pc=$(find installed -name relent.pc)
export PKG_CONFIG_PATH=$work/${pc%/*}
[[ $(pkg-config --modversion relent relent-compiled) == "$VERSION"$'\n'"$VERSION" ]] || fail "the .pc files have another version"
for package in relent relent-compiled relent-policy-file relent-curl; do
  program=main packages=("$package")
  [[ $package != relent-policy-file ]] || program=policies
  [[ $package != relent-curl ]] || { program=requests && packages+=(relent-fault-server); }
  read -ra flags < <(pkg-config --cflags --libs "${packages[@]}")
  "$CXX" -std=c++20 "$here/consumer/$program.cpp" "${flags[@]}" -o "$package"
  expect_output "./$package"
done
