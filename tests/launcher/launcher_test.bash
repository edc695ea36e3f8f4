#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# launcher_test.bash <checkout>: tries ./relent in a small tree where building is played by a script,
# so that it takes no time and every build is counted.
set -uo pipefail
real=$1
stage=$(mktemp -d)
trap 'chmod -R u+w -- "$stage"; rm -rf -- "$stage"' EXIT
tree=$stage/check\ out
mkdir -p -- "$tree"/{include,src,cli,cmake} "$stage/bin"
cp -- "$real/relent" "$tree/"
cp -R -- "$real/scripts" "$tree/"
touch -- "$tree"/{CMakeLists.txt,CMakePresets.json,cli/main.cpp,src/relent.cpp}
export STAGE=$stage TREE=$tree

# The builder: configuring does nothing; building takes a moment and makes a tool that tells its
# arguments, ends with the code it is asked for, or waits for a signal.
cat >"$stage/bin/cmake" <<'END'
#!/usr/bin/env bash
[[ $* == *--build* ]] || exit 0
echo built >>"$STAGE/builds"
echo "the compiler speaks"
[[ ! -e $STAGE/broken ]] || exit 1
sleep 0.2
mkdir -p "$TREE/build/release/cli"
cat >"$TREE/build/release/cli/relent" <<'TOOL'
#!/usr/bin/env bash
case ${1-} in
  exit) exit "$2" ;;
  pid) echo "$$" ;;
  read) cat ;;
  *) printf '[%s]' "$@" ;;
esac
TOOL
chmod +x "$TREE/build/release/cli/relent"
END
chmod +x "$stage/bin/cmake"
for command in g++ ninja; do printf '#!/bin/sh\n' >"$stage/bin/$command"; chmod +x "$stage/bin/$command"; done
sed -i '/\.h\(pp\)\? /d' "$tree/scripts/packages.txt"  # no libraries needed to play
export PATH=$stage/bin:$PATH

failures=0
# check <what should hold> <expected> <seen>
check() {
  [[ $2 == "$3" ]] && return
  printf 'not so: %s\n  expected: %s\n  seen:     %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
builds() { wc -l 2>/dev/null <"$stage/builds" || echo 0; }
relent() { "$tree/relent" "$@" 2>"$stage/errors"; }

check "arguments arrive unchanged" "[run][--][a b][][*][\$x]" "$(relent run -- 'a b' '' '*' '$x')"
check "the first build is announced in a line" "relent: building relent (a few minutes, once)" "$(<"$stage/errors")"
check "the first use builds" 1 "$(builds)"
check "no words of ours when the build is current" "[x]" "$("$tree/relent" x 2>&1)"
check "a current build is left alone" 1 "$(builds)"

relent exit 7
check "the exit code passes through" 7 $?
check "input passes through" "some input" "$(echo some input | relent read)"
"$tree/relent" pid >"$stage/pid" & wait
check "the tool takes the launcher's place, so signals reach it" "$!" "$(<"$stage/pid")"
check "from another folder" "[x]" "$(cd / && relent x)"
check "as an argument of bash" "[x]" "$(cd -- "$tree" && bash relent x)"
ln -s -- "$tree/relent" "$stage/bin/link"
ln -s link "$stage/bin/link_to_link"
check "through links, found in PATH" "[x]" "$(cd / && link_to_link x)"
check "none of this builds" 1 "$(builds)"

sleep 0.01
touch -- "$tree/cli/main.cpp"
check "a changed source is built quietly" "[x]" "$("$tree/relent" x 2>&1)"
check "a changed source is built" 2 "$(builds)"
sleep 0.01
touch -- "$tree/cli/new.cpp" && relent x >/dev/null
check "a new source is built" 3 "$(builds)"
sleep 0.01
rm -- "$tree/cli/new.cpp" && relent x >/dev/null
check "a source taken away is noticed" 4 "$(builds)"

sleep 0.01
touch -- "$tree/include"
for _ in 1 2 3; do relent x >/dev/null & done
wait
check "several at once build once" 5 "$(builds)"

touch -- "$stage/broken" "$tree/src/relent.cpp"
check "nothing is printed as if by the tool when the build fails" "" "$(relent x)"
relent x
check "a failed build has exit code 125" 125 $?
check "a failed build shows what the compiler said" "the compiler speaks" "$(head -n 1 -- "$stage/errors")"
rm -- "$stage/broken"
check "the next use builds again" "[x]" "$(relent x)"

# Whoever may not write can still run; root may always write, so somebody else has to try.
chmod -R a+rX,a-w -- "$tree"
chmod a+rx -- "$stage"
as_other=(env)
((EUID != 0)) || as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
count=$(builds)
check "a current build runs from a read-only checkout" "[x]" "$("${as_other[@]}" "$tree/relent" x 2>&1)"
check "and is not built for that" "$count" "$(builds)"
touch -- "$tree/cli/main.cpp" 2>/dev/null || { chmod u+w "$tree/cli/main.cpp"; touch -- "$tree/cli/main.cpp"; chmod a-w "$tree/cli/main.cpp"; }
"${as_other[@]}" "$tree/relent" x >"$stage/said" 2>&1
check "a read-only checkout that has to be built says so with 125" \
  "125 relent: has to build, and cannot write to $tree/build" "$? $(<"$stage/said")"
chmod -R u+w -- "$tree"

# What is missing is installed where that may be, else named in one line.
printf 'tool  made-up  made-up-command  plays a missing package\n' >>"$tree/scripts/packages.txt"
cat >"$stage/bin/apt-get" <<'END'
#!/usr/bin/env bash
echo "$*" >>"$STAGE/apt"
[[ $* != *install* || -e $STAGE/no_network ]] || { printf '#!/bin/sh\n' >"$STAGE/bin/made-up-command"; chmod +x "$STAGE/bin/made-up-command"; }
[[ ! -e $STAGE/no_network ]]
END
printf '#!/usr/bin/env bash\nexit 1\n' >"$stage/bin/sudo"
chmod +x "$stage/bin/apt-get" "$stage/bin/sudo"
if ((EUID == 0)); then
  chmod -R a+rwX -- "$tree"
  "${as_other[@]}" "$tree/relent" demo >"$stage/said" 2>&1 </dev/null
  check "without the right to install, one line says what is needed" \
    "125 relent: needs made-up, and may not install them (neither root nor sudo); as root: apt-get install made-up" \
    "$? $(<"$stage/said")"
  check "and nothing is tried" "" "$(cat -- "$stage/apt" 2>/dev/null)"
  touch -- "$stage/no_network"
  relent demo
  check "apt-get's failure has exit code 125" 125 $?
  rm -- "$stage/no_network"
  check "with the right to install, the tool runs afterwards" "[demo]" "$(relent demo)"
  check "what is installed is told with its reason" "  made-up              plays a missing package" \
    "$(sed -n 2p -- "$stage/errors")"
fi
exit $((failures > 0))
