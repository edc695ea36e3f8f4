#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.bash <snippet> <compiler> <flags>...: the snippet must compile with -DCONTROL, and without it
# must not, with every `// expect: words` of it among what the compiler says. A line
# `// expect gcc: words` or `// expect clang: words` counts for that compiler only.
set -uo pipefail
snippet=$1
shift
export LC_ALL=C

case $("$1" --version) in *clang*) family=clang ;; *) family=gcc ;; esac
# In the C locale compilers quote with ', whatever quotes the snippet was written with.
mapfile -t expected < <(sed -nE "s|^// expect( $family)?: *||p" "$snippet" | sed "s/‘/'/g; s/’/'/g")
if ((${#expected[@]} == 0)); then
  echo "$snippet has no line '// expect: words'"
  exit 1
fi

if ! said=$("$@" -fsyntax-only -DCONTROL "$snippet" 2>&1); then
  printf 'Without its mistake %s should compile, and does not:\n%s\n' "$snippet" "$said"
  exit 1
fi
if said=$("$@" -fsyntax-only "$snippet" 2>&1); then
  echo "$snippet compiles in spite of its mistake"
  exit 1
fi
status=0
for words in "${expected[@]}"; do
  if [[ $said != *"$words"* ]]; then
    printf 'The compiler should say "%s". It says:\n%s\n' "$words" "$said"
    status=1
  fi
done
exit "$status"
