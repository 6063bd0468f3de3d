#!/usr/bin/env python3
"""The HTML reports as a person's browser shows them: test_pages.py REPORT_GALLERY [unittest arguments].

Needs Chromium and skips clearly without it. FOREBAY_PICTURES=FOLDER keeps pictures of some pages.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import Browser, find_chromium  # noqa: E402

GALLERY = os.path.join(os.environ.get("FOREBAY_BUILD", ""), "tests", "report_gallery")
CHROMIUM = find_chromium()
WIDTHS = (360, 768, 1280)
PICTURED = ("k3v9x2", "g9x1aa", "q7d4mm", "compare")


@unittest.skipUnless(CHROMIUM, "no Chromium on this machine: the pages are not looked at")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="forebay-gallery-")
        subprocess.run([GALLERY, cls.folder], check=True)
        cls.names = sorted(path.name[:-len(".en.html")] for path in pathlib.Path(cls.folder).glob("*.en.html"))
        cls.browser = Browser(CHROMIUM).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def look(self, name, language="en", width=1280, dark=False, fragment=""):
        self.browser.open(f"file://{self.folder}/{name}.{language}.html{fragment}", width, dark=dark)
        if (pictures := os.environ.get("FOREBAY_PICTURES")) and (name in PICTURED):
            os.makedirs(pictures, exist_ok=True)
            self.browser.picture(f"{pictures}/{name}.{language}.{width}{'.dark' if dark else ''}.png")

    def visible_text(self):
        return self.browser.evaluate("document.querySelector('main:not([hidden])').innerText")

    def test_no_page_complains_or_asks_for_anything_or_is_wider_than_the_window(self):
        for name in self.names:
            with self.subTest(name=name):
                self.look(name, width=360)
                for width in (*WIDTHS, *reversed(WIDTHS)):
                    self.browser.resize(width)
                    self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)
                    if width == WIDTHS[-1]:
                        self.browser.evaluate("document.getElementById('language').click()")
                self.assertEqual(self.browser.complaints(), [])
                self.assertEqual(len(self.browser.requested()), 1, self.browser.requested())

    def test_the_finding_is_there_with_evidence_fix_and_gain(self):
        self.look("k3v9x2")
        text = self.visible_text()
        for expected in ("Succeeded in", "num_workers=0", "71 %", "Give the DataLoader worker processes", "3.20× as fast", "unknown"):
            self.assertIn(expected, text)

    def test_plots_are_drawn_with_axes_and_gaps(self):
        self.look("g9x1aa")
        self.assertGreaterEqual(self.browser.evaluate("document.querySelectorAll('main:not([hidden]) .canvas svg[role=img]').length"), 8)
        gaps = self.browser.evaluate("document.querySelector('main:not([hidden]) [data-plot=gpu] path.curve').getAttribute('d').split('M').length - 1")
        self.assertEqual(gaps, 2, "the time in which the GPU was lost must be a gap")
        self.assertIn("100 %", self.browser.evaluate("document.querySelector('main:not([hidden]) [data-plot=gpu] svg').textContent"))
        self.assertIn("limit 80.0 GiB", self.browser.evaluate("document.querySelector('main:not([hidden]) [data-plot=gpu_memory] svg').textContent"))

    def test_pointer_and_keys_show_values(self):
        self.look("k3v9x2")
        self.browser.evaluate("document.querySelector('main:not([hidden]) [data-plot=cpu] svg').focus()")
        self.browser.evaluate("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}))")
        self.assertIn("cores", self.browser.evaluate("document.getElementById('tip').innerText"))
        self.browser.evaluate("(() => { const svg = document.querySelector('main:not([hidden]) [data-plot=steps] svg'), box = svg.getBoundingClientRect();"
                              "svg.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width / 2, clientY: box.top + 20})); })()")
        self.assertIn("data wait", self.browser.evaluate("document.getElementById('tip').innerText"))

    def test_every_plot_has_its_table(self):
        self.look("q7d4mm")
        self.browser.evaluate("document.querySelectorAll('main:not([hidden]) .plot button').forEach((button) => button.click())")
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('main:not([hidden]) .plot')].filter((plot) => plot.querySelectorAll('tbody tr').length < 2).length"), 0)
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 1280)

    def test_language_and_theme_switch(self):
        self.look("k3v9x2", dark=False)
        light = self.browser.evaluate("getComputedStyle(document.body).backgroundColor")
        self.browser.evaluate("document.getElementById('language').click()")
        self.assertEqual(self.browser.evaluate("document.documentElement.lang"), "zh-CN")
        self.assertIn("等待数据", self.visible_text())
        self.browser.evaluate("document.getElementById('theme').click(); document.getElementById('theme').click()")
        self.assertNotEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), light)
        self.browser.evaluate("localStorage.clear()")
        self.look("k3v9x2", dark=True)
        self.assertNotEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), light)

    def test_nothing_of_the_run_becomes_markup(self):
        self.look("h0st1l")
        self.assertEqual(self.browser.complaints(), [])
        self.assertIsNone(self.browser.evaluate("window.owned === undefined ? null : window.owned"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img, iframe, object, a, base, form').length"), 0)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('script').length"), 2)
        self.assertIn("<script>", self.visible_text())

    def test_readable_without_scripts(self):
        page = pathlib.Path(f"{self.folder}/k3v9x2.en.html").read_text(encoding="utf-8")
        self.assertIn("Give the DataLoader worker processes", page.split("<script")[0])

    def test_long_runs_stay_small(self):
        self.assertLess(os.path.getsize(f"{self.folder}/l0ng01.en.html"), 2_000_000)


if __name__ == "__main__":
    GALLERY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
