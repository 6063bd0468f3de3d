"""What is typed wrongly: refused in one sentence, by people's language and as JSON."""
import datetime
import json
import os
import re
import stat
import subprocess
import unittest

from harness import ForebayCase


class Languages(ForebayCase):
    def test_a_language_that_is_not_there_is_refused_by_name(self):
        for words in (["--lang", "xx", "ps"], ["ps", "--lang=xx"], ["--lang", "xx"], ["--lang", "xx", "--version"], ["help", "--lang", "zh_TW"],
                      ["ps", "--lang", ""], ["run", "--lang", "fr", "--", "true"]):
            result = self.forebay(*words, check=2)
            self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)
            self.assertIn("there are only: en, zh_CN", result.err)
            self.assertEqual(result.out, b"")
        self.assertEqual(self.runs(), [])
        self.assertNotIn("Did you mean", self.forebay("--lang", "fr", "ps", check=2).err)
        self.assertEqual(self.forebay("--lang", "xx", "ps", "--json", check=2).json["error"]["on"], "--lang xx")

    def test_a_language_of_the_environment_that_is_not_there_is_passed_over(self):
        for name in ("FOREBAY_LANG", "LC_ALL", "LANG"):
            result = self.forebay("ps", env={"LC_ALL": "", "LC_MESSAGES": "", "LANG": "", name: "fr_FR.UTF-8"}, check=0)
            self.assertIn("no runs", result.err)

    def test_names_of_languages_people_write(self):
        for name in ("zh", "zh_CN", "zh-CN", "zh_CN.UTF-8", "zh-Hans-CN"):
            self.assertIn("\u6ca1\u6709", self.forebay("--lang", name, "ps", check=0).err)
        for name in ("en", "en_US.UTF-8"):
            self.assertIn("no runs", self.forebay("--lang", name, "ps", env={"LANG": "zh_CN"}, check=0).err)

    def test_a_language_of_the_job_is_its_own_matter(self):
        self.assertEqual(self.forebay("run", "-q", "--", "echo", "--lang", "xx", check=0).text, "--lang xx\n")


class BadUsageAsJson(ForebayCase):
    def test_bad_usage_is_an_error_object_and_a_sentence(self):
        for words in (["ps", "--bogus", "--json"], ["ps", "--json", "-z"], ["--json", "bogus"], ["bogus", "--json"], ["--json"], ["compare", "--json", "a"],
                      ["ps", "--json", "word"], ["ps", "--json", "--last"], ["report", "--json", "--color", "purple"], ["--json", "ps", "--lang", "xx"],
                      ["run", "--json"], ["run", "--json", "--max-duration", "soon", "--", "true"]):
            result = self.forebay(*words, check=2)
            error = result.json["error"]
            self.assertEqual(error["code"], "invalid-input", words)
            self.assertIn(error["sentence"], result.err)
            self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)

    def test_json_of_the_job_is_its_own_matter(self):
        result = self.forebay("run", "--bogus", "--", "echo", "--json", check=2)
        self.assertEqual(result.out, b"")

    def test_options_of_every_verb_may_stand_before_it(self):
        self.assertEqual(self.forebay("--json", "--color=never", "ps", check=0).json, [])

    def test_complaints_are_in_the_words_of_the_language(self):
        for words in (["ps", "--last"], ["compare", "a"], ["ps", "x"], ["ps", "--color", "purple"]):
            result = self.forebay("--lang", "zh_CN", *words, check=2)
            self.assertTrue(any("\u4e00" <= c <= "\u9fff" for c in result.err.split("\uff1a", 1)[1]), result.err)
        self.assertIn("--last needs a value: N", self.forebay("ps", "--last", check=2).err)
        self.assertIn("AFTER is missing", self.forebay("compare", "a", check=2).err)
        self.assertIn("there are only: auto, always, never", self.forebay("ps", "--color", "purple", check=2).err)


class SentencesInChinese(ForebayCase):
    def chinese(self, *words, code):
        result = self.forebay("--lang", "zh_CN", *words, check=code)
        return result.text + result.err

    def test_errors(self):
        text = self.chinese("logs", "nothing", code=2)
        self.assertIn("\u65e0\u6cd5\u627e\u5230\u8fd0\u884c nothing\uff1a", text)
        for english in ("cannot", "no run has", "lists them"):
            self.assertNotIn(english, text)
        self.assertIn("\u8fd8\u6ca1\u6709\u4efb\u4f55\u8fd0\u884c", self.chinese("report", code=2))

    def test_how_a_run_ended_while_the_record_stays_english(self):
        self.forebay("run", "-q", "--max-duration", "1s", "--", "sleep", "30", check=124)
        self.assertIn("the limit max_duration is", self.outcome()["sentence"])
        self.assertIn("\u540e\u505c\u6b62\uff1amax_duration", "".join(self.chinese("report", code=0).split()))
        self.forebay("report", "--lang", "zh_CN", "-o", "page.html", check=0)
        self.assertIn("\u540e\u505c\u6b62\uff1amax_duration", (self.work / "page.html").read_text())
        self.assertIn("\u6ca1\u6709\u547d\u4ee4 no-such-program", self.chinese("run", "-q", "--", "no-such-program", code=127))
        self.assertEqual(self.outcome()["sentence"], "there is no command no-such-program in the PATH")


class FilesAskedForByName(ForebayCase):
    def setUp(self):
        super().setUp()
        self.forebay("run", "-q", "--name", "one", "--", "true", check=0)
        (self.work / "folder").mkdir()
        (self.work / "file").write_text("mine")

    def refused(self, code, cause, *words):
        result = self.forebay(*words, check=code)
        self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)
        self.assertIn(cause, result.err)
        self.assertNotIn(".new", result.err)
        self.assertEqual(result.out, b"")

    def test_a_place_that_cannot_be_written_is_one_sentence_and_nothing_is_left(self):
        before = sorted(self.work.rglob("*"))
        for verb in (["report", "one", "-o"], ["compare", "one", "one", "-o"], ["debug", "bundle", "one", "-o"]):
            self.refused(2, "the folder %s/no/such does not exist" % self.work, *verb, "no/such/page.html")
            self.refused(2, "cannot write folder: it is a folder", *verb, "folder")
            self.refused(2, "it is a folder", *verb, "new/")
            self.refused(2, "the name of the file is empty", *verb, "")
            self.refused(125, "/sys/page.html", *verb, "/sys/page.html")
        self.assertEqual(sorted(self.work.rglob("*")), before)
        self.refused(2, "does not exist", "run", "--outcome-file", "no/such/out.json", "--", "touch", "ran")
        self.assertFalse((self.work / "ran").exists())

    def test_a_full_device_is_said_and_stays_what_it_is(self):
        self.refused(125, "No space left", "report", "one", "-o", "/dev/full")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_a_pipe_and_a_link_stay_what_they_are(self):
        os.symlink("file", self.work / "link")
        self.forebay("report", "one", "-o", "link", check=0)
        self.assertTrue((self.work / "link").is_symlink())
        self.assertIn("</html>", (self.work / "file").read_text())
        os.mkfifo(self.work / "pipe")
        reader = subprocess.Popen(["cat", "pipe"], cwd=self.work, stdout=subprocess.PIPE)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.kill)
        self.forebay("report", "one", "-o", "pipe", check=0)
        self.assertIn(b"</html>", reader.communicate(timeout=20)[0])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.work / "pipe").st_mode))

    def test_as_json(self):
        result = self.forebay("report", "one", "--json", "-o", "no/such/page.html", check=2)
        self.assertEqual(result.json["error"]["tried"], "write")


class FindingRuns(ForebayCase):
    def setUp(self):
        super().setUp()
        for name, command in (("train-a", "true"), ("train-b", "false"), ("eval", "true")):
            self.forebay("run", "-q", "--name", name, "--", command)

    def names(self, *options):
        return [run["name"] for run in self.forebay("ps", "--json", *options, check=0).json]

    def test_by_state(self):
        self.assertEqual(self.names("--state", "failed"), ["train-b"])
        self.assertEqual(self.names("--state", "failed,finished"), ["eval", "train-b", "train-a"])
        self.assertEqual(self.names("--state", "failed", "--state", "finished"), ["eval", "train-b", "train-a"])
        self.assertEqual(self.names("--state=running"), [])

    def test_by_name(self):
        self.assertEqual(self.names("--name", "train-*"), ["train-b", "train-a"])
        self.assertEqual(self.names("--name", "train"), [])
        self.assertEqual(self.names("--name", "train-[b-z]"), ["train-b"])

    def test_last_counts_those_that_fit(self):
        self.assertEqual(self.names("--name", "train-*", "--state", "finished", "--last", "1"), ["train-a"])
        self.assertEqual(self.names("--last", "1"), ["eval"])
        for number in ("0", "1x", "-3"):
            self.forebay("ps", "--last=" + number, check=2)

    def test_nothing_that_fits_is_said(self):
        self.assertIn("no run fits", self.forebay("ps", "--name", "nothing", check=0).err)
        self.assertNotIn("no runs; start one", self.forebay("ps", "--name", "nothing", check=0).err)

    def test_a_state_that_is_none_is_refused_with_the_list(self):
        result = self.forebay("ps", "--state", "finished,faild", check=2)
        self.assertIn("--state faild", result.err)
        self.assertIn("queued, planning", result.err)
        self.assertIn("Did you mean failed?", result.err)
        self.forebay("ps", "--state", "", check=2)
        self.forebay("ps", "--state", "failed,", check=2)


class LogsWithTheirTimes(ForebayCase):
    STAMP = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z "

    def test_every_line_has_the_time_at_which_it_began(self):
        self.forebay("run", "-q", "--", "sh", "-c", "echo one; printf tw; sleep 1.2; echo o; echo three; echo wrong >&2", check=0)
        result = self.forebay("logs", "-t", "last", check=0)
        lines = result.out.splitlines(keepends=True)
        self.assertEqual([re.sub(self.STAMP, b"", line, count=1) for line in lines], [b"one\n", b"two\n", b"three\n"])
        times = [datetime.datetime.fromisoformat(line.split()[0].decode().replace("Z", "+00:00")) for line in lines]
        now = datetime.datetime.now(datetime.timezone.utc)
        self.assertLess(abs((now - times[0]).total_seconds()), 60)
        self.assertLess((times[1] - times[0]).total_seconds(), 0.9)
        self.assertGreater((times[2] - times[1]).total_seconds(), 1.0)
        self.assertRegex(result.err.encode(), self.STAMP + b"wrong")
        tail = self.forebay("logs", "--timestamps", "--tail", "2", "last", check=0).out
        self.assertEqual(tail.count(b"Z "), 2, tail)
        self.assertEqual(self.forebay("logs", "last", check=0).out, b"one\ntwo\nthree\n")

    def test_json_gets_the_time_in_words_too(self):
        self.forebay("run", "-q", "--", "echo", "one", check=0)
        plain = json.loads(self.forebay("logs", "--json", check=0).out.splitlines()[0])
        timed = json.loads(self.forebay("logs", "--json", "-t", check=0).out.splitlines()[0])
        self.assertNotIn("time", plain)
        self.assertEqual(datetime.datetime.fromisoformat(timed["time"].replace("Z", "+00:00")).timestamp(), timed["time_ns"] // 1_000_000 / 1000)

    def test_while_the_run_goes_on(self):
        run = self.forebay("submit", "--", "sh", "-c", "echo one; sleep 1; echo two", check=0).text.strip()
        lines = self.forebay("logs", "-f", "-t", run, check=0).out.splitlines()
        self.assertEqual([line.split(b" ", 1)[1] for line in lines], [b"one", b"two"])


class Completion(ForebayCase):
    def offered(self, *words):
        script = self.forebay("completion", "bash", check=0).text
        ask = "%s\nCOMP_WORDS=(%s); COMP_CWORD=%d; _forebay; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (
            script, " ".join("'%s'" % word for word in words), len(words) - 1)
        return subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True, cwd=self.work).stdout.split()

    def test_values_where_there_is_a_list_of_them(self):
        self.assertEqual(self.offered("forebay", "ps", "--lang", ""), ["en", "zh_CN"])
        self.assertEqual(self.offered("forebay", "run", "--color", "a"), ["auto", "always"])
        self.assertEqual(self.offered("forebay", "ps", "--color", "=", "ne"), ["never"])
        self.assertEqual(self.offered("forebay", "ps", "--state", "f"), ["finished", "failed"])
        self.assertEqual(self.offered("forebay", "ps", "--lang", "="), ["en", "zh_CN"])

    def test_options_and_verbs(self):
        self.assertIn("--state", self.offered("forebay", "ps", "--st"))
        self.assertEqual(self.offered("forebay", "comp"), ["compare", "completion"])

    def test_fish_knows_the_values(self):
        script = self.forebay("completion", "fish", check=0).text
        self.assertIn("complete -c forebay -n '__fish_seen_subcommand_from ps' -l lang -x -a 'en zh_CN'\n", script)
        self.assertRegex(script, r"from ps' -l state -x -a 'queued [a-z ]+'\n")
        self.assertIn("from logs' -s t -l timestamps\n", script)


if __name__ == "__main__":
    unittest.main()
