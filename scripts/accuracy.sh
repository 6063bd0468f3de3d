#!/usr/bin/env bash
# scripts/accuracy.sh PRESET: predictions against measured truth (../shared/data); each check fails when it is worse than its threshold.
# A check whose data is not there is skipped. Closes with "accuracy: N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.."
program=build/${1:-dev}/src/forebay
export PYTHON=.venv/bin/python
passed=0 failed=0 skipped=0
check() {  # check NAME COMMAND…
  local name=$1 output code
  shift
  output=$("$@" 2>&1)
  code=$?
  echo "== $name"; echo "$output"
  if [ $code = 77 ] || grep -q '^skipped:' <<<"$output"; then skipped=$((skipped + 1)); elif [ $code = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
check "memory of jobs" "$PYTHON" tests/accuracy/memory.py --program "$program" --check
check "relative speed of machines" tests/accuracy/relative_speed.sh
echo
echo "accuracy: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
