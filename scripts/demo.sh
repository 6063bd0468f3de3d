#!/usr/bin/env bash
# scripts/demo.sh FOREBAY: the main job on real input. Runs examples/photos (a slow training job), shows why it is slow, applies the advised
# fix (examples/photos-fixed) and puts prediction and measurement side by side.
set -euo pipefail
cd "$(dirname "$0")/.."
forebay=$(realpath "$1")
export PATH="$PWD/.venv/bin:$PATH" VIRTUAL_ENV="$PWD/.venv"
say() { printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

say "1/4  real photographs into examples/photos/photos-data"
.venv/bin/python examples/photos/prepare.py
say "2/4  forebay run examples/photos/job.yaml        (about a minute)"
"$forebay" run examples/photos/job.yaml
say "3/4  the advised fix: forebay run examples/photos-fixed/job.yaml"
"$forebay" run --quiet examples/photos-fixed/job.yaml
say "4/4  forebay compare photos photos-fixed"
"$forebay" compare photos photos-fixed
say "The HTML report of the slow run:"
"$forebay" report photos --html --json | .venv/bin/python -c 'import json, sys; print(json.load(sys.stdin)["html"])'
