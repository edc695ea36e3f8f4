#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/start_cost.bash [<relent> [<rounds>]]: what `relent run -- true` costs from start to end, beside `true` alone, beside
# retry(1) of Debian where it is installed, and beside the floor: a C program that does nothing but fork, exec
# `true` and wait, which are the two process starts that no such tool can avoid. All are started in turn, in
# another order each round, by one small program; medians and ratios of 200 rounds.
set -euo pipefail
source=$(cd -- "$(dirname -- "$0")/.." && pwd)
relent=${1:-}
rounds=${2:-200}
export LC_ALL=C
unset RELENT_DEADLINE RELENT_ATTEMPT
if [[ -z $relent ]]; then
  cmake --preset release -S "$source" >/dev/null
  cmake --build "$source/build/release" --target relent_cli >/dev/null
  relent=$source/build/release/cli/relent
fi
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT

cat >"$folder/floor.c" <<'C'
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count < 2) return 125;
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[1], words + 1);
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
C

# Words: rounds, then command lines, each behind a name and ended by ";". Prints the name and the median in microseconds.
cat >"$folder/turns.c" <<'C'
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

enum { most_commands = 16, most_rounds = 100000 };

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double start_and_wait(char** command) {
  pid_t child;
  int status;
  const double begin = now_us();
  if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0) exit(1);
  if (wait4(child, &status, 0, NULL) != child || status != 0) {
    fprintf(stderr, "%s ended with status %d\n", command[0], status);
    exit(1);
  }
  return now_us() - begin;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int count, char** words) {
  static char** commands[most_commands];
  static double* took[most_commands];
  int total = 0;
  const int rounds = count > 1 ? atoi(words[1]) : 0;
  if (rounds < 1 || rounds > most_rounds) return 1;
  for (int i = 2; i < count && total < most_commands; ++i) {
    commands[total] = words + i;
    took[total++] = calloc((size_t)rounds, sizeof(double));
    while (i < count && strcmp(words[i], ";") != 0) ++i;
    if (i < count) words[i] = NULL;
  }
  for (int round = -5; round < rounds; ++round)  // the first few only warm up
    for (int turn = 0; turn < total; ++turn) {
      const int which = (turn + round + 5) % total;
      const double length = start_and_wait(commands[which] + 1);
      if (round >= 0) took[which][round] = length;
    }
  for (int i = 0; i < total; ++i) {
    qsort(took[i], (size_t)rounds, sizeof(double), by_size);
    printf("%s\t%.1f\n", commands[i][0], took[i][rounds / 2]);
  }
}
C
for program in floor turns; do cc -O2 -std=gnu11 -Wall -Wextra "$folder/$program.c" -o "$folder/$program"; done

commands=(true "$(type -P true)" ';'
  floor "$folder/floor" true ';'
  relent "$relent" run -- true ';')
if type -P retry >/dev/null; then commands+=(retry retry -- true ';'); fi
"$folder/turns" "$rounds" "${commands[@]}" >"$folder/medians"

awk -F '\t' -v rounds="$rounds" '
  { median[$1] = $2 }
  function line(title, us) {
    printf "| %s | %.0f | %.2f | %.2f | %s |\n", title, us, us / median["floor"], us / (2 * median["true"]),
      "retry" in median ? sprintf("%.2f", us / median["retry"]) : "-"
  }
  END {
    print "| from start to end | median, µs | times the floor | times two of `true` | times `retry` |"
    print "|---|---|---|---|---|"
    line("`true`", median["true"])
    line("the floor: fork, exec `true`, wait", median["floor"])
    if ("retry" in median) line("`retry -- true`", median["retry"])
    line("**`relent run -- true`**", median["relent"])
  }' "$folder/medians"
