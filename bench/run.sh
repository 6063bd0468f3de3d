#!/usr/bin/env bash
# bench/run.sh FOREBAY: every measurement against its peer, one after the other on an otherwise idle machine. Prints; with RESULTS=FILE also keeps.
set -uo pipefail
cd "$(dirname "$0")/.."
forebay=${1:-build/release/src/forebay}
python=.venv/bin/python
[ -x "$python" ] || python=python3
measure() {
  printf '\n## %s\n\n$ %s\n' "$1" "${*:2}"
  "${@:2}" 2>&1
}
all() {
  printf '# Measured %s\n\n%s, %s cores, %s\n' "$(date -u +%Y-%m-%d)" "$(uname -sr)" "$(nproc)" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
  measure "Start-up" python3 bench/start/bench_start.py "$forebay"
  measure "Log path" python3 bench/log_path/bench_log_path.py --forebay "$forebay"
  measure "Sampling" "$python" bench/sampling/bench_sampling.py --forebay "$forebay"
  measure "Hook" "$python" bench/hook/bench_hook.py
}
if [ -n "${RESULTS:-}" ]; then all | tee "$RESULTS"; else all; fi
