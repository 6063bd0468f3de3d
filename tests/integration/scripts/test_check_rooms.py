"""scripts/check_rooms.py finds what it promises, and the tree as it is passes."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHECK = ROOT / "scripts" / "check_rooms.py"


class CheckRooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="forebay-rooms-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("src/rooms.txt", "# comment\nbase:\nrecord: base\n")

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def check(self, root=None):
        completed = subprocess.run([sys.executable, CHECK, str(root or self.root)], capture_output=True, text=True, timeout=60)
        return completed.returncode, completed.stdout + completed.stderr

    def assert_found(self, *words):
        code, output = self.check()
        self.assertEqual(code, 1, output)
        for word in words:
            self.assertIn(word, output)

    def test_a_clean_tree_passes(self):
        self.write("src/base/a.h", "#pragma once\n#include <string>\n")
        self.write("src/record/b.cc", '#include "base/a.h"\n#include <nlohmann/json.hpp>\n// getenv( in a comment\nauto x = "rand()";\n')
        self.assertEqual(self.check(), (0, ""))

    def test_an_edge_that_is_not_allowed(self):
        self.write("src/base/a.cc", '#include "record/b.h"\n')
        self.assert_found("src/base/a.cc:1", "base may not include room record")

    def test_a_cycle(self):
        self.write("src/rooms.txt", "base: record\nrecord: base\n")
        self.assert_found("cycle", "base → record → base")

    def test_an_unlisted_room(self):
        self.write("src/novel/a.cc", "\n")
        self.assert_found("novel is not in src/rooms.txt")

    def test_a_heavy_header(self):
        self.write("src/record/b.h", "#pragma once\n#include <nlohmann/json.hpp>\n")
        self.assert_found("src/record/b.h:2", "heavy")

    def test_a_vague_name(self):
        self.write("src/record/utils.cc", "\n")
        self.assert_found("utils.cc")

    def test_the_raw_world_outside_base(self):
        for line in ("auto t = std::chrono::steady_clock::now();", "std::this_thread::sleep_for(1s);", 'auto h = std::getenv("HOME");',
                     "int r = rand();", "std::random_device d;", "clock_gettime(CLOCK_MONOTONIC, &t);"):
            self.write("src/record/b.cc", line + "\n")
            self.assert_found("src/record/b.cc:1")
            self.write("src/record/b.cc", line + "  // allowed: this test\n")
            self.assertEqual(self.check()[0], 0, line)
            (self.root / "src/record/b.cc").unlink()
            self.write("src/base/b.cc", line + "\n")
            self.assertEqual(self.check()[0], 0, line)

    def test_long_files_and_missing_guards(self):
        self.write("src/record/b.cc", "\n" * 501)
        self.assert_found("501 lines")
        self.write("src/record/b.cc", "\n")
        self.write("src/record/b.h", "int x;\n")
        self.assert_found("#pragma once")

    def test_this_tree(self):
        code, output = self.check(ROOT)
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main()
