#!/usr/bin/env bash
# scripts/install-packages.sh [--check]: installs the Debian packages of scripts/packages.txt that are missing; says which.
# Instant when nothing is missing. Works as root or through sudo. --check only tells (exit 1 when something is missing).
# FOREBAY_SKIP_PACKAGES=1 skips it, for machines where the tools come another way.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "${FOREBAY_SKIP_PACKAGES:-}" = 1 ] && exit 0

mapfile -t wanted < <(sed 's/#.*//; s/[[:space:]]*$//; /^$/d' scripts/packages.txt)
if ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian or Ubuntu. Install the equivalents of these, then set FOREBAY_SKIP_PACKAGES=1:" >&2
  echo "  ${wanted[*]}" >&2
  exit 1
fi
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
missing=$(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(sort -u <<<"$installed"))
[ -z "$missing" ] && exit 0
mapfile -t missing <<<"$missing"
echo "missing packages: ${missing[*]}"
[ "${1:-}" = --check ] && exit 1

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "Run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
apt() { "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq "$@" </dev/null; }
apt update
apt install -y --no-install-recommends "${missing[@]}" >/dev/null
echo "installed: ${missing[*]}"
