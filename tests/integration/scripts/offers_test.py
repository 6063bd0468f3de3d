"""scripts/make_offers.py writes what is in data/offers, to the byte."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LISTS = ROOT.parent / "shared" / "data"


@unittest.skipUnless((LISTS / "prices").is_dir(), "the public price lists are not here")
class MakeOffers(unittest.TestCase):
    def test_the_committed_tables_are_what_the_script_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "scripts" / "make_offers.py", LISTS, folder], check=True, capture_output=True)
            made = {path.name: path.read_bytes() for path in pathlib.Path(folder).glob("*.csv")}
        kept = {path.name: path.read_bytes() for path in (ROOT / "data" / "offers").glob("*.csv")}
        self.assertEqual(sorted(made), sorted(kept))
        for name, content in kept.items():
            self.assertEqual(made[name], content, name)
