"""forebay probe with real scripts: how it stops, what it measures, what it leaves behind, and whether it foretells a longer run."""
import fcntl
import importlib.util
import os
import pty
import signal
import struct
import sys
import termios
import time
import unittest

from harness import SLOW, ForebayCase

PYTHON = sys.executable
HAS_TORCH = importlib.util.find_spec("torch") is not None

TRAIN = """
import signal, sys, time, torch
from torch.utils.data import DataLoader, Dataset
torch.set_num_threads(1)
class Data(Dataset):
    def __len__(self): return 1600
    def __getitem__(self, i):
        time.sleep(0.0003)
        return torch.randn(64), i % 10
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
steps, done = int(sys.argv[1]), 0
if 'deaf' in sys.argv: signal.signal(signal.SIGTERM, signal.SIG_IGN)
while done < steps:
    for x, y in DataLoader(Data(), batch_size=16):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        done += 1
        if 'slow' in sys.argv: time.sleep(0.05)
        if done >= steps: break
open('made-by-the-job.txt', 'w').write(str(done))
"""


class WithoutTorch(ForebayCase):
    def test_a_program_without_steps_is_measured_until_its_time_is_over(self):
        self.script("import time\nwhile True: sum(range(20000)); time.sleep(0.001)")
        began = time.monotonic()
        result = self.forebay("probe", "--max-duration", "3s", "--json", "--", PYTHON, "script.py", check=0).json
        self.assertLess(time.monotonic() - began, 12 * SLOW)
        self.assertEqual(result["outcome"]["cause"], "slice-seen")
        measured = result["measured"]
        self.assertIsNone(measured["step"])
        self.assertGreater(measured["cores_used"], 0)
        self.assertGreater(measured["peak_memory_bytes"], 1 << 20)
        self.assertIsNone(measured["peak_gpu_memory_bytes"])
        self.assertIn("no step could be seen", measured["not_known"][0]["text"])
        self.assertIsNone(result["here"]["total_seconds"])
        self.assertEqual(result["advice"]["capacity"], "unknown")
        self.nothing_is_left()

    def test_isolated_python_is_named_as_the_reason(self):
        self.script("import time\ntime.sleep(30)")
        result = self.forebay("probe", "--max-duration", "2500ms", "--", PYTHON, "-I", "script.py", check=0)
        self.assertIn("-I, -E or -S", " ".join(result.text.split()))

    def test_ps_marks_it_and_outputs_are_not_copied(self):
        (self.work / "job.yaml").write_text("name: sweep\nrun: echo new > out.txt; sleep 30\noutputs: [{from: out.txt, to: kept}]\npolicy: {retries: 2}\n")
        (self.work / "kept").mkdir()
        (self.work / "kept/out.txt").write_text("old")
        result = self.forebay("probe", "job.yaml", "--max-duration", "1s", check=0)
        self.assertEqual((self.work / "kept/out.txt").read_text(), "old")
        self.assertIn("were not copied", result.text)
        self.assertIn("sweep (probe)", self.forebay("ps", check=0).text)
        self.assertEqual(self.last()["kind"], "probe")
        self.assertEqual(self.last()["state"], "finished")
        self.nothing_is_left()

    def test_a_job_that_fails_fails_the_probe_once_and_shows_why(self):
        (self.work / "job.yaml").write_text("run: echo broken >&2; exit 7\npolicy: {retries: 3}\n")
        result = self.forebay("probe", "job.yaml", check=7)
        self.assertIn("broken", result.err)
        self.assertEqual(self.outcome()["cause"], "job-failed")

    def test_dry_run_runs_nothing(self):
        result = self.forebay("probe", "--dry-run", "--steps", "7", "--warmup", "2", "--", "true", check=0)
        self.assertIn("stopped after 9 steps", result.text)
        self.assertEqual(self.runs(), [])

    def test_bad_options_are_said_plainly(self):
        for arguments, expected in ((["--steps", "0"], "between 1 and"), (["--steps", "many"], "between 1 and"), (["--warmup", "-1"], "between 0 and"),
                                    (["--max-duration", "0s"], "above 0"), (["--epochs", "nan"], "above 0"), (["--accelerator-speed", "3-2"], "before its beginning"),
                                    (["--from-run", "last"], "a job was named too")):
            result = self.forebay("probe", *arguments, "--", "true", check=2)
            self.assertIn(expected, result.err)
        self.assertEqual(self.runs(), [])

    def test_ctrl_c_ends_it_soon(self):
        process = self.start("probe", "--", PYTHON, "-c", "import time; time.sleep(60)")
        self.wait_until(lambda: any(run["state"] == "running" for run in self.runs()), what="the start")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)
        self.assertLess(time.monotonic() - began, 5 * SLOW)
        self.assertEqual(self.outcome()["cause"], "cancelled")
        self.nothing_is_left()

    def test_it_speaks_chinese(self):
        result = self.forebay("--lang", "zh_CN", "probe", "--max-duration", "1s", "--", "sleep", "9", check=0)
        self.assertIn("未能得知", result.text)


@unittest.skipUnless(HAS_TORCH, "PyTorch is not installed")
class WithTorch(ForebayCase):
    def setUp(self):
        super().setUp()
        self.script(TRAIN, "train.py")

    def probe(self, *arguments, job=("100000",), **options):
        return self.forebay("probe", "--json", *arguments, "--", PYTHON, "train.py", *job, timeout=120, **options).json

    def test_it_stops_after_the_steps_and_tells_what_they_took(self):
        result = self.probe("--steps", "20", "--epochs", "3", job=("100000", "slow"), check=0)
        self.assertEqual(result["outcome"]["cause"], "slice-seen")
        step = result["measured"]["step"]
        self.assertEqual((step["steps"], step["warmup_steps"]), (20, 5))
        self.assertLess(result["measured"]["steps_seen"], 60)
        self.assertGreater(step["seconds_median"], 0.05)
        parts = step["parts_seconds"]
        self.assertAlmostEqual(sum(parts.values()), step["seconds_mean"], delta=0.02 * step["seconds_mean"])
        self.assertGreater(parts["data_wait"], 16 * 0.0003)
        self.assertGreater(parts["other"], 0.04)
        self.assertEqual(step["samples_per_step"], 16)
        self.assertEqual(result["length"]["steps"], 300)
        self.assertFalse((self.work / "made-by-the-job.txt").exists())
        self.nothing_is_left()
        again = self.forebay("probe", "--from-run", "last", "--epochs", "3", "--json", check=0).json
        self.assertEqual(again["measured"]["step"], step)

    def test_a_terminal_sees_steps_rate_and_time_left(self):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        process = self.start("probe", "--steps", "60", "--", PYTHON, "train.py", "100000", "slow", stderr=slave)
        os.close(slave)
        shown = b""
        while True:
            try:
                data = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            shown += data
        os.close(master)
        self.assertEqual(process.wait(30), 0)
        text = shown.decode("utf-8", "replace")
        self.assertRegex(text, r"probe: [0-9.]+ steps/s")
        self.assertRegex(text, r"\d+/65")
        self.assertRegex(text, r"\d:\d\d left")
        self.assertTrue(text.endswith("\x1b[K"), "the line is taken away at the end")

    def test_a_script_that_ends_before_is_measured_as_far_as_it_went(self):
        result = self.probe("--steps", "50", job=("12",), check=0)
        self.assertEqual(result["outcome"]["cause"], "succeeded")
        self.assertEqual(result["measured"]["step"]["steps"], 7)
        self.assertEqual(result["length"]["steps"], 12)

    def test_a_script_that_ends_within_the_warm_up_has_no_time_per_step(self):
        result = self.probe(job=("3",), check=0)
        self.assertIsNone(result["measured"]["step"])
        self.assertIn("only 3 steps were seen", result["measured"]["not_known"][0]["text"])

    def test_a_script_that_ignores_sigterm_is_killed_after_its_grace(self):
        began = time.monotonic()
        result = self.probe("--steps", "10", job=("100000", "deaf"), check=0)
        self.assertLess(time.monotonic() - began, 40 * SLOW)
        self.assertEqual((result["outcome"]["cause"], result["outcome"]["signal"]), ("slice-seen", 9))
        self.assertEqual(result["measured"]["step"]["steps"], 10)
        self.nothing_is_left()

    def test_thirty_steps_foretell_three_hundred(self):
        # Steps that mostly wait (for data, and asleep): so that what else this machine does meanwhile matters little.
        expected = self.probe("--steps", "30", "--total-steps", "300", job=("100000", "slow"), check=0)["here"]["total_seconds"]
        self.forebay("run", "-q", "--", PYTHON, "train.py", "300", "slow", timeout=120, check=0)
        measured = self.outcome()["duration_ns"] * 1e-9
        print("foretold %.1f to %.1f s, measured %.1f s" % (expected["low"], expected["high"], measured), file=sys.stderr)
        self.assertLess(expected["high"] / expected["low"], 2.5)
        self.assertLessEqual(expected["low"], measured)
        self.assertGreaterEqual(expected["high"], measured)


if __name__ == "__main__":
    unittest.main()
