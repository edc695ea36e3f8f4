#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian package is made and runs from where it is unpacked. In CI, as root, it is installed for
# real as well, and removed again.
source "$(dirname -- "${BASH_SOURCE[0]}")/common.bash"
"$CPACK" -G DEB --config "$BUILD/CPackConfig.cmake" -B "$work/packages"
deb=$(echo packages/relent_*.deb)
[[ -e $deb ]] || fail "cpack made no package"

field() { dpkg-deb --field "$deb" "$1"; }
[[ $(field Package) == relent && $(field Version) == "$VERSION"* ]] || fail "the package has another name or version"

dpkg-deb -x "$deb" unpacked
[[ $(unpacked/usr/bin/relent --version) == *"$VERSION"* ]] || fail "the unpacked tool does not run"
unpacked/usr/bin/relent run -- true || fail "the unpacked tool does not run a command"
unpacked/usr/bin/relent fetch --help >/dev/null || fail "the unpacked tool does not find relent-http"
[[ $(field Depends) == *libcurl4* ]] || fail "the package does not say that it needs libcurl: $(field Depends)"
if [[ $(file -b unpacked/usr/bin/relent) != *"statically linked"* ]]; then
  [[ $(field Depends) == *libc6* ]] || fail "the package does not say what it depends on: $(field Depends)"
fi
for file in include/relent/retry.hpp share/doc/relent/copyright share/man/man5/relent-policy.5.gz \
  share/man/man1/relent{,-run,-fetch,-explain,-budget,-faults,-demo}.1.gz share/bash-completion/completions/relent \
  share/relent/policy.schema.json; do
  [[ -s unpacked/usr/$file ]] || fail "the package lacks /usr/$file"
done
for page in unpacked/usr/share/man/man?/*.gz; do
  name=$(basename "$page" .gz)
  zcat "$page" | cmp - <(unpacked/usr/bin/relent generate man "${name%.*}") || fail "$page is not the tool's own"
  if type -P man lexgrog >/dev/null; then
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" >shown 2>warned || fail "man does not show $page"
    [[ ! -s warned ]] || fail "man warns of $page: $(<warned)"
    grep -q "^NAME" shown || fail "man shows $page without its name"
    lexgrog "$page" >/dev/null || fail "apropos would not find $page"
  fi
done
cmp unpacked/usr/share/relent/policy.schema.json <(unpacked/usr/bin/relent generate schema) ||
  fail "the schema is not the tool's own"
bash -uc 'source unpacked/usr/share/bash-completion/completions/relent && complete -p relent' >/dev/null ||
  fail "bash does not take the completion"

if [[ ${CI-} == true && $EUID == 0 ]] && ! dpkg-query -W relent 2>/dev/null; then
  trap 'dpkg --purge relent' EXIT
  dpkg -i "$deb"
  [[ $(/usr/bin/relent --version) == *"$VERSION"* ]] || fail "the installed tool does not run"
fi
