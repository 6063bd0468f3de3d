#!/usr/bin/env bash
# scripts/fuzz.sh BUILD_FOLDER SECONDS: runs every fuzz target of the build for so long each, from its seeds in tests/fuzz/corpus/<target>.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=${2:-30}
passed=0 failed=0
mapfile -t targets < <(find "$build" -type f -executable -name '*_fuzz' | sort)
for target in "${targets[@]}"; do
  name=$(basename "$target")
  corpus=$build/corpus/$name
  seeds=tests/fuzz/corpus/$name
  mkdir -p "$corpus" "$build/crashes"
  folders=("$corpus")
  [ -f "tests/fuzz/$name.dict" ] && folders=(-dict="tests/fuzz/$name.dict" "${folders[@]}")
  [ "$name" = job_file_fuzz ] && seeds=tests/data/job
  [ -d "$seeds" ] && folders+=("$seeds")
  if "$target" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 -print_final_stats=0 -verbosity=0 \
      -artifact_prefix="$build/crashes/$name-" "${folders[@]}" >"$build/$name.log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    tail -40 "$build/$name.log"
    echo "FAILED: $name; the input is in $build/crashes"
  fi
done
if [ ${#targets[@]} = 0 ]; then echo "no fuzz target was built in $build" >&2; failed=1; fi
echo "fuzz: $passed passed, $failed failed"
[ "$failed" = 0 ]
