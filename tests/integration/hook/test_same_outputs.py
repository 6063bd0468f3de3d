"""Real scripts, each run without and with the hook: output, errors, exit code and files must be the same to the bit."""
import os
import re
import unittest
import zipapp

from hooked import PYTHON, Workplace, has_module

TORCHRUN = [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node=2", "--master-addr=127.0.0.1",
            "--master-port=29611"]
HAS = {name: has_module(name) for name in ("torch", "numpy")}


class SameOutputs(unittest.TestCase):
    maxDiff = 4000

    def same(self, *command, **options):
        """Returns the outcome both runs had, and checks that the hook was there in the second."""
        code = options.pop("code", 0)
        needs = options.pop("needs", "torch")
        is_seen = options.pop("is_seen", True)
        clean = options.pop("clean", lambda text: text)
        if needs and not HAS[needs]:
            self.skipTest("this Python has no %s" % needs)
        with Workplace() as place:
            path = options.pop("python_path", None)
            options["python_path"] = os.path.join(place.folder, path) if path else None
            alone = place.run(list(command), False, **options)
            hooked = place.run(list(command), True, **options)
            names = os.listdir(place.channel)
        self.assertEqual(clean(alone.output).decode(), clean(hooked.output).decode())
        self.assertEqual(clean(alone.error).decode(), clean(hooked.error).decode())
        self.assertEqual(alone.code, hooked.code)
        self.assertEqual(sorted(alone.files), sorted(hooked.files))
        for name, content in alone.files.items():
            self.assertTrue(content == hooked.files[name], "%s differs" % name)
        self.assertEqual(alone.code, code, alone.error.decode())
        self.assertEqual(any(name.endswith(".seen") for name in names), is_seen, names)
        if needs == "torch" and is_seen:
            self.assertTrue(any(name.endswith(".ring") for name in names), names)
        return alone

    # -- without a framework
    def test_script_without_framework(self):
        self.same(PYTHON, "plain.py", "--n", "4", needs=None)

    def test_everything_a_script_sees_of_its_interpreter(self):
        with_finder = self.same(PYTHON, "surroundings.py", needs=None)
        self.assertIn(b"sys", with_finder.output)

    def test_surroundings_with_other_flags(self):
        self.same(PYTHON, "-O", "-B", "-W", "error", "-X", "utf8", "surroundings.py", needs=None)

    def test_own_sitecustomize(self):
        done = self.same(PYTHON, "own_sitecustomize.py", needs=None, python_path="site_good")
        self.assertEqual(done.output.count(b"the user's own sitecustomize"), 2)

    def test_own_sitecustomize_that_is_broken(self):
        done = self.same(PYTHON, "plain.py", needs=None, python_path="site_broken")
        self.assertIn(b"Error in sitecustomize", done.error)

    def test_numpy(self):
        self.same(PYTHON, "numpy_only.py", needs="numpy")

    def test_multiprocessing_pools(self):
        self.same(PYTHON, "pool.py", needs=None)

    def test_child_interpreters(self):
        self.same(PYTHON, "children.py", needs=None)

    def test_script_from_command_line(self):
        self.same(PYTHON, "-c", "import sys; print(sys.argv, sys.path, __name__)", "x", needs=None)

    def test_script_from_input(self):
        self.same(PYTHON, "-", needs=None, given=b"print(__name__)\nraise SystemExit('words')\n", code=1)

    def test_syntax_error(self):
        self.same(PYTHON, "-", needs=None, given=b"print(\n", code=1)

    def test_unusual_flags_that_keep_the_hook_out(self):
        for flags in (["-I"], ["-E"], ["-S", "-E"]):
            with self.subTest(flags=flags):
                self.same(PYTHON, *(flags + ["surroundings.py"]), needs=None, is_seen=False)

    def test_no_site_module(self):
        self.same(PYTHON, "-S", "plain.py", needs=None, is_seen=False)

    def test_zip_application(self):
        with Workplace() as place:
            os.mkdir(place.folder)
            with open(os.path.join(place.folder, "__main__.py"), "w") as file:
                file.write("import sys, torch\nprint(__file__ == sys.argv[0] + '/__main__.py', torch.ones(2))\n1 / 0\n")
            archive = os.path.join(place.root, "app.pyz")
            zipapp.create_archive(place.folder, archive)
            self.same(PYTHON, archive, code=1)

    # -- modules called torch
    def test_own_module_called_torch(self):
        self.same(PYTHON, os.path.join("local_torch", "main.py"), needs=None)

    def test_torch_that_cannot_be_imported(self):
        self.same(PYTHON, "broken_torch.py", needs=None)

    # -- training
    def test_training_in_one_process(self):
        self.assertIn("last.pt", self.same(PYTHON, "train.py", "0").files)

    def test_training_with_fork_workers(self):
        self.same(PYTHON, "train.py", "2", "fork", "persistent")

    def test_training_with_spawn_workers(self):
        self.same(PYTHON, "train.py", "2", "spawn")

    def test_training_with_forkserver_workers(self):
        self.same(PYTHON, "train.py", "1", "forkserver")

    def test_torchrun_with_two_ranks(self):
        done = self.same(*(TORCHRUN + ["distributed.py"]), clean=lambda text: re.sub(rb"\d+", b"N", text))
        self.assertEqual(sorted(done.files), ["ddp.pt", "rank0.txt", "rank1.txt"])

    def test_compiled(self):
        self.same(PYTHON, "compiled.py", clean=lambda text: re.sub(rb"W\d{4} [0-9:.]+ \d+", b"", text))

    def test_scripts_graphs_hooks_checkpoints_modes(self):
        self.same(PYTHON, "graphs.py")

    def test_frames_and_warnings(self):
        self.same(PYTHON, "frames.py", clean=lambda text: re.sub(rb"\[<_?[^\n]*\]\n|0x[0-9a-f]+", b"", text))

    def test_deepcopy_and_pickle(self):
        self.same(PYTHON, "copies.py")

    def test_autocast_scaler_accumulation(self):
        self.same(PYTHON, "precision.py")

    def test_closures_nested_optimisers_early_break_thread(self):
        self.same(PYTHON, "closures.py")

    def test_fork_and_exec_in_a_training(self):
        self.same(PYTHON, "forks.py")

    def test_descriptors_signals_and_warnings_as_errors(self):
        self.same(PYTHON, "-W", "error", "descriptors.py")

    def test_package_run_as_module(self):
        self.same(PYTHON, "-m", "package", "a", "b")

    def test_optimised_byte_code(self):
        self.same(PYTHON, "-OO", "train.py", "0")

    def test_script_that_reads_its_input(self):
        self.same(PYTHON, "reads_input.py", given=b"1\n2\n3.5\n")

    def test_under_the_debugger(self):
        self.same(PYTHON, "-m", "pdb", "-c", "b toy.py:15", "-c", "c", "-c", "where", "-c", "q", "exit_three.py")

    def test_under_a_line_tracer(self):
        self.same(PYTHON, "traced.py")

    # -- endings
    def test_exit_code(self):
        self.same(PYTHON, "exit_three.py", code=3)

    def test_ending_without_the_interpreter(self):
        for how, code in (("exit", 9), ("kill", -9)):
            with self.subTest(how=how):
                self.same(PYTHON, "abrupt.py", how, code=code)

    def test_uncaught_exceptions(self):
        for where in ("forward", "worker", "step", "memory", "caught"):
            with self.subTest(where=where):
                self.same(PYTHON, "raises.py", where, code=1)
        with self.subTest(where="interrupt"):
            self.same(PYTHON, "raises.py", "interrupt", code=-2)


if __name__ == "__main__":
    unittest.main()
