#!/usr/bin/env bash
# scripts/test.sh PRESET [SUITE…]: runs the tests of a finished build. See tests/run.py.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}
shift || true
python=.venv/bin/python
[ -x "$python" ] || python=python3
exec "$python" tests/run.py --build "build/$preset" "$@"
