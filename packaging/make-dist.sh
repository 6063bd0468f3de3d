#!/usr/bin/env bash
# packaging/make-dist.sh [PROGRAM]: from a finished release build, makes in dist/
#   forebay-<version>-linux-<machine>.tar.gz (+ .sha256)   unpack anywhere, run bin/forebay; needs nothing installed
#   forebay-<version>-py3-none-<platform>.whl              pip install gives the command forebay
# The same commit and packages give the same bytes: times come from SOURCE_DATE_EPOCH, else from the last commit.
# How it is put together, and why: docs/decisions/0002-how-the-binary-is-linked.md.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/release/src/forebay}")
version=$(sed -n 's/^project(forebay VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
machine=$(uname -m)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
name=forebay-$version-linux-$machine
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
umask 022
export LC_ALL=C

# The program's libraries: those it names, its loader, and those that a GPU library of an older system names
# (libpthread, libdl and librt are part of libc since glibc 2.34, but old files still ask for them).
libraries=$stage/$name/lib/forebay
mkdir -p "$stage/$name/bin" "$libraries/loader"
${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -Werror -static -Wl,--build-id=none -ffile-prefix-map="$PWD"=. \
  packaging/launcher.c -o "$stage/$name/bin/forebay"
strip "$stage/$name/bin/forebay"
strip -o "$libraries/program" "$program"
loader=$(readelf -l "$program" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
[ -n "$loader" ] || { echo "$program is not a dynamic executable" >&2; exit 1; }
cp -L "$loader" "$libraries/loader/forebay"
mapfile -t needed < <(ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// {print $3}')
libc=$(ldd "$program" | awk '$1 == "libc.so.6" {print $3}')
for extra in libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libgcc_s.so.1; do needed+=("$(dirname "$libc")/$extra"); done
for library in "${needed[@]}"; do
  case $(basename "$library") in
    libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libgcc_s.so.*) ;;
    *) echo "$program needs $library: link it statically, or add its licence below and allow it here" >&2; exit 1 ;;
  esac
  cp -L --update=none "$library" "$libraries/" 2>/dev/null || cp -Ln "$library" "$libraries/"
done

# The Python hook: plain files, read by the job's own interpreter.
(cd python/forebay_hook && find . -name '*.py' -print0 | sort -z | xargs -0 -I{} install -D -m 644 {} "$libraries/hook/{}")
[ -f "$libraries/hook/sitecustomize.py" ] || { echo "python/forebay_hook has no sitecustomize.py" >&2; exit 1; }

# Licences of what is inside, from the packages it was built with.
licences=$stage/$name/share/doc/forebay
mkdir -p "$licences/licences"
cp LICENSE "$licences/"
[ -f README.md ] && cp README.md "$licences/"
for package in libc6 libgcc-s1 libstdc++6 libfmt-dev libspdlog-dev libyaml-cpp-dev libsqlite3-dev libsodium-dev libcli11-dev nlohmann-json3-dev; do
  copyright=/usr/share/doc/$package/copyright
  [ -f "$copyright" ] || { echo "no $copyright: the licence of $package must travel with the tarball" >&2; exit 1; }
  cp -L "$copyright" "$licences/licences/$package.txt"
done
for text in LGPL-2.1 GPL-3; do cp -L "/usr/share/common-licenses/$text" "$licences/licences/"; done  # glibc's; libgcc's and libstdc++'s
dpkg-query -W -f '${source:Package} ${source:Version}\n' libc6 libgcc-s1 libfmt-dev libspdlog-dev libyaml-cpp-dev libsqlite3-dev libsodium-dev \
  libcli11-dev nlohmann-json3-dev 2>/dev/null | sort -u >"$licences/licences/SOURCES.txt" || true
find "$stage" -type d -exec chmod 755 {} +
find "$stage" -type f -exec chmod a+r,go-w {} +
chmod 755 "$stage/$name/bin/forebay" "$libraries/program" "$libraries/loader/forebay"

mkdir -p dist
tar --sort=name --format=ustar --mtime="@$epoch" --owner=0 --group=0 --numeric-owner -C "$stage" -cf - "$name" | gzip -9n >"dist/$name.tar.gz"
(cd dist && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
SOURCE_DATE_EPOCH=$epoch python3 packaging/make_wheel.py "$stage/$name" "$version" dist
"$stage/$name/bin/forebay" --version >/dev/null || { echo "the packed program does not start" >&2; exit 1; }
ls -l dist | awk 'NR > 1 {printf "%9d  dist/%s\n", $5, $9}'
