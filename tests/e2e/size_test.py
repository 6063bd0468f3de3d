"""forebay size: what it says, as text and as JSON, and how it refuses bad input."""
import json
import struct
import unittest

from harness import ForebayCase


class Size(ForebayCase):
    def test_says_terms_interval_and_what_would_fit(self):
        result = self.forebay("size", "Llama-3.1-8B", "--train", "lora", "--batch", "4", "--gpu-memory", "24GiB", check=0)
        for words in ("activations", "does not fit into 24.0 GiB", "gradient checkpointing", "Together these make it fit", "host memory"):
            self.assertIn(words, result.text)

    def test_json_adds_up(self):
        answer = json.loads(self.forebay("size", "7B", "--gpus", "8", "--zero", "3", "--gpu-memory", "80GiB", "--json", check=0).text)
        memory = answer["memory_per_gpu"]
        self.assertAlmostEqual(sum(memory["terms"].values()), memory["likely_bytes"], delta=20)
        self.assertLess(memory["low_bytes"], memory["likely_bytes"])
        self.assertTrue(answer["model"]["shape_is_a_guess"])
        self.assertIsNone(json.loads(self.forebay("size", "7B", "--json", check=0).text)["fit"])

    def test_answers_a_failure_in_the_middle(self):
        result = self.forebay("size", "Qwen2.5-7B", "--train", "qlora", "--gpus", "4", "--gpu-memory", "24GiB", "--oom-at", "23%", check=0)
        for words in ("what grows", "23 %", "expandable_segments", "eval_accumulation_steps"):
            self.assertIn(words, result.text)

    def test_takes_settings_from_deepspeed_and_accelerate(self):
        deepspeed = self.folder / "ds.json"
        deepspeed.write_text('{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}')
        accelerate = self.folder / "accelerate.yaml"
        accelerate.write_text("distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n")
        answers = [json.loads(self.forebay("size", "Llama-2-7b", *options, "--json", check=0).text)["memory_per_gpu"]["likely_bytes"]
                   for options in (["--gpus", "8", "--zero", "3"], ["--gpus", "8", "--config", str(deepspeed)], ["--config", str(accelerate)])]
        self.assertEqual(len(set(answers)), 1, answers)
        plain = json.loads(self.forebay("size", "Llama-2-7b", "--json", check=0).text)["memory_per_gpu"]["likely_bytes"]
        self.assertLess(answers[0], plain / 2)
        accelerate.write_text("- 1\n")
        self.forebay("size", "7B", "--config", str(accelerate), check=2)

    def test_a_quantised_model_is_not_trained_in_full(self):
        config = self.folder / "config.json"
        config.write_text('{"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_attention_heads":4,"num_hidden_layers":2,'
                          '"vocab_size":100,"quantization_config":{"quant_method":"gptq","bits":4}}')
        self.assertIn("--train qlora", self.forebay("size", str(config), check=2).err)
        self.forebay("size", str(config), "--infer", check=0)
        self.forebay("size", str(self.folder), "--train", "lora", check=0)

    def test_knows_the_memory_of_a_gpu_by_name(self):
        answer = json.loads(self.forebay("size", "7B", "--infer", "--gpu", "A10G", "--json", check=0).text)
        self.assertEqual(answer["usable_bytes"], 23028 * 1024 * 1024)
        self.forebay("size", "7B", "--gpu", "no-such-gpu", check=2)
        self.forebay("size", "7B", "--gpu", "A10G", "--gpu-memory", "24GiB", check=2)

    def test_bad_input_is_one_sentence_and_2(self):
        truncated = self.folder / "cut.safetensors"
        truncated.write_bytes(struct.pack("<Q", 500) + b'{"w":')
        unknown = self.folder / "config.json"
        unknown.write_text('{"model_type": "unheard_of"}')
        for arguments, words in ((["no-such-model"], "nearest"), ([str(truncated)], "truncated"), ([str(unknown)], "unheard_of"),
                                 (["7B", "--gpu-memory", "24"], "unit"), (["7B", "--batch", "many"], "whole number"), (["7"], "7B"),
                                 (["7B", "--oom-at", "23%"], "--gpu-memory"), (["7B", "--optimizer", "magic"], "known")):
            with self.subTest(arguments):
                result = self.forebay("size", *arguments)
                self.assertEqual(result.code, 2)
                self.assertIn(words, result.err)
                self.assertEqual(len(result.err.strip().splitlines()), 1)


    def test_a_damaged_file_of_a_person_is_bad_input(self):
        damaged = self.script("{", "config.json")
        done = self.forebay("size", damaged)
        self.assertEqual(done.code, 2)
        self.assertIn("config.json", done.err)

    def test_the_count_may_stand_with_the_gpu(self):
        one = self.forebay("size", "7B", "--gpu", "A100:4", "--zero", "3", "--json", check=0).json
        other = self.forebay("size", "7B", "--gpu", "A100", "--gpus", "4", "--zero", "3", "--json", check=0).json
        self.assertEqual(one, other)
        refused = self.forebay("size", "7B", "--gpu", "A100:4", "--gpus", "2")
        self.assertEqual(refused.code, 2)
        self.assertIn("--gpus says 2", refused.err)


if __name__ == "__main__":
    unittest.main()
