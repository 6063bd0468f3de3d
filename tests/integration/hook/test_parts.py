"""The hook's parts by themselves, in this interpreter and in every other that is here; no framework needed."""
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
import unittest

from hooked import HOOK, PYTHON, SCRIPTS, Workplace, environment
from reader import RingFile, read_folder

sys.path.insert(0, HOOK)
from _forebay_hook import recorder, rewrite  # noqa: E402

import subject  # noqa: E402

sys.path.remove(HOOK)


def other_interpreters():
    names = ["python2.7"] + ["python3.%d" % minor for minor in range(6, 16)] + ["pypy3"]
    found = {}
    folders = os.environ.get("PATH", "").split(os.pathsep)
    pyenv = os.path.expanduser("~/.pyenv/versions")
    if os.path.isdir(pyenv):
        folders += [os.path.join(pyenv, version, "bin") for version in sorted(os.listdir(pyenv))]
    for name in names:
        for folder in folders:
            path = os.path.join(folder, name)
            if "shims" not in folder and os.access(path, os.X_OK):
                found.setdefault(os.path.realpath(path), name)
    return sorted(found)


def outcome(function, value):
    """The result, or where and how it failed."""
    try:
        return function(value)
    except Exception as error:
        places = [(place.filename, place.lineno, place.name, getattr(place, "colno", None))
                  for place in traceback.extract_tb(error.__traceback__)[1:]]
        return places, repr(error)


class TimerWithoutFrame(unittest.TestCase):
    functions = [subject.simple, subject.Holder.method, subject.imported, subject.no_return,
                 subject.decorated.__wrapped__.__wrapped__, subject.closing_over]

    def setUp(self):
        self.log = []
        self.names = {"_t_begin": lambda: self.log.append("begin"), "_t_skip": [False],
                      "_t_end": lambda result: self.log.append(result is rewrite.NO_RESULT)}

    def instrument(self, function, **more):
        undo = rewrite.instrument(function, more.pop("skip", None), "_t_begin()", "_t_end(_fb_result)", self.names, **more)
        self.addCleanup(undo)

    def test_results_and_tracebacks_stay_the_same(self):
        before = [outcome(function, value) for function in self.functions for value in (1, 0)]
        for function in self.functions:
            self.instrument(function)
        self.assertEqual(before, [outcome(function, value) for function in self.functions for value in (1, 0)])
        self.assertEqual(self.log.count("begin"), 12)
        self.assertEqual(self.log.count(True), 6)

    def test_undo_gives_the_old_code_back(self):
        code = subject.simple.__code__
        rewrite.instrument(subject.simple, None, "_t_begin()", "_t_end(_fb_result)", self.names)()
        self.assertIs(subject.simple.__code__, code)

    def test_function_made_by_a_function(self):
        self.instrument(subject.decorator, inner="call", skip="_t_skip[0]")
        made = subject.decorator(lambda x: x + 1)
        self.assertEqual((made(3), self.log), (4, ["begin", False]))
        self.names["_t_skip"][0] = True
        self.assertEqual((made(4), self.log), (5, ["begin", False]))

    def test_source_that_does_not_belong_to_the_code_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("def f(x):\n    return x + 1\n")
            file.flush()
            names = {}
            exec(compile("def f(x):\n    return x + 2\n", file.name, "exec"), names)
            exec(compile("\n\n\ndef g(x):\n    return x + 2\n", file.name, "exec"), names)
            exec(compile("def h(x):\n    return x + 2\n", "no such file", "exec"), names)
            for name in ("f", "g", "h"):
                with self.assertRaises(rewrite.NotCovered):
                    rewrite.instrument(names[name], None, "0", "pass", {})
                self.assertEqual(names[name](1), 3)
        with self.assertRaises(rewrite.NotCovered):
            rewrite.instrument(len, None, "0", "pass", {})
        rewrite.forget_sources()


class RingOfOneProcess(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, True)

    def test_records_and_facts_come_back(self):
        state = recorder.Recorder(self.folder)
        state._new_ring()
        descriptors = len(os.listdir("/proc/self/fd"))
        begin = state.now()
        state.span(recorder.DATA_WAIT, begin, 8, 0)
        state.learn(script=recorder.plain_text("x\udcff"), optimizer=None, parameters=5)
        ring = RingFile(state.ring.name)
        self.assertEqual(len(os.listdir("/proc/self/fd")), descriptors)
        self.assertEqual((ring.pid, ring.head, ring.records[0].a, ring.records[0].start), (os.getpid(), 1, 8, begin))
        self.assertEqual(ring.facts, {"script": "x?", "parameters": 5})
        self.assertGreater(ring.started, 0)
        self.assertFalse(ring.ended_in_order)

    def test_facts_too_long_for_their_place(self):
        state = recorder.Recorder(self.folder)
        state._new_ring()
        state.learn(python="3", dataloaders=[{"dataset": "D" * 9000}])
        self.assertEqual(RingFile(state.ring.name).facts, {"python": "3"})
        state.learn(python="3" * 9000)
        self.assertFalse(state.is_off)

    def test_names_that_are_taken(self):
        for _ in range(3):
            recorder.Recorder(self.folder)._new_ring()
        self.assertEqual(len(read_folder(self.folder)), 3)

    def test_a_folder_that_is_not_there_or_full(self):
        self.assertFalse(recorder.Recorder(os.path.join(self.folder, "missing")).open_ring())
        small = os.path.join(self.folder, "small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no right to mount")
        self.addCleanup(subprocess.run, ["umount", small])
        self.assertFalse(recorder.Recorder(small).open_ring())
        self.assertEqual(os.listdir(small), [])

    def test_off_is_for_good_and_undoes(self):
        state = recorder.Recorder(self.folder)
        state._new_ring()
        undone = []
        state.restore.append(lambda: undone.append(1))
        state.span("not a kind", 0)
        self.assertEqual((undone, state.is_off), ([1], True))
        state.span(recorder.FORWARD, 0)
        state.learn(python="3")
        self.assertEqual(RingFile(state.ring.name).facts, {})


class EveryInterpreter(unittest.TestCase):
    def test_own_sitecustomize_and_path_in_every_python_that_is_here(self):
        own = os.path.join(SCRIPTS, "site_good")
        question = ("import sys; import sitecustomize as s; print(sys.version_info[:2], sys.path[1:], s.SEEN, s.__name__)",
                    "import sys; print('sitecustomize' in sys.modules, sys.path[1:])")
        for python in other_interpreters() or [PYTHON]:
            for text, path in zip(question, (own, None)):
                with self.subTest(python=python, path=path), Workplace() as place:
                    answers = [subprocess.run([python, "-c", text], env=environment(path, channel), stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT).stdout for channel in (None, place.channel)]
                    self.assertEqual(answers[0], answers[1])
                    self.assertEqual(len(os.listdir(place.channel)), 1)

    def test_channel_that_is_not_there(self):
        with Workplace() as place:
            for channel in ("/no/such/folder", "relative", "/dev/null"):
                done = place.run([PYTHON, "plain.py"], True, channel=channel)
                self.assertEqual((done.code, done.output, done.error), (0, b"[0, 1, 4, 9, 16]\n", b""))

    def test_the_folder_on_the_path_without_a_channel(self):
        with Workplace() as place:
            done = place.run([PYTHON, "-c", "import sys; print(sys.meta_path, sys.path[1:])"], False, python_path=HOOK)
        self.assertIn(b"BuiltinImporter", done.output)
        self.assertNotIn(b"_TorchFinder", done.output)
        self.assertNotIn(HOOK.encode(), done.output)


if __name__ == "__main__":
    unittest.main()
