"""Runs a script in an empty folder with or without the hook and hands back all it did."""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "scripts")
HOOK = os.path.abspath(os.path.join(HERE, "..", "..", "..", "python", "forebay_hook"))
PYTHON = os.environ.get("FOREBAY_TEST_PYTHON", sys.executable)

Outcome = collections.namedtuple("Outcome", "code output error files")


def has_module(name, python=PYTHON):
    question = "import importlib.util, sys; sys.exit(importlib.util.find_spec(%r) is None)" % name
    return subprocess.run([python, "-c", question], stderr=subprocess.DEVNULL).returncode == 0


def environment(python_path=None, channel=None, more=None):
    """The surroundings of a script: what a person's shell gives it, and with a channel what `forebay run` adds."""
    variables = {key: value for key, value in os.environ.items()
                 if key not in ("PYTHONPATH", "FOREBAY_HOOK_DIR", "PYTHONUNBUFFERED")}
    variables.update(PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0", OMP_NUM_THREADS="1", **(more or {}))
    if python_path:
        variables["PYTHONPATH"] = python_path
    if channel:
        variables["FOREBAY_HOOK_DIR"] = channel
        variables["PYTHONPATH"] = HOOK + (os.pathsep + python_path if python_path else "")
    return variables


def _content(folder):
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.relpath(os.path.join(place, name), folder)] = file.read()
    return found


class Workplace(object):
    """A folder whose path is the same for the run with and the run without, and a channel beside it."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="forebay-hook-")
        self.folder = os.path.join(self.root, "work")
        self.channel = os.path.join(self.root, "channel")
        os.mkdir(self.channel)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, command, is_hooked, python_path=None, given=None, more=None, seconds=240, channel=None):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(SCRIPTS, self.folder, ignore=shutil.ignore_patterns("__pycache__"))
        before = _content(self.folder)
        variables = environment(python_path, (channel or self.channel) if is_hooked else None, more)
        done = subprocess.run(command, cwd=self.folder, env=variables, input=given, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=seconds)
        files = {name: content for name, content in _content(self.folder).items() if before.get(name) != content}
        return Outcome(done.returncode, done.stdout, done.stderr, files)

    def run_text(self, text, more=None, **options):
        """Runs `text` as a script under the hook; the folder also holds the scripts."""
        name = os.path.join(self.root, "script.py")
        with open(name, "w") as file:
            file.write(text)
        variables = dict(more or {}, PYTHONPATH_OF_SCRIPT=self.folder)
        return self.run([PYTHON, name], True, python_path=self.folder, more=variables, **options)
