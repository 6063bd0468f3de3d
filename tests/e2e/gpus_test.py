"""forebay gpus: names of every kind, several parts side by side, filters, CSV that reads back."""
import csv
import io

from harness import ForebayCase


class GpuNames(ForebayCase):
    def test_parts_stand_side_by_side_and_what_else_a_name_means_is_said(self):
        done = self.forebay("gpus", "A100", "nvidia-h100-80gb", check=0)
        lines = done.text.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertEqual(lines[0].split(), ["A100-SXM-40GB", "H100-SXM-80GB"])
        self.assertTrue(any(line.split()[-2:] == ["312", "989"] for line in lines if line.startswith("BF16")), done.text)
        self.assertIn("A100 is taken for A100-SXM-40GB; it may also be A100-SXM-80GB, A100-PCIe-40GB, A100-PCIe-80GB", done.err)
        for wanted in ("40960 MiB", "PyTorch 2.0", "H100 datasheet"):
            self.assertIn(wanted, done.text)
        self.assertEqual(self.forebay("gpus", "NVIDIA H200", check=0).err, "")

    def test_a_filter_chooses_among_what_a_name_means(self):
        done = self.forebay("gpus", "A100", "--memory", "80GiB", "--csv", check=0)
        self.assertEqual([row["id"] for row in csv.DictReader(io.StringIO(done.text))], ["A100-SXM-80GB", "A100-PCIe-80GB"])
        self.assertEqual(done.err, "")

    def test_csv_reads_back_as_a_table_and_a_bad_one_is_refused(self):
        whole = self.forebay("gpus", "--csv", check=0).text
        self.assertGreaterEqual(whole.count("\n"), 131)
        table = self.folder / "table.csv"
        table.write_text(whole)
        self.assertEqual(self.forebay("gpus", "--table", str(table), "--csv", check=0).text, whole)
        table.write_text(whole.replace(",3350,", ",-3350,", 1))
        done = self.forebay("gpus", "--table", str(table))
        self.assertEqual(done.code, 2)
        self.assertIn("bandwidth_gbps is -3350", done.err)
        self.assertEqual(done.err.count("\n"), 1)

    def test_sorted_by_any_rate_the_unknown_last(self):
        rows = list(csv.DictReader(io.StringIO(self.forebay("gpus", "--sort", "fp8", "--csv", check=0).text)))
        rates = [float(row["fp8"]) if row["fp8"] else -1 for row in rows]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertEqual(rates[-1], -1)
        self.assertTrue(all(row["vendor"] == "amd" for row in csv.DictReader(io.StringIO(self.forebay("gpus", "--vendor", "amd", "--csv", check=0).text))))

    def test_chinese_is_as_wide_as_the_terminal_allows(self):
        done = self.forebay("--lang", "zh_CN", "gpus", "A10G", check=0)
        self.assertIn("实测", done.text)
        self.assertIn("23028 MiB", done.text)
