# SPDX-License-Identifier: Apache-2.0
# Writes each ```cpp block of a page that holds `int main` to <dir>/<page>.<n>.cpp and prints that
# name. A block that is not a program has to be marked ```cpp fragment; one that is not is an error.
# Use: awk -v dir=DIR -v page=NAME -f extract_doc_snippets.awk PAGE.md

/^```cpp *$/ && !inside { inside = 1; start = NR; code = ""; next }
/^```/ && inside {
  inside = 0
  if (code !~ /int main *\(/) {
    printf "%s:%d: a cpp block without main has to be marked ```cpp fragment\n", FILENAME, start > "/dev/stderr"
    failed = 1
    next
  }
  file = dir "/" page "." ++count ".cpp"
  printf "#line %d \"%s\"\n%s", start + 1, FILENAME, code > file
  close(file)
  print file
  next
}
inside { code = code $0 "\n" }
END { exit failed }
