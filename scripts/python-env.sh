#!/usr/bin/env bash
# scripts/python-env.sh: .venv with what the examples and the tests import (scripts/python-requirements.txt). Instant when it is there.
# PYTHON names the interpreter to make it with.
set -euo pipefail
cd "$(dirname "$0")/.."
requirements=scripts/python-requirements.txt
stamp=.venv/.forebay-requirements
if [ -x .venv/bin/python ] && cmp -s "$requirements" "$stamp"; then exit 0; fi

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "$python is older than Python 3.10; name another with PYTHON=" >&2; exit 1; }
echo "making .venv with $(tr '\n' ' ' <"$requirements")(a few minutes the first time)"
[ -x .venv/bin/python ] || "$python" -m venv .venv
# Nothing here needs a GPU; where the CPU build of torch has its own index, PIP_EXTRA_INDEX_URL or pip's configuration names it.
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements"
cp "$requirements" "$stamp"
