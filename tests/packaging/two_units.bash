#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two translation units with every header: no symbol may be defined twice in header-only mode, and
# none may be missing in compiled mode, where both also have to come from the library.
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"
headers=$(cd -- "$SOURCE/include" && find relent -name '*.hpp' | sort)
printf '#include <%s>\n' $headers >all.hpp
{ printf '#include "all.hpp"\n'; echo 'int other() { return relent::retry([] { return 21; }); }'; } >other.cpp
{ printf '#include "all.hpp"\n'; echo 'int other(); int main() { return other() + relent::retry([] { return 21; }) == 42 ? 0 : 1; }'; } >main.cpp

flags=(-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror -I"$SOURCE/include" -pthread)
for unit in other main; do "$CXX" "${flags[@]}" -c "$unit.cpp" -o "$unit.o"; done
"$CXX" other.o main.o -pthread -o header_only
./header_only || fail "two header-only units together ended with $?"

for unit in other main; do "$CXX" "${flags[@]}" -DRELENT_COMPILED -c "$unit.cpp" -o "$unit.o"; done
"$CXX" other.o main.o -L"$BUILD" -lrelent -pthread -o compiled
./compiled || fail "two units with the compiled library ended with $?"
