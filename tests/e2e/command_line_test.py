"""What is typed wrongly: refused in one sentence, by people's language and as JSON."""
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
            self.assertTrue(any("\u4e00" <= c <= "\u9fff" for c in result.err.split(":", 2)[2]), result.err)
        self.assertIn("--last needs a value: N", self.forebay("ps", "--last", check=2).err)
        self.assertIn("AFTER is missing", self.forebay("compare", "a", check=2).err)
        self.assertIn("there are only: auto, always, never", self.forebay("ps", "--color", "purple", check=2).err)


if __name__ == "__main__":
    unittest.main()
