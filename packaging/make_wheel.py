#!/usr/bin/env python3
"""packaging/make_wheel.py TREE VERSION TO: a wheel that carries the unpacked tarball TREE.

The launcher goes to the environment's bin/, everything else to its lib/forebay/, just as in the tarball, so the command is
the program itself: no Python starts before it. Deterministic: names sorted, times from SOURCE_DATE_EPOCH.
"""
import base64
import hashlib
import os
import pathlib
import platform
import sys
import time
import zipfile

# The oldest C library that the tests try it on (Debian 11). The program brings its own; pip asks for the host's all the same.
OLDEST_TESTED_GLIBC = (2, 31)


def main():
    tree, version, target = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)  # a zip knows no time before 1980
    tag = "py3-none-manylinux_%d_%d_%s" % (*OLDEST_TESTED_GLIBC, platform.machine())
    data, info = "forebay-%s.data" % version, "forebay-%s.dist-info" % version
    files = {}
    for path in sorted(tree.rglob("*")):
        if path.is_file():
            relative = path.relative_to(tree)
            place = "scripts/" + relative.name if relative.parts[0] == "bin" else "data/" + relative.as_posix()
            files["%s/%s" % (data, place)] = (path.read_bytes(), os.access(path, os.X_OK))
    description = pathlib.Path("README.md").read_text(encoding="utf-8") if pathlib.Path("README.md").is_file() else ""
    metadata = (
        "Metadata-Version: 2.1\nName: forebay\nVersion: %s\n"
        "Summary: One command runs your code on the right GPU, says why it is slow and what it cost\n"
        "License: Apache-2.0\nRequires-Python: >=3.7\nClassifier: Operating System :: POSIX :: Linux\n"
        "Classifier: License :: OSI Approved :: Apache Software License\nDescription-Content-Type: text/markdown\n\n%s"
    ) % (version, description)
    files[info + "/METADATA"] = (metadata.encode(), False)
    files[info + "/WHEEL"] = (("Wheel-Version: 1.0\nGenerator: forebay\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode(), False)
    files[info + "/LICENSE"] = ((tree / "share/doc/forebay/LICENSE").read_bytes(), False)
    record = "".join(
        "%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode(), len(content))
        for name, (content, _) in sorted(files.items())
    )
    files[info + "/RECORD"] = ((record + "%s/RECORD,,\n" % info).encode(), False)

    # dist-info last, as the wheel format recommends.
    names = sorted(files, key=lambda name: (name.startswith(info), name))
    with zipfile.ZipFile(target / ("forebay-%s-%s.whl" % (version, tag)), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            content, executable = files[name]
            entry = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


if __name__ == "__main__":
    main()
