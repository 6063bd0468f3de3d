"""Debian roots that the packed program is tried in, made by debootstrap once and kept in FOREBAY_TEST_CACHE (~/.cache/forebay-tests)."""
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import unittest

CACHE = pathlib.Path(os.environ.get("FOREBAY_TEST_CACHE") or pathlib.Path.home() / ".cache" / "forebay-tests")
MS_BIND, MNT_DETACH = 4096, 2


def mirror():
    """The mirror this machine itself installs from."""
    for path in ["/etc/apt/sources.list", *map(str, sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*")))]:
        try:
            text = pathlib.Path(path).read_text()
        except OSError:
            continue
        match = re.search(r"^(?:deb\s+(?:\[[^\]]*\]\s+)?|URIs:\s*)(https?://\S+/debian)/?(?=\s|$)", text, re.M)
        if match:
            return match.group(1)
    return "http://deb.debian.org/debian"


def pristine_root(suite):
    """The cached root of a suite; made when missing. Skips the test where that cannot be."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("a Debian root needs to be root (chroot, debootstrap)")
    root = CACHE / suite
    if (root / "usr/bin/python3").exists() and (root / "var/lib/dpkg/status").exists():
        return root
    if shutil.which("debootstrap") is None:
        raise unittest.SkipTest("debootstrap is not installed")
    CACHE.mkdir(parents=True, exist_ok=True)
    partial = CACHE / (suite + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = ["debootstrap", "--variant=minbase", "--include=python3-minimal", suite, str(partial), mirror()]
    made = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900)
    if made.returncode != 0:
        raise unittest.SkipTest("debootstrap %s failed: %s" % (suite, (made.stdout + made.stderr)[-300:]))
    shutil.rmtree(root, ignore_errors=True)
    partial.rename(root)
    return root


def _mount(source, target, kind, flags):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), str(target).encode(), kind.encode(), flags, None) != 0:
        raise unittest.SkipTest("cannot mount %s: %s" % (target, os.strerror(ctypes.get_errno())))


@contextlib.contextmanager
def root_copy(suite, folder):
    """A copy of the suite's root at `folder` with /proc and /dev, taken apart at the end."""
    subprocess.run(["cp", "-a", "--reflink=auto", str(pristine_root(suite)), str(folder)], check=True)
    mounted = []
    try:
        for source, place in (("/proc", "proc"), ("/dev", "dev")):
            _mount(source, folder / place, "none", MS_BIND)
            mounted.append(folder / place)
        yield folder
    finally:
        libc = ctypes.CDLL(None, use_errno=True)
        for place in reversed(mounted):
            libc.umount2(str(place).encode(), MNT_DETACH)
        # Never delete through a mount that would not go.
        if not any(os.path.ismount(place) for place in mounted):
            shutil.rmtree(folder, ignore_errors=True)
