"""forebay gpus and forebay plan: what can be rented is told truly, and what is not known is said."""
import json

from harness import ForebayCase


class Gpus(ForebayCase):
    def test_a_list_fits_80_columns_and_says_what_is_not_known(self):
        done = self.forebay("gpus", "--memory", "80GiB+", "--sort", "bandwidth")
        self.assertEqual(done.code, 0, done.err)
        lines = done.text.splitlines()
        self.assertLessEqual(max(map(len, lines[:-1])), 80)
        self.assertTrue(any(line.startswith("H100-NVL-94GB") and " 93.6 " in line for line in lines), done.text)
        self.assertTrue(any(line.startswith("MI308X") and " - " in line for line in lines), "a rate that is not published is not a number")
        self.assertFalse(any(line.startswith("A100-SXM-40GB") for line in lines))

    def test_json_keeps_the_unknown_apart_from_zero(self):
        parts = json.loads(self.forebay("gpus", "A10G", "MI308X", "--json").text)
        self.assertEqual(parts[0]["memory_bytes"], 23028 * 1024 * 1024)
        self.assertEqual(parts[0]["dense_operations_per_second"]["bf16"], 70e12)
        self.assertIsNone(parts[1]["dense_operations_per_second"]["bf16"])
        self.assertIsNone(parts[1]["memory_bytes"])

    def test_a_mistyped_name_is_one_sentence_with_the_nearest(self):
        done = self.forebay("gpus", "RTX-4900")
        self.assertEqual(done.code, 2)
        self.assertIn("Did you mean RTX-4090?", done.err)
        self.assertEqual(done.err.count("\n"), 1)


class Plan(ForebayCase):
    def plan(self, *arguments):
        done = self.forebay("plan", *arguments, "--json")
        self.assertIn(done.code, (0, 1), done.err)
        return done.code, json.loads(done.text)

    def test_the_cheapest_that_is_done_in_time_wins(self):
        code, plan = self.plan("--work", "30h", "--reference", "RTX-4090", "--memory-per-gpu", "20GiB", "--deadline", "24h", "--spot", "never")
        self.assertEqual(code, 0)
        best = plan["best"]
        self.assertTrue(all(one["expected_seconds"] <= 24 * 3600 for one in best))
        costs = [one["expected_cost"] for one in best]
        self.assertEqual(costs, sorted(costs))
        self.assertTrue(all(one["purchase"] == "on_demand" for one in best))
        first = best[0]
        self.assertAlmostEqual(first["expected_cost"], first["price_per_hour"] * first["expected_seconds"] / 3600, places=4)
        self.assertGreater(plan["left_out"]["past-deadline"], 0)
        self.assertGreater(plan["left_out"]["does-not-fit"], 0)

    def test_the_same_machine_takes_as_long_as_it_was_said_to(self):
        _, plan = self.plan("--work", "10h", "--reference", "A100-SXM-80GB:8", "--gpu", "A100-SXM-80GB:8", "--spot", "never", "--preparation", "0s")
        self.assertTrue(plan["best"])
        self.assertTrue(all(one["expected_seconds"] == 36000 for one in plan["best"]))

    def test_a_job_file_says_what_is_needed(self):
        job = self.script("workload: {kind: inference, parameters: 7B}\nresources: {gpu: {count: 1}, on: [aws]}\n"
                                     "policy: {budget: 30 USD, interruptible: no}\nrun: python serve.py\n", "job.yaml")
        code, plan = self.plan(job, "--work", "10h", "--reference", "A10G")
        self.assertEqual(code, 0)
        self.assertTrue(all(one["provider"] == "aws" and one["gpu_count"] == 1 and one["expected_cost"] <= 30 for one in plan["best"]))
        self.assertTrue(all(one["gpu"] not in ("T4", "T4G") for one in plan["best"]), "13 GiB of weights and a cache do not fit into 15")

    def test_nothing_that_meets_the_conditions_is_code_1_with_the_reasons(self):
        code, plan = self.plan("--work", "1000h", "--reference", "T4", "--deadline", "1m")
        self.assertEqual(code, 1)
        self.assertEqual(plan["best"], [])
        self.assertGreater(plan["left_out"]["past-deadline"], 100)

    def test_options_that_cannot_be_meant_are_refused(self):
        for arguments, sentence in ((("--work", "3h"), "on which machine is not said"), (("--deadline", "3h"), "how long the work takes is not known"),
                                    (("--objective", "speed"), "it is not an objective"), (("--interruptions", "150%"), "it is not a share"),
                                    (("--nodes", "0"), "it is not a number above 0"), (("--nodes", "600"), "number of machines"), (("--work", "3h", "--reference", "H1000"), "there is none of this name"),
                                    (("--currency", "XYZ"), "no exchange rate")):
            done = self.forebay("plan", *arguments)
            self.assertEqual(done.code, 2, arguments)
            self.assertIn(sentence, done.err)

    def test_what_is_not_known_is_said(self):
        done = self.forebay("plan", "--gpu", "H100:8")
        self.assertIn("how long the job takes", done.text)
        self.assertIn("whether the job fits", done.text)
        self.assertLessEqual(max(len(line) for line in done.text.splitlines()[:11]), 80)
