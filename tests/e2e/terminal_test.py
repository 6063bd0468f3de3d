"""forebay in a real terminal (tmux): what a person sees and types."""
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

from harness import FOREBAY, ForebayCase, SLOW

PYTHON = sys.executable


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
class InATerminal(ForebayCase):
    def setUp(self):
        super().setUp()
        self.socket = str(self.folder / "tmux")
        self.tmux("new-session", "-d", "-s", "t", "-x", "80", "-y", "40", "-c", str(self.work), "env", "-i", "PATH=" + os.environ["PATH"], "TERM=screen-256color",
                  "HOME=" + str(self.folder), "FOREBAY_HOME=" + str(self.home), "E2E_MARK=" + self.environment["E2E_MARK"], "PS1=ready> ", "LANG=C.UTF-8", "bash", "--norc")
        self.addCleanup(self.tmux, "kill-server", check=False)
        self.see("ready>")

    def tmux(self, *arguments, check=True):
        return subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], capture_output=True, text=True, check=check).stdout

    def type(self, text):
        self.tmux("send-keys", "-t", "t", "-l", text)
        self.tmux("send-keys", "-t", "t", "Enter")

    def key(self, name):
        self.tmux("send-keys", "-t", "t", name)

    def screen(self, colours=False):
        return self.tmux("capture-pane", "-t", "t", "-p", "-S", "-200", *(["-e"] if colours else []))

    def see(self, text, timeout=25):
        self.wait_until(lambda: text in self.screen(), timeout, "%r on the screen:\n%s" % (text, self.screen()))

    def forebay_line(self, *arguments):
        return FOREBAY + " " + " ".join(arguments)

    def test_the_job_has_a_terminal_of_the_right_size(self):
        self.script("import os, sys\nprint('tty', sys.stdout.isatty(), sys.stdin.isatty(), os.get_terminal_size().columns)")
        self.type(self.forebay_line("run", "-q", "--", PYTHON, "script.py"))
        self.see("tty True True 80")

    def test_window_size_changes_reach_the_job(self):
        self.script("import os, signal, time\nsignal.signal(signal.SIGWINCH, lambda *_: print('now', os.get_terminal_size().columns, flush=True))\n"
                    "print('waiting', flush=True)\nfor _ in range(100): time.sleep(0.1)")
        self.type(self.forebay_line("run", "-q", "--", PYTHON, "script.py"))
        self.see("waiting")
        self.tmux("resize-window", "-t", "t", "-x", "100", "-y", "40")
        self.see("now 100")
        self.key("C-c")
        self.see("ready>")

    def test_typing_reaches_the_job(self):
        self.script("name = input('name? ')\nprint('hello', name)")
        self.type(self.forebay_line("run", "-q", "--", PYTHON, "script.py"))
        self.see("name?")
        self.type("Ada")
        self.see("hello Ada")

    def test_ctrl_c_interrupts_and_the_terminal_is_sane_afterwards(self):
        self.script("import time\ntry:\n    print('working', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('interrupted')\n    raise SystemExit(5)")
        self.type(self.forebay_line("run", "-q", "--", PYTHON, "script.py") + "; echo code=$?")
        self.see("working")
        self.key("C-c")
        self.see("interrupted")
        self.wait_until(lambda: re.search(r"code=\d", self.screen()), what="the end of the command line")
        self.type("echo still-echoing")
        self.wait_until(lambda: self.screen().count("still-echoing") >= 2, what="typed text and its output")
        self.assertEqual(self.last()["state"], "cancelled")

    def test_report_fits_eighty_columns_and_has_colour_only_here(self):
        self.type(self.forebay_line("run", "--", "sh", "-c", "'sleep 3; exit 3'"))
        self.see("forebay logs")
        self.assertIn("\x1b[", self.screen(colours=True))
        plain = self.forebay("report", "last", check=0).text
        self.assertNotIn("\x1b[", plain)
        for line in plain.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_no_color_is_honoured(self):
        self.type("export NO_COLOR=1; clear")
        self.type(self.forebay_line("run", "--", "sh", "-c", "'exit 3'"))
        self.see("forebay report")
        self.assertNotRegex(self.screen(colours=True), r"\x1b\[3[1-7]m")

    def test_closing_the_window_leaves_the_run_going(self):
        self.type(self.forebay_line("run", "-q", "--", "sh", "-c", "'echo be${none}gun; sleep 3; echo over > over'"))
        self.see("begun")
        self.tmux("kill-server", check=False)
        self.wait_until(lambda: (self.work / "over").exists(), what="the job's end")
        self.wait_until(lambda: self.last()["state"] == "finished", what="the run's end")

    def test_chinese_report(self):
        self.forebay("run", "-q", "--", "sh", "-c", "exit 3", check=3)
        text = self.forebay("--lang", "zh_CN", "report", "last", check=0).text
        self.assertRegex(text, r"[\u4e00-\u9fff]{4}")


if __name__ == "__main__":
    unittest.main()
