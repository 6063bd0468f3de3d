#!/usr/bin/env bash
# scripts/check.sh [BASE]: what can be checked without running the program. Format, rooms, type names, translations, shell and Python
# syntax for the whole tree; clang-tidy for the .cc files changed since BASE (default: where this branch left main, else the last
# commit), at most FOREBAY_TIDY_FILES of them (40). Every failing check is named; exits 1 if there is any.
set -uo pipefail
cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0
check() {  # check NAME COMMAND…
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1)); echo "  ok      $name"
  else
    failed=$((failed + 1)); printf '  FAILED  %s\n%s\n' "$name" "$output" | head -200
  fi
}
skip() { skipped=$((skipped + 1)); echo "  skipped $1"; }

list() { git ls-files -z --cached --others --exclude-standard -- "$@"; }
format() {  # names of the files only; `make format` mends them
  local output
  output=$(list '*.cc' '*.h' | xargs -0 --no-run-if-empty clang-format-19 --dry-run -Werror 2>&1) && return 0
  echo 'make format would change:'; grep -o '^[^:]*' <<<"$output" | grep -E '\.(cc|h)$' | sort | uniq -c
  return 1
}
catalogues() { for po in po/*.po; do msgfmt --check-format --check-header -o /dev/null "$po" || return 1; done; }
shells() { list '*.sh' .ci/run | xargs -0 -n1 bash -n; }
pythons() { list '*.py' | xargs -0 python3 -c 'import ast, sys
for name in sys.argv[1:]: ast.parse(open(name, encoding="utf-8").read(), name)'; }

changed_sources() {
  local base=${1:-}
  if [ -z "$base" ]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null || true)
    if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then base=$(git rev-parse -q --verify HEAD~1 || true); fi
  fi
  { [ -n "$base" ] && git diff --name-only --diff-filter=d "$base" -- 'src/*.cc'; git ls-files --others --exclude-standard -- 'src/*.cc'; } | sort -u
}
tidy() {
  local files
  mapfile -t files < <(changed_sources "${1:-}" | head -n "${FOREBAY_TIDY_FILES:-40}")
  [ ${#files[@]} = 0 ] && return 0
  printf '%s\0' "${files[@]}" | xargs -0 -n4 -P"$(nproc)" timeout 900 clang-tidy-19 -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations
}

check "clang-format" format
check "rooms" scripts/check_rooms.py
[ -f scripts/check_names.py ] && check "type names" python3 scripts/check_names.py
check "translations" catalogues
check "shell syntax" shells
check "Python syntax" pythons
build=build/${FOREBAY_CHECK_PRESET:-dev}
if [ -f "$build/compile_commands.json" ]; then check "clang-tidy on changed files" tidy "${1:-}"; else skip "clang-tidy ($build is not configured)"; fi
echo "check: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
