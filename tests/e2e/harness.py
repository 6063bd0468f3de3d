"""Driving the built program as a person would: a state folder of the test's own, commands, terminals, and a look at what is left."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOREBAY = os.environ.get("FOREBAY_BINARY", str(ROOT / "build/dev/src/forebay"))
# Sanitized builds are several times slower.
SLOW = 4.0 if "san" in os.environ.get("FOREBAY_BUILD", "") else 1.0


class Result:
    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr.decode("utf-8", "replace")

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.out)


def processes_tagged(tag):
    """Pids whose environment holds the text (run tags); zombies have none."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            if tag.encode() in pathlib.Path("/proc", entry, "environ").read_bytes():
                found.append(int(entry))
        except OSError:
            pass
    return found


class ForebayCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="forebay-e2e-"))
        self.home = self.folder / "state"
        self.work = self.folder / "work"
        self.work.mkdir()
        self.environment = dict(os.environ, FOREBAY_HOME=str(self.home), FOREBAY_CACHE=str(self.folder / "cache"), E2E_MARK="e2e:" + self.folder.name)
        self.addCleanup(self.clean)

    def clean(self):
        for pid in processes_tagged("e2e:" + self.folder.name):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def forebay(self, *arguments, input=b"", timeout=60, cwd=None, env=None, check=None):
        completed = subprocess.run([FOREBAY, *map(str, arguments)], input=input, capture_output=True, cwd=cwd or self.work,
                                   env={**self.environment, **(env or {})}, timeout=timeout * SLOW)
        result = Result(completed)
        if check is not None:
            self.assertEqual(result.code, check, "%s\n--- out\n%s\n--- err\n%s" % (arguments, result.text[-3000:], result.err[-3000:]))
        return result

    def start(self, *arguments, env=None, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([FOREBAY, *map(str, arguments)], cwd=self.work, env={**self.environment, **(env or {})}, **options)
        self.addCleanup(self.reap, process)
        return process

    @staticmethod
    def reap(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def script(self, text, name="script.py"):
        path = self.work / name
        path.write_text(text)
        return path

    def runs(self):
        return self.forebay("ps", "--all", "--json", check=0).json

    def last(self):
        return self.runs()[0]

    def record(self, run=None):
        return self.home / "runs" / (run or self.last()["run"])

    def outcome(self, run=None):
        return json.loads((self.record(run) / "outcome.json").read_text())

    def wait_until(self, condition, timeout=20, what="the condition"):
        deadline = time.monotonic() + timeout * SLOW
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        self.fail("%s did not come true within %s s" % (what, timeout * SLOW))

    def nothing_is_left(self, timeout=10):
        """No process of this test's jobs or supervisors may be left."""
        self.wait_until(lambda: not processes_tagged("e2e:" + self.folder.name), timeout, "the end of every process")
        for run in self.runs():
            self.assertEqual(list(pathlib.Path("/dev/shm").glob("forebay-*-%s-hook" % run["run"])), [])
