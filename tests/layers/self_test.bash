#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows check_layers.bash small trees, each with one mistake, and expects it to name the mistake.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf -- "$tree"' EXIT
failures=0

# expect <what the check must say, or nothing> <file> <what the file includes>...
expect() {
  local words=$1 said file=
  shift
  rm -rf -- "${tree:?}"/*
  mkdir -p "$tree"/{include/relent/{impl,sim,http,curl},src,cli}
  for word in "$@"; do
    if [[ $word == *: ]]; then file=$tree/${word%:}; : >>"$file"; else printf '#include <%s>\n' "$word" >>"$file"; fi
  done
  said=$(bash "$here/check_layers.bash" "$tree" 2>&1) && status=0 || status=$?
  if [[ -z $words && $status != 0 ]] || [[ -n $words && ($status == 0 || $said != *"$words"*) ]]; then
    printf 'for %s\nexpected: %s\nthe check said: %s\n\n' "$*" "${words:-nothing}" "$said"
    failures=$((failures + 1))
  fi
}

core=include/relent
expect "" $core/engine.hpp: relent/policy.hpp relent/budget.hpp $core/budget.hpp: relent/time.hpp cstdint
expect "" $core/sim/server.hpp: relent/sim/load.hpp relent/dependency.hpp relent/clock.hpp memory
expect "layer 2 is above layer 1" $core/budget.hpp: relent/engine.hpp
expect "layer 3 is above layer 2" $core/impl/engine.ipp: relent/retry.hpp
expect "layer 1 is above layer 0" $core/fault.hpp: relent/backoff.hpp
expect "dependency stands after engine" $core/engine.hpp: relent/dependency.hpp
expect "only a driver reads a clock" $core/impl/engine.ipp: relent/clock.hpp
expect "sim stops at layer 2" $core/sim/server.hpp: relent/retry.hpp
expect "testing is above the core" $core/retry.hpp: relent/testing/manual_clock.hpp
expect "testing is above the core and beside" $core/sim/server.hpp: relent/testing/manual_clock.hpp
expect "" $core/curl/client.hpp: relent/http/header_list.hpp relent/retry.hpp memory
expect "curl is above the core and beside" $core/http/header_list.hpp: relent/curl/client.hpp
expect "a circle" $core/budget.hpp: relent/breaker.hpp $core/impl/breaker.ipp: relent/budget.hpp
expect "<functional> is too heavy" $core/policy.hpp: functional
expect "" $core/impl/policy_text.ipp: functional src/relent.cpp: relent/impl/policy_text.ipp
expect "<unistd.h>: only impl/posix.ipp" $core/impl/random.ipp: unistd.h src/relent.cpp: relent/impl/random.ipp
expect "" $core/impl/posix.ipp: unistd.h src/relent.cpp: relent/impl/posix.ipp
expect "relent/helpers.hpp has no layer" $core/helpers.hpp: cstdint
expect "nothing of the folders above" $core/policy.hpp: cli/options.hpp
expect "is not for users" cli/run.cpp: relent/impl/engine.ipp
expect "includes relent/impl/budget.ipp 0 times" $core/impl/budget.ipp: relent/budget.hpp
exit $((failures > 0))
