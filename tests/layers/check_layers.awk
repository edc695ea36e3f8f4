# SPDX-License-Identifier: Apache-2.0
# The judgement of check_layers.bash. Reads layers.txt (`rules`), then rows of file, line, included.

function wrong(text) {
  print text
  failures++
}

# The part of the core that a path inside include/ belongs to: relent/impl/budget_token.ipp and
# relent/budget.hpp are budget, relent/sim/server.hpp is sim. Empty when no rule knows it.
function part_of(path,    name) {
  name = path
  sub(/^relent\//, "", name)
  if (name !~ /^impl\// && name ~ /\//) {
    sub(/\/.*/, "", name)
    return (name in kind) ? name : ""
  }
  sub(/^impl\//, "", name)
  sub(/\.[hi]pp$/, "", name)
  if (name in body_of) return body_of[name]
  while (!(name in kind) && name ~ /_/) sub(/_[^_]*$/, "", name)
  return (name in kind) ? name : ""
}

function is_core(path) { return path ~ /^relent\// }

# Why `from` may not include `to` (both parts); empty when it may.
function objection(from, to) {
  if (from == to) return ""
  if ((from, to) in beside) return ""
  if (to == "clock") return (from in reads_clock) ? "" : "only a driver reads a clock"
  if (kind[from] == "folder" && kind[to] != "folder")
    return layer[to] <= layer[from] ? "" : from " stops at layer " layer[from]
  if (kind[to] == "folder") return to " is above the core and beside other folders"
  if (layer[to] > layer[from]) return "layer " layer[to] " is above layer " layer[from]
  if (layer[to] == layer[from] && kind[from] == "ordered" && place[to] > place[from])
    return to " stands after " from " in its layer"
  return ""
}

# Depth first; `open` is a part whose includes are being walked.
function walk(part,    targets, n, i) {
  state[part] = "open"
  n = split(edges[part], targets, " ")
  for (i = 1; i <= n; i++) {
    if (state[targets[i]] == "open") wrong("a circle: " part " and " targets[i] " include each other")
    else if (state[targets[i]] == "") walk(targets[i])
  }
  state[part] = "done"
}

BEGIN {
  while ((getline rule < rules) > 0) {
    n = split(rule, word, " ")
    if (n == 0 || word[1] ~ /^#/) continue
    if (word[1] == "body") { body_of[word[2]] = word[3]; continue }
    for (i = 2; i <= n; i++) {
      if (word[1] == "clock") reads_clock[word[i]]
      else if (word[1] == "beside") { if (i > 2) beside[word[2], word[i]] }
      else if (word[1] == "heavy") heavy[word[i]]
      else if (word[1] == "system") speaks_to_system[word[i]]
      else if (word[1] == "compiler") compilers[word[i]]
      else if (i > 2) {
        kind[word[i]] = word[1]
        layer[word[i]] = word[2] + 0
        place[word[i]] = i
      }
    }
  }
}

$2 == "body" { body[$1]; next }

{ where = $1 ":" $2 ": " }

$1 !~ /^include\// {
  if ($1 == "src/relent.cpp") compiled[$3]++
  else if ($3 ~ /^relent\/impl\//) wrong(where $3 " is not for users: include its header")
  next
}

{
  file = $1
  sub(/^include\//, "", file)
  from = part_of(file)
  if (from == "") {
    if (!(file in unknown)) wrong(where file " has no layer: give it one in layers.txt")
    unknown[file]
    next
  }
}

is_core($3) {
  to = part_of($3)
  if (to == "") { wrong(where $3 " has no layer: give it one in layers.txt"); next }
  reason = objection(from, to)
  if (reason != "") wrong(where $3 ": " reason)
  if (from != to) edges[from] = edges[from] " " to
  next
}

$3 ~ /^(\.|cli\/|src\/|tests\/)/ { wrong(where $3 ": the core includes nothing of the folders above it") }
$3 in heavy && kind[from] != "folder" && file ~ /\.hpp$/ { wrong(where "<" $3 "> is too heavy for a header of the core") }
$3 ~ /\.h$/ && !($3 in compilers) && !(from in speaks_to_system) && kind[from] != "folder" {
  wrong(where "<" $3 ">: only impl/posix.ipp speaks to the operating system")
}

END {
  for (part in edges) if (state[part] == "") walk(part)
  for (path in body) if (compiled[path] != 1) wrong("src/relent.cpp includes " path " " compiled[path] + 0 " times, not once")
  if (failures) print failures " wrong includes"
  exit failures > 0
}
