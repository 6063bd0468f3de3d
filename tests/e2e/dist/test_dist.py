"""The tarball of `make dist`, unpacked in a Debian 12 and a Debian 11 (glibc 2.31) root where nothing is installed, and the wheel.

Skipped until `make dist` has been run; FOREBAY_DIST names another folder than dist/.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import old_roots

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIST = pathlib.Path(os.environ.get("FOREBAY_DIST") or ROOT / "dist")
SCRIPT = """\
import os, sys, time
for step in range(1, 4):
    print("step=%d loss=%.3f" % (step, 1 / step), flush=True)
    time.sleep(0.2)
print("private:", sorted(name for name in os.environ if name in ("FOREBAY_LAUNCHER", "LD_LIBRARY_PATH", "LD_PRELOAD", "FOREBAY_HOOK_FOLDER")))
sys.exit(7)
"""
# What a GPU library does at least: lives on the host, uses the C library from threads, opens another library.
FAKE_NVML = """\
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
static void* set(void* value) { *(int*)value = 7; return 0; }
int nvmlInit_v2(void) { pthread_t thread; int value = 0; if (pthread_create(&thread, 0, set, &value)) return 999; pthread_join(thread, 0);
  return value == 7 && dlopen("libm.so.6", RTLD_NOW) ? 0 : 999; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 0; return 0; }
int nvmlSystemGetDriverVersion(char* text, unsigned length) { strncpy(text, "550.54.15", length); return 0; }
"""


def one(pattern):
    found = sorted(DIST.glob(pattern))
    if not found:
        raise unittest.SkipTest("no %s in %s: run `make dist` first" % (pattern, DIST))
    return found[-1]


class Unpacked:
    """The checks, the same in every root; a subclass names the Debian suite."""

    suite = None

    @classmethod
    def setUpClass(cls):
        cls.tarball = one("forebay-*-linux-*.tar.gz")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="forebay-dist-"))
        cls.addClassCleanup(lambda: cls.folder.rmdir() if not any(cls.folder.iterdir()) else None)
        context = old_roots.root_copy(cls.suite, cls.folder / "root")
        cls.root = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        began = time.monotonic()
        # Moved away from where it was built and into a folder with a space: relocatable means anywhere.
        (cls.root / "opt/any where").mkdir(parents=True)
        subprocess.run(["tar", "-xzf", str(cls.tarball), "--strip-components=1", "-C", str(cls.root / "opt/any where")], check=True)
        cls.seconds_to_unpack = time.monotonic() - began

    def run_inside(self, *command, check=0, timeout=120):
        completed = subprocess.run(
            ["chroot", str(self.root), "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/root", "LC_ALL=C.UTF-8", *command],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout)
        self.assertEqual(completed.returncode, check, "%s\n%s\n%s" % (command, completed.stdout[-3000:], completed.stderr[-3000:]))
        return completed.stdout

    def forebay(self, *arguments, check=0):
        return self.run_inside("/opt/any where/bin/forebay", *arguments, check=check)

    def test_it_tells_its_version(self):
        version = self.tarball.name.split("-")[1]
        self.assertIn(version, self.forebay("--version"))

    def test_a_symbolic_link_to_the_command_works(self):
        self.run_inside("ln", "-sf", "/opt/any where/bin/forebay", "/usr/bin/forebay")
        self.assertEqual(self.run_inside("forebay", "--version"), self.forebay("--version"))

    def test_first_verdict_within_two_minutes_of_unpacking(self):
        began = time.monotonic()
        (self.root / "root/script.py").write_text(SCRIPT)
        self.assertIn("hi", self.forebay("run", "--", "sh", "-c", "echo hi"))
        output = self.forebay("run", "--", "python3", "/root/script.py", check=7)
        self.assertIn("step=3 loss=0.333", output)
        self.assertIn("private: []", output, "the job's environment must not carry our loader's settings")
        runs = json.loads(self.forebay("ps", "--all", "--json"))
        report = json.loads(self.forebay("report", runs[0]["run"], "--json"))
        self.assertTrue(report)
        self.assertTrue(self.forebay("report", runs[0]["run"]).strip())
        self.assertLess(self.seconds_to_unpack + time.monotonic() - began, 120)

    def test_the_hook_is_seen_by_a_python_job(self):
        (self.root / "root/path.py").write_text("import sys; print('hook:', any(type(f).__name__ == '_TorchFinder' for f in sys.meta_path))\n")
        self.assertIn("hook: True", self.forebay("run", "--", "python3", "/root/path.py"))

    def test_nothing_outside_the_tree_is_loaded_but_the_hosts_own(self):
        maps = self.run_inside("/opt/any where/lib/forebay/loader/forebay", "--library-path", "/opt/any where/lib/forebay", "--list",
                               "/opt/any where/lib/forebay/program")
        for line in maps.splitlines():
            if "=>" in line:
                self.assertIn("/opt/any where/lib/forebay/", line)


class Debian11(Unpacked, unittest.TestCase):
    suite = "bullseye"

    def test_this_root_is_old(self):
        self.assertIn("2.31", self.run_inside("ldd", "--version"))


class Debian12(Unpacked, unittest.TestCase):
    suite = "bookworm"


class HostGpuLibrary(unittest.TestCase):
    """The packed loader opens a library built for the host's C library, in a root whose own C library is older or the same."""

    def test_a_library_of_the_host_opens(self):
        tarball = one("forebay-*-linux-*.tar.gz")
        with tempfile.TemporaryDirectory(prefix="forebay-nvml-") as folder:
            folder = pathlib.Path(folder)
            subprocess.run(["tar", "-xzf", str(tarball), "--strip-components=1", "-C", str(folder)], check=True)
            (folder / "fake.c").write_text(FAKE_NVML)
            library = folder / "libnvidia-ml.so.1"
            subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1", "-o", library, folder / "fake.c"], check=True)
            (folder / "try.c").write_text(
                '#include <dlfcn.h>\n#include <stdio.h>\nint main(int n, char** v) { void* l = n > 1 ? dlopen(v[1], RTLD_NOW) : 0;\n'
                '  if (!l) { puts(dlerror()); return 1; }\n  return ((int (*)(void))dlsym(l, "nvmlInit_v2"))(); }\n')
            subprocess.run(["cc", "-o", folder / "lib/forebay/try", folder / "try.c"], check=True)
            command = [folder / "lib/forebay/loader/forebay", "--library-path", folder / "lib/forebay", folder / "lib/forebay/try", library]
            for suite in (None, "bullseye"):
                with self.subTest(root=suite or "this machine"):
                    if suite is None:
                        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
                    else:
                        with tempfile.TemporaryDirectory(prefix="forebay-nvml-root-") as place:
                            with old_roots.root_copy(suite, pathlib.Path(place) / "root") as root:
                                subprocess.run(["cp", "-a", str(folder), str(root / "opt/forebay")], check=True)
                                inside = [str(part).replace(str(folder), "/opt/forebay") for part in command]
                                done = subprocess.run(["chroot", str(root), *inside], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Wheel(unittest.TestCase):
    def test_pip_install_gives_the_command(self):
        wheel = one("forebay-*.whl")
        with tempfile.TemporaryDirectory(prefix="forebay-wheel-") as folder:
            venv = pathlib.Path(folder) / "venv"
            subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
            subprocess.run([str(venv / "bin/python"), "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", str(wheel)], check=True)
            environment = dict(os.environ, FOREBAY_HOME=folder + "/state", FOREBAY_CACHE=folder + "/cache")
            done = subprocess.run([str(venv / "bin/forebay"), "--version"], capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(wheel.name.split("-")[1], done.stdout)
            done = subprocess.run([str(venv / "bin/forebay"), "run", "--", "sh", "-c", "echo hi; exit 3"], capture_output=True, text=True,
                                  env=environment, cwd=folder, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("hi", done.stdout)


if __name__ == "__main__":
    unittest.main()
