"""forebay run with real scripts: what goes through unharmed, what is said, what is left behind."""
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from harness import ForebayCase, processes_tagged

PYTHON = sys.executable


class OutputAndExitCodes(ForebayCase):
    def test_passes_output_and_exit_code_through(self):
        result = self.forebay("run", "--", "sh", "-c", "echo out; echo err >&2; exit 3", check=3)
        self.assertEqual(result.text, "out\n")
        self.assertTrue(result.err.startswith("err\n"), result.err)
        self.assertEqual(self.outcome()["cause"], "job-failed")
        self.assertEqual(self.last()["state"], "failed")

    def test_succeeds_quietly(self):
        result = self.forebay("run", "-q", "--", "true", check=0)
        self.assertEqual((result.out, result.err), (b"", ""))

    def test_missing_command_is_127_and_says_so(self):
        result = self.forebay("run", "--", "no-such-program-here", check=127)
        self.assertIn("no-such-program-here", result.err)
        self.assertEqual(self.outcome()["cause"], "cannot-start")

    def test_missing_interpreter_of_a_script_is_said(self):
        path = self.script("#!/no/such/interpreter\n", "tool")
        path.chmod(0o755)
        result = self.forebay("run", "--", "./tool")
        self.assertIn(result.code, (126, 127))
        self.assertIn("/no/such/interpreter", result.err)

    def test_a_file_that_is_not_executable_is_126(self):
        self.script("echo", "plain")
        self.forebay("run", "--", "./plain", check=126)

    def test_signal_death_is_128_plus_n(self):
        self.forebay("run", "--", "sh", "-c", "kill -SEGV $$", check=139)
        self.assertEqual(self.outcome()["signal"], 11)

    def test_crash_of_a_python_script_shows_its_traceback(self):
        self.script("raise ValueError('this went wrong')")
        result = self.forebay("run", "--", PYTHON, "script.py", check=1)
        self.assertIn("ValueError: this went wrong", result.err)

    def test_binary_output_survives_byte_for_byte(self):
        self.script("import sys, os\nsys.stdout.buffer.write(bytes(range(256)) * 4096)")
        result = self.forebay("run", "-q", "--", PYTHON, "script.py", check=0)
        self.assertEqual(result.out, bytes(range(256)) * 4096)
        self.assertEqual(self.forebay("logs", "last", check=0).out, result.out)

    def test_a_million_short_lines_all_arrive_in_order(self):
        self.script("import sys\nw = sys.stdout.write\nfor i in range(1000000): w('%d\\n' % i)")
        result = self.forebay("run", "-q", "--", PYTHON, "script.py", check=0, timeout=120)
        expected = "".join("%d\n" % i for i in range(1000000)).encode()
        self.assertEqual(hashlib.sha256(result.out).hexdigest(), hashlib.sha256(expected).hexdigest())

    def test_one_line_of_a_hundred_megabytes_arrives(self):
        result = self.forebay("run", "-q", "--", PYTHON, "-c", "import sys; sys.stdout.write('x' * 100_000_000)", check=0, timeout=120)
        self.assertEqual(len(result.out), 100_000_000)

    def test_unicode_goes_through(self):
        result = self.forebay("run", "-q", "--", "printf", "%s", "数据 ✓ é", check=0)
        self.assertEqual(result.text, "数据 ✓ é")

    def test_closed_stdout_of_the_job_is_no_problem(self):
        self.script("import os, sys, time\nos.close(1); os.close(2)\ntime.sleep(0.3)\nos._exit(5)")
        self.forebay("run", "-q", "--", PYTHON, "script.py", check=5)

    def test_reader_that_goes_away_does_not_end_the_run(self):
        self.script("import sys, time\nfor i in range(20000): print('line', i)\nopen('finished', 'w').close()")
        process = self.start("run", "-q", "--", PYTHON, "script.py")
        process.stdout.read(10)
        process.stdout.close()
        process.wait(60)
        self.wait_until(lambda: (self.work / "finished").exists(), what="the job's end")
        self.wait_until(lambda: self.last()["state"] == "finished", what="the run's end")

    TALKER = "import sys, time\nfor i in range(40): print('line', i, flush=True); time.sleep(0.05)\nsys.exit(7)"

    def test_reader_that_goes_away_is_told_that_the_run_goes_on(self):
        self.script(self.TALKER)
        process = self.start("run", "-q", "--", PYTHON, "script.py")
        process.stdout.read(4)
        process.stdout.close()
        error = process.stderr.read().decode()
        self.assertEqual(process.wait(60), 141, error)
        self.assertIn("run %s goes on" % self.last()["run"], error)
        self.assertNotIn("outcome.json", error)
        self.wait_until(lambda: self.last()["exit_code"] == 7, what="the run's end")

    def test_outcome_file_is_waited_for_when_the_reader_goes_away(self):
        self.script(self.TALKER)
        process = self.start("run", "-q", "--outcome-file", "how.json", "--", PYTHON, "script.py")
        process.stdout.read(4)
        process.stdout.close()
        self.assertEqual(process.wait(60), 7, process.stderr.read())
        self.assertEqual(json.loads((self.work / "how.json").read_text())["cause"], "job-failed")

    def test_a_run_too_short_to_judge_is_reported_in_a_few_lines(self):
        result = self.forebay("run", "--", "true", check=0)
        self.assertLessEqual(result.err.count("\n"), 5, result.err)
        self.assertIn("forebay report " + self.last()["run"], result.err)
        full = self.forebay("report", "last", check=0)
        self.assertIn("Not enough evidence", full.text)
        self.assertNotIn("no Python process was seen", self.forebay("run", "--", PYTHON, "-c", "pass", check=0).err)
        self.assertNotIn("no Python process was seen", self.forebay("report", "last", check=0).text)

    def test_lists_in_a_pipe_are_not_cut(self):
        words = ["echo", *("argument-number-%d" % number for number in range(12))]
        self.forebay("run", "-q", "--", *words, check=0)
        self.assertIn(" ".join(words), self.forebay("ps", check=0).text)

    def test_dry_run_says_where_it_would_run(self):
        result = self.forebay("run", "--dry-run", "--", "true", check=0)
        self.assertIn('It runs in the folder "%s".' % self.work, result.text)
        self.assertEqual(self.runs(), [])

    def test_every_problem_of_a_job_file_is_said_in_its_order(self):
        (self.work / "job.yaml").write_text("rnu: true\nnmae: x\noutputs: [{path: a, to: /b}]\n")
        result = self.forebay("run", "job.yaml", check=2)
        places = [line.split("job.yaml:")[1].split(":")[0] for line in result.err.splitlines()]
        self.assertEqual(places, sorted(places))
        self.assertGreaterEqual(len(places), 3)

    def test_more_than_the_machine_has_is_said_plainly(self):
        (self.work / "job.yaml").write_text("run: 'true'\nresources: {cpus: 100000}\n")
        result = self.forebay("run", "job.yaml", check=125)
        self.assertRegex(result.err, r"the job asks for 100000 CPU cores,\s+this machine has \d+ CPU cores")

    def test_exec_keeps_the_run(self):
        result = self.forebay("run", "-q", "--", "sh", "-c", "exec sh -c 'echo $FOREBAY_RUN; exit 4'", check=4)
        self.assertEqual(result.text.strip(), self.last()["run"])

    def test_standard_input_reaches_the_job(self):
        result = self.forebay("run", "-q", "--", "cat", input=b"one\ntwo\n", check=0)
        self.assertEqual(result.out, b"one\ntwo\n")

    def test_own_signal_handlers_run_on_ctrl_c(self):
        self.script("import signal, sys, time\n"
                    "def bye(*_):\n    print('cleaned up', flush=True)\n    sys.exit(42)\n"
                    "signal.signal(signal.SIGINT, bye)\nprint('ready', flush=True)\ntime.sleep(60)")
        process = self.start("run", "-q", "--", PYTHON, "script.py")
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=40)
        self.assertIn(b"cleaned up", out)
        self.assertEqual(self.outcome()["cause"], "cancelled")
        self.assertEqual(self.outcome()["exit_code"], 42)

    def test_second_ctrl_c_kills_a_job_that_ignores_the_first(self):
        self.script("import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                    "print('ready', flush=True)\ntime.sleep(300)")
        process = self.start("run", "-q", "--", PYTHON, "script.py")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        time.sleep(0.7)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=40)
        self.assertLess(time.monotonic() - began, 8)
        self.assertEqual(self.outcome()["cause"], "cancelled")
        self.nothing_is_left()

    def test_sigterm_to_the_command_line_stops_the_run(self):
        process = self.start("run", "-q", "--", "sh", "-c", "echo ready; sleep 60")
        process.stdout.readline()
        process.terminate()
        process.communicate(timeout=40)
        self.assertEqual(self.last()["state"], "cancelled")
        self.nothing_is_left()

    def test_stopped_job_still_ends_on_request(self):
        self.script("import os, signal\nprint('ready', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)")
        run = self.forebay("submit", "--", PYTHON, "script.py", check=0).text.strip()
        self.wait_until(lambda: b"ready" in self.forebay("logs", run).out)
        self.forebay("stop", run, check=0, timeout=90)
        self.assertEqual(self.last()["state"], "cancelled")
        self.nothing_is_left()

    def test_outcome_file_names_the_cause(self):
        self.forebay("run", "-q", "--outcome-file", "out.json", "--", "sh", "-c", "exit 7", check=7)
        outcome = json.loads((self.work / "out.json").read_text())
        self.assertEqual((outcome["cause"], outcome["exit_code"], outcome["process_exit_code"]), ("job-failed", 7, 7))


class NoDescendantSurvives(ForebayCase):
    def test_grandchildren_zombies_and_daemons_are_gone_at_the_end(self):
        self.script("import os, sys, time\n"
                    "if os.fork() == 0:\n"
                    "    os.setsid()\n"
                    "    if os.fork() == 0:\n"
                    "        os.environ.clear()\n"
                    "        os.execve('/bin/sleep', ['sleep', '300'], {})\n"
                    "    os._exit(0)\n"
                    "for _ in range(5):\n"
                    "    if os.fork() == 0: os._exit(0)\n"
                    "time.sleep(0.5)\nprint('done')")
        self.forebay("run", "-q", "--", PYTHON, "script.py", check=0)
        sleeping = subprocess.run(["pgrep", "-f", "^sleep 300$"], capture_output=True, text=True).stdout.split()
        mine = [pid for pid in sleeping if self.in_work(pid)]
        self.assertEqual(mine, [])
        self.nothing_is_left()

    def in_work(self, pid):
        try:
            return os.readlink("/proc/%s/cwd" % pid) == str(self.work)
        except OSError:
            return False

    def test_child_that_ignores_sigterm_is_killed_after_the_command(self):
        self.forebay("run", "-q", "--", "sh", "-c", "(trap '' TERM; sleep 120; sleep 120) & exit 0", check=0)
        self.nothing_is_left()


class LimitsActOnTheRun(ForebayCase):
    def test_max_duration(self):
        began = time.monotonic()
        self.forebay("run", "-q", "--max-duration", "1s", "--", "sleep", "60", check=124)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(self.outcome()["cause"], "max-duration")

    def test_idle_stop_ends_a_sleeping_job_and_spares_a_working_one(self):
        self.forebay("run", "-q", "--idle-stop", "2s", "--", "sleep", "60", check=124)
        self.assertEqual(self.outcome()["cause"], "idle")
        self.script("import time\nend = time.time() + 6\nwhile time.time() < end: sum(range(1000))")
        self.forebay("run", "-q", "--idle-stop", "2s", "--", PYTHON, "script.py", check=0)

    def test_hang_stop_ends_a_job_that_burns_cpu_and_says_nothing(self):
        self.script("while True: pass")
        self.forebay("run", "-q", "--hang-stop", "3s", "--", PYTHON, "script.py", check=124)
        self.assertEqual(self.outcome()["cause"], "hang")

    def test_budget_is_spent(self):
        (self.work / "job.yaml").write_text("run: sleep 60\npolicy:\n  budget: 0.001 USD\n")
        self.forebay("run", "-q", "--price-per-hour", "3.6 USD", "job.yaml", check=124)
        self.assertEqual(self.outcome()["cause"], "budget")

    def test_memory_limit_is_an_out_of_memory_with_a_post_mortem(self):
        self.script("import time\nblocks = []\nwhile True:\n    blocks.append(bytearray(8 << 20))\n    time.sleep(0.01)")
        result = self.forebay("run", "--memory", "200MiB", "--", PYTHON, "script.py", check=137, timeout=60)
        self.assertEqual(self.outcome()["cause"], "out-of-memory")
        self.assertIn("memory", result.err)
        self.nothing_is_left()


class LimitsHoldForAllAttempts(ForebayCase):
    def job(self, text):
        (self.work / "job.yaml").write_text(text)

    def test_budget_counts_every_attempt(self):
        self.job("run: sleep 1.2; exit 7\npolicy: {retries: 5, budget: 2 USD}\n")
        began = time.monotonic()
        self.forebay("run", "--price", "3600 USD", "job.yaml", check=124)
        self.assertLess(time.monotonic() - began, 3.5)
        self.assertEqual(self.outcome()["cause"], "budget")

    def test_max_duration_counts_every_attempt(self):
        self.job("run: sleep 0.6; exit 7\npolicy: {retries: 9, max_duration: 1500ms}\n")
        self.forebay("run", "job.yaml", check=124)
        self.assertAlmostEqual(self.outcome()["duration_ns"] / 1e9, 1.5, delta=0.5)

    def test_the_report_says_how_often_it_was_tried(self):
        self.job("run: sleep 0.3; exit 7\npolicy: {retries: 2}\n")
        self.forebay("run", "job.yaml", check=7)
        self.assertIn("(attempt 3)", self.forebay("report", "last", check=0).text)
        self.assertGreater(self.outcome()["duration_ns"], 0.8e9)


class WhatAUserTripsOver(ForebayCase):
    def test_a_removed_folder_is_said_and_starts_nothing(self):
        gone = self.work / "gone"
        gone.mkdir()
        command = 'cd "$1" && rmdir "$1" && exec "$2" run -- true'
        done = subprocess.run(["sh", "-c", command, "sh", str(gone), os.environ["FOREBAY_BINARY"]], env=self.environment, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("it has been removed", done.stderr)
        self.assertEqual(self.runs(), [])

    def test_a_stop_right_after_the_start_is_not_lost(self):
        for _ in range(4):
            run = self.forebay("submit", "--", "sleep", "30", check=0).text.strip()
            began = time.monotonic()
            self.forebay("stop", run, check=0)
            self.assertLess(time.monotonic() - began, 4)

    def test_a_retry_as_json_waits_and_gives_the_outcome(self):
        self.forebay("run", "-q", "--", "sh", "-c", "sleep 0.3; exit 3", check=3)
        retried = self.forebay("retry", "--json", check=3)
        self.assertEqual(retried.json["outcome"]["exit_code"], 3)
        self.assertEqual(self.last()["run"], retried.json["run"])
        self.assertTrue(self.forebay("retry", "--dry-run", "--json", check=0).json["dry_run"])

    def test_help_is_chinese_throughout(self):
        for words in (["help"], ["run", "--help"], ["stop", "--help"], ["help", "job"]):
            text = self.forebay("--lang", "zh_CN", *words, check=0).text
            english = [line for line in text.splitlines() if line.strip() and not any("\u4e00" <= c <= "\u9fff" for c in line)
                       and len(line.split()) > 7 and not line.lstrip().startswith(("$", "forebay", "-", "alibaba"))]
            self.assertEqual(english, [])

    def test_a_script_in_place_of_a_job_file_is_recognised(self):
        self.script("import sys: nonsense\n", "train.py")
        result = self.forebay("run", "train.py", check=2)
        self.assertIn("forebay run -- python train.py", result.err)

    def test_a_limit_of_nothing_is_refused_before_there_is_a_run(self):
        self.forebay("run", "--max-duration", "0s", "--", "true", check=2)
        self.forebay("run", "--name", "a/b", "--", "true", check=2)
        self.assertEqual(self.runs(), [])

    def test_failed_saving_is_said_beside_the_failure_of_the_job(self):
        (self.work / "job.yaml").write_text("run: exit 3\noutputs: [{from: a, to: 'file:///proc/nope/'}]\n")
        self.forebay("run", "job.yaml", "--outcome-file", "how.json", check=3)
        self.assertIn("outputs were not all saved", json.loads((self.work / "how.json").read_text())["sentence"])

    def test_memory_limit_is_named_as_the_cause_and_not_the_machine(self):
        result = self.forebay("run", "--memory", "60MiB", "--", PYTHON, "-c", "x = bytearray(400 << 20)")
        self.assertNotEqual(result.code, 0)
        if self.outcome()["cause"] == "out-of-memory":
            report = self.forebay("report", "last", check=0).text
            self.assertIn("the job's own limit", " ".join(report.split()))
            self.assertNotIn("of the machine's memory were left", " ".join(report.split()))

    def test_data_never_overwrites_what_a_person_wrote(self):
        (self.work / "source").mkdir()
        (self.work / "source" / "a.txt").write_text("from the source")
        (self.work / "here").mkdir()
        (self.work / "here" / "a.txt").write_text("mine")
        (self.work / "job.yaml").write_text("run: 'true'\ndata: [{from: source, to: here}]\n")
        result = self.forebay("run", "job.yaml")
        self.assertNotEqual(result.code, 0)
        self.assertIn("a.txt", result.err)
        self.assertEqual((self.work / "here" / "a.txt").read_text(), "mine")

    def test_data_that_is_there_already_is_no_obstacle(self):
        (self.work / "source").mkdir()
        (self.work / "source" / "a.txt").write_text("the same")
        (self.work / "job.yaml").write_text("run: cat here/a.txt\ndata: [{from: source, to: here}]\n")
        for _ in range(2):
            self.assertEqual(self.forebay("run", "-q", "job.yaml", check=0).text, "the same")

    def test_secrets_do_not_leave_in_a_bundle(self):
        (self.work / "job.yaml").write_text("run: echo s=$MY_SECRET\nenvironment: {secrets: [MY_SECRET]}\n")
        self.forebay("run", "-q", "job.yaml", env={"MY_SECRET": "hunter2secret"}, check=0)
        self.forebay("debug", "bundle", "last", "-o", "one.tar.gz", check=0)  # where the value is not known
        self.forebay("debug", "bundle", "last", "-o", "two.tar.gz", env={"MY_SECRET": "hunter2secret"}, check=0)
        self.forebay("run", "-q", "-e", "WANDB_API_KEY=sekret123", "--", "sh", "-c", "echo k=$WANDB_API_KEY", "--api-key=sekretcli9", check=0)
        self.forebay("debug", "bundle", "last", "-o", "three.tar.gz", check=0)
        for name in ("one", "two", "three"):
            text = subprocess.run(["tar", "xzOf", self.work / (name + ".tar.gz")], capture_output=True, check=True).stdout
            for secret in (b"hunter2secret", b"sekret123", b"sekretcli9"):
                self.assertNotIn(secret, text, name)


    def test_files_of_an_earlier_run_that_are_replaced_are_said(self):
        job = "run: mkdir -p out; echo $FOREBAY_RUN > out/model; echo same > out/same; sleep %s\noutputs: [{from: out/, to: %s/saved/%s}]\n"
        (self.work / "job.yaml").write_text(job % (0, self.folder, ""))
        first = self.forebay("run", "job.yaml", check=0)
        self.assertNotIn("replaced", first.err)
        self.assertIn("(2 files", " ".join(first.err.split()))
        self.assertEqual(self.forebay("outputs", "--json", check=0).json["replaced"], 0)
        second = self.forebay("run", "job.yaml", check=0)
        self.assertIn("were replaced: 1", second.err)
        manifest = self.forebay("outputs", "--json", check=0).json
        self.assertEqual({os.path.basename(file["to"]): file["replaced"] for file in manifest["outputs"][0]["files"]}, {"model": True, "same": False})
        listed = self.forebay("outputs", check=0)
        self.assertEqual(listed.text.count("replaced another"), 1)
        self.assertIn("were replaced: 1", listed.err)
        self.assertIn("1 of them replaced files", " ".join(self.forebay("report", check=0).text.split()))
        self.assertEqual(self.forebay("outputs", "--save", "--json", check=0).json["replaced"], 1)
        # Copies between times replace first; it is said all the same, and once.
        (self.work / "job.yaml").write_text((job % (2.5, self.folder, "")).replace("}]", ", every: 1s}]"))
        self.forebay("run", "-q", "job.yaml", check=0)
        self.assertEqual(self.forebay("outputs", "--json", check=0).json["replaced"], 1)
        # The same job with nothing there before: its own copies between times are not another's files.
        (self.work / "job.yaml").write_text((job % (2.5, self.folder, "$FOREBAY_RUN")).replace("}]", ", every: 1s}]"))
        self.forebay("run", "-q", "job.yaml", check=0)
        self.assertEqual(self.forebay("outputs", "--json", check=0).json["replaced"], 0)

    def test_a_setup_that_fails_is_preparing_and_not_the_command(self):
        (self.work / "job.yaml").write_text("setup: sleep 1; exit 4\nrun: touch ran\n")
        self.forebay("run", "job.yaml", check=125)
        self.assertFalse((self.work / "ran").exists())
        report = self.forebay("report", "--json", check=0).json
        seconds = {line["id"]: line["duration_ns"] / 1e9 for line in report["bill"]["lines"]}
        self.assertNotIn("running", seconds)
        self.assertGreater(seconds["preparing"], 0.9)
        self.assertLess(report["bill"]["duration_ns"] / 1e9, seconds["preparing"] + 0.9)
        self.assertIsNone(report["duration_seconds"])
        self.assertNotIn("running the command", self.forebay("report", check=0).text)


class BadPlaces(ForebayCase):
    def test_unwritable_home_is_one_sentence(self):
        result = self.forebay("run", "--", "true", env={"FOREBAY_HOME": "/proc/no/where"}, check=125)
        self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)

    def test_full_disk_is_said_and_the_job_does_not_hang(self):
        mount = self.folder / "small"
        mount.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(mount)], capture_output=True).returncode != 0:
            self.skipTest("cannot mount a tmpfs here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(mount)])
        result = self.forebay("run", "--", PYTHON, "-c", "import sys\nfor i in range(400): sys.stdout.write('x' * 100000)",
                              env={"FOREBAY_HOME": str(mount / "home")}, timeout=90)
        self.assertEqual(result.code, 125, result.err)
        self.assertIn("space", result.err.lower())
        self.nothing_is_left()

    def test_job_file_with_crlf_runs(self):
        (self.work / "job.yaml").write_bytes(b"name: windows\r\nrun: echo hello\r\n")
        self.assertEqual(self.forebay("run", "-q", "job.yaml", check=0).text, "hello\n")

    def test_unknown_key_names_file_line_column_and_the_nearest_key(self):
        (self.work / "job.yaml").write_text("name: x\nrun: 'true'\npolicy:\n  idle_stpo: 15m\n")
        result = self.forebay("run", "job.yaml", check=2)
        self.assertIn("job.yaml:4:3", result.err)
        self.assertIn("idle_stop", result.err)
        self.assertEqual(self.runs(), [])

    def test_a_remote_field_is_refused_by_name(self):
        (self.work / "job.yaml").write_text("run: 'true'\nresources: {nodes: 4}\n")
        result = self.forebay("run", "job.yaml", check=2)
        self.assertIn("nodes", result.err)

    def test_a_machine_that_is_too_small_starts_nothing(self):
        (self.work / "job.yaml").write_text("run: touch ran\nresources: {memory: 900TiB+}\n")
        self.forebay("run", "job.yaml", check=125)
        self.assertEqual(self.outcome()["cause"], "no-capacity")
        self.assertFalse((self.work / "ran").exists())

    def test_misspelt_verb_and_option_get_the_nearest(self):
        self.assertIn("forebay run", self.forebay("rnu", check=2).err)
        self.assertIn("--max-duration", self.forebay("run", "--max-durtion", "1h", "--", "true", check=2).err)


class WhatIsKept(ForebayCase):
    def test_secrets_are_in_no_file_of_the_record(self):
        (self.work / "job.yaml").write_text("run: test \"${#API_TOKEN}\" = 16\nenvironment: {secrets: [API_TOKEN]}\n")
        self.forebay("run", "-q", "job.yaml", env={"API_TOKEN": "s3cr3t-value-123"}, check=0)
        found = subprocess.run(["grep", "-rl", "s3cr3t-value-123", str(self.home)], capture_output=True, text=True).stdout
        self.assertEqual(found, "")

    def test_missing_secret_is_named_and_nothing_runs(self):
        (self.work / "job.yaml").write_text("run: touch ran\nenvironment: {secrets: [API_TOKEN]}\n")
        result = self.forebay("run", "job.yaml")
        self.assertEqual(result.code, 125)
        self.assertIn("API_TOKEN", result.err)
        self.assertFalse((self.work / "ran").exists())

    def test_rerun_uses_the_code_of_that_run(self):
        self.script("print('first version')")
        run = self.forebay("submit", "--", PYTHON, "script.py", check=0).text.strip()
        self.wait_until(lambda: self.last()["state"] == "finished")
        self.script("print('second version')")
        result = self.forebay("rerun", run, check=0)
        self.assertEqual(result.text, "first version\n")

    def test_outputs_are_saved_also_after_failure(self):
        (self.work / "job.yaml").write_text("run: mkdir -p out && echo model > out/m.txt && exit 9\noutputs:\n  - {from: out/, to: 'file://%s/saved/$FOREBAY_RUN/'}\n" % self.folder)
        self.forebay("run", "-q", "job.yaml", check=9)
        run = self.last()["run"]
        self.assertEqual((self.folder / "saved" / run / "m.txt").read_text(), "model\n")
        listing = self.forebay("outputs", run, "--json", check=0).json
        self.assertEqual(listing["outputs"][0]["files"][0]["bytes"], 6)

    def test_closing_the_terminal_leaves_the_run_going(self):
        process = self.start("run", "-q", "--", "sh", "-c", "echo ready; sleep 2; echo finished", start_new_session=True)
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGHUP)
        process.wait(10)
        self.wait_until(lambda: self.last()["state"] == "finished", what="the run's end")
        self.assertIn(b"finished", self.forebay("logs", "last", check=0).out)

    def test_two_command_lines_at_once(self):
        processes = [self.start("run", "-q", "--", "sh", "-c", "echo %d" % i) for i in range(6)]
        outputs = sorted(process.communicate(timeout=60)[0] for process in processes)
        self.assertEqual(outputs, [b"%d\n" % i for i in range(6)])
        self.assertEqual([run["state"] for run in self.runs()], ["finished"] * 6)

    def test_debug_bundle_holds_no_secret(self):
        self.forebay("run", "-q", "--", "sh", "-c", "echo token is $MY_TOKEN", env={"MY_TOKEN": "tok-abcdef-98765"}, check=0)
        self.forebay("debug", "bundle", "last", "-o", "b.tar.gz", env={"MY_TOKEN": "tok-abcdef-98765"}, check=0)
        content = subprocess.run(["tar", "-xzOf", str(self.work / "b.tar.gz")], capture_output=True).stdout
        self.assertNotIn(b"tok-abcdef-98765", content)
        self.assertIn(b"token is ***", content)


if __name__ == "__main__":
    unittest.main()
