"""kill -9 of the command line, the supervisor and both, at every named point and at random: nothing left, nothing lost, nothing run twice."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

from harness import ForebayCase, SLOW, processes_tagged

SUBMIT_POINTS = ["submit:after-directory", "submit:after-record", "submit:after-row", "submit:after-start"]
ATTEMPT_POINTS = ["attempt:after-take-over", "attempt:after-ready", "attempt:planning", "attempt:provisioning", "attempt:preparing", "attempt:staging",
                  "attempt:running", "attempt:child-started", "attempt:child-ended", "attempt:after-outcome", "attempt:saving", "attempt:releasing", "attempt:before-close"]
RECONCILE_POINTS = ["reconcile:after-take-over", "reconcile:before-close"]

# Appends one line per start to `started`, then counts into the log.
JOB = "echo started >> started; i=0; while [ $i -lt %d ]; do i=$((i+1)); echo line $i; sleep 0.05; done; echo made > out.txt"


class KillAtNamedPoints(ForebayCase):
    def job_file(self, lines=6):
        (self.work / "job.yaml").write_text("run: |\n  %s\noutputs: [{from: out.txt, to: 'file://%s/saved/'}]\n" % (JOB % lines, self.folder))

    def supervisors(self):
        return [pid for pid in processes_tagged("e2e:" + self.folder.name)]

    def check_truth(self, point):
        """After one reconcile: one terminal row or none, no process, the job ran at most once, the log is whole frames in order."""
        self.wait_until(lambda: all(run["state"] in ("finished", "failed", "cancelled") for run in self.runs()), 30, "a terminal state after " + point)
        self.nothing_is_left(20)
        started = self.work / "started"
        starts = started.read_text().count("started") if started.exists() else 0
        self.assertLessEqual(starts, 1, "the job ran twice after " + point)
        for run in self.runs():
            outcome = self.outcome(run["run"])
            self.assertEqual(outcome["cause"], run["cause"], point)
            if outcome["cause"] == "never-started":
                self.assertEqual(starts, 0, point)
            if outcome["cause"] == "succeeded":
                self.assertEqual(starts, 1, point)
                self.assertTrue((self.folder / "saved" / "out.txt").exists(), point)
            lines = self.forebay("logs", run["run"], check=0).text.splitlines()
            numbered = [line for line in lines if line.startswith("line ")]
            self.assertEqual(numbered, ["line %d" % (i + 1) for i in range(len(numbered))], point)

    def test_command_line_killed_while_submitting(self):
        for point in SUBMIT_POINTS:
            with self.subTest(point):
                self.setUp()
                self.job_file()
                result = self.forebay("run", "-q", "job.yaml", env={"FOREBAY_FAULT": point})
                self.assertEqual(result.code, -signal.SIGKILL, point)
                self.check_truth(point)
                self.forebay("run", "-q", "job.yaml", check=0)  # the next run is not disturbed

    def test_supervisor_killed_in_every_state(self):
        for point in ATTEMPT_POINTS:
            with self.subTest(point):
                self.setUp()
                self.job_file()
                result = self.forebay("run", "-q", "job.yaml", env={"FOREBAY_FAULT": point})
                self.assertNotEqual(result.code, -signal.SIGKILL, point)
                self.check_truth(point)

    def test_killed_while_reconciling(self):
        for point in RECONCILE_POINTS:
            with self.subTest(point):
                self.setUp()
                self.job_file(1000)
                run = self.forebay("submit", "job.yaml", check=0).text.strip()
                self.wait_until(lambda: b"line 2" in self.forebay("logs", run).out)
                identity = json.loads((self.record(run) / "supervisor.json").read_text())["supervisor"]
                os.kill(identity["pid"], signal.SIGKILL)
                self.wait_until(lambda: not os.path.exists("/proc/%d/environ" % identity["pid"]) or identity["pid"] not in self.supervisors(), what="the death of the supervisor")
                self.assertEqual(self.forebay("ps", env={"FOREBAY_FAULT": point}).code, -signal.SIGKILL, point)
                self.check_truth(point)


class KillAtRandom(ForebayCase):
    ROUNDS = int(os.environ.get("FOREBAY_KILL_ROUNDS", "40"))

    def test_command_line_supervisor_and_both(self):
        seed = int(os.environ.get("FOREBAY_KILL_SEED", "20261201"))
        dice = random.Random(seed)
        for round_number in range(self.ROUNDS):
            victim = dice.choice(["command line", "supervisor", "both", "warden", "all three"])
            delay = dice.uniform(0.0, 0.6) * SLOW
            with self.subTest(round=round_number, victim=victim, delay=delay, seed=seed):
                self.one_round(victim, delay)

    def one_round(self, victim, delay):
        for name in ("started", "shown"):
            (self.work / name).unlink(missing_ok=True)
        before = {run["run"] for run in self.runs()}
        with open(self.work / "shown", "wb") as shown:
            process = self.start("run", "-q", "--", "sh", "-c", JOB % 8, stdout=shown)
            time.sleep(delay)
            new = [path for path in (self.home / "runs").glob("*") if path.name not in before]
            identities = {}
            if new and (new[0] / "supervisor.json").exists():
                identities = json.loads((new[0] / "supervisor.json").read_text())
            victims = []
            if victim in ("command line", "both", "all three"):
                victims.append(process.pid)
            for name, who in (("supervisor", ("supervisor", "both", "all three")), ("warden", ("warden", "all three"))):
                if victim in who and identities.get(name):
                    victims.append(identities[name]["pid"])
            for pid in victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait(60 * SLOW)
        self.wait_until(lambda: all(run["state"] in ("finished", "failed", "cancelled") for run in self.runs()), 30, "a terminal state")
        self.nothing_is_left(20)
        mine = [run for run in self.runs() if run["run"] not in before]
        self.assertLessEqual(len(mine), 1)
        starts = (self.work / "started").read_text().count("started") if (self.work / "started").exists() else 0
        self.assertLessEqual(starts, 1)
        shown = (self.work / "shown").read_bytes()
        if mine:
            kept = self.forebay("logs", mine[0]["run"], check=0).out
            self.assertTrue(kept.startswith(shown), "what was shown is not what was kept: %r %r" % (shown, kept))
            if mine[0]["cause"] == "succeeded":
                self.assertEqual(kept.count(b"line "), 8)
        else:
            self.assertEqual((starts, shown), (0, b""))


if __name__ == "__main__":
    unittest.main()
