# SPDX-License-Identifier: Apache-2.0
# For ./relent, ./test and .ci/run: installs what a build lacks, and builds a preset.
# Sourced with `root` (the checkout) and `program` (the name to speak under) set.
# shellcheck shell=bash

cannot=125  # the exit code when the fault is ours and not the command's

say() { printf '%s: %s\n' "$program" "$*" >&2; }
refuse() { say "$@"; exit "$cannot"; }

# Is what a line of packages.txt looks for there? An absolute pattern, a header, or a command.
present() {
  case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    */* | *.h | *.hpp) [[ -e /usr/include/$1 || -e /usr/local/include/$1 ]] ;;
    *) command -v -- "$1" >/dev/null ;;
  esac
}

# Fills `missing` with the packages for the given uses that are not present, `reasons` likewise.
find_missing() {
  local uses=" $* " use package probe why
  missing=() reasons=()
  while read -r use package probe why; do
    [[ $uses == *" $use "* ]] || continue
    present "$probe" && continue
    missing+=("$package") reasons+=("$why")
  done < <(grep -v -e '^#' -e '^$' "$root/scripts/packages.txt")
}

# Prints the words that run a command as root, nothing when we are root. Fails where we may not.
as_root() {
  ((EUID == 0)) && return 0
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null; then
    echo sudo -n
  elif [[ -t 0 && -t 2 ]]; then
    echo sudo  # asks for the password
  else
    return 1
  fi
}

# Installs the packages for the given uses ("tool", "test", ...) that are missing; says which and why.
require_packages() {
  local prefix log i
  find_missing "$@"
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null ||
    refuse "needs ${missing[*]} (Debian's names), and cannot install them: this machine has no apt-get"
  prefix=$(as_root) ||
    refuse "needs ${missing[*]}, and may not install them (neither root nor sudo); as root: apt-get install ${missing[*]}"
  say "installing with apt-get${prefix:+, through sudo}, because this machine lacks:"
  for i in "${!missing[@]}"; do
    printf '  %-20s %s\n' "${missing[i]}" "${reasons[i]}" >&2
  done
  log=$(mktemp)
  # shellcheck disable=SC2086 # the prefix is words
  if ! { $prefix apt-get -q update &&
    $prefix env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
      -o DPkg::Lock::Timeout=300 install "${missing[@]}"; } </dev/null >"$log" 2>&1; then
    tail -n 20 -- "$log" >&2
    rm -f -- "$log"
    refuse "could not install ${missing[*]}: apt-get's last lines are above"
  fi
  rm -f -- "$log"
  find_missing "$@"
  ((${#missing[@]} == 0)) || refuse "installed, but still not found: ${missing[*]}"
}

# One build at a time in one tree: holds the lock until the shell ends or file descriptor 9 is closed.
lock_build() {
  { mkdir -p -- "$root/build" && exec 9>"$root/build/.$1.lock"; } 2>/dev/null ||
    refuse "has to build, and cannot write to $root/build"
  flock 9
}

# Configures when that was not done yet, or was done for another place.
configure_preset() {
  local cache=$root/build/$1/CMakeCache.txt
  if [[ -e $cache ]] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&
    [[ -e $root/build/$1/build.ninja && ! $root/CMakePresets.json -nt $cache ]]; then
    return 0
  fi
  (cd -- "$root" && cmake --fresh --preset "$1")
}

# Builds a preset, or some targets of it.
build_preset() {
  local preset=$1
  shift
  configure_preset "$preset" && cmake --build "$root/build/$preset" ${1+--target "$@"}
}
