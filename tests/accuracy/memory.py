#!/usr/bin/env python3
"""How well `forebay size` predicts measured memory.

    tests/accuracy/memory.py [--program build/dev/src/forebay] [--data ../shared/data/ground_truth] [--rows] [--check]

Rows of memory.csv are taken or left out by the rules below (`exclusion`), never one by one; what a row leaves to the configuration it cites
stands in memory_facts.json. Errors are macro-averaged: every source counts the same, however many rows it has. `--check` exits with 1 when a
figure is worse than the threshold kept in memory_thresholds.json. `--rows` lists every row, the worst first.
"""
import argparse
import csv
import hashlib
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GIB = 1024**3
UNITS = {"bytes": 1, "GB": 1e9, "GiB": GIB, "G": GIB}
# Usable memory of the GPUs in the table, MiB as the driver reports it.
USABLE_MIB = {"A100-SXM4-40GB": 40960, "A100-SXM4-80G": 81920, "A100-80G": 81920, "A100-80GB": 81920, "A10G": 23028, "4080 16GB": 16376}
NAMES = {"phi-1.5 1.3 B": "phi-1_5", "StableLM Alpha 3 B": "stablelm-base-alpha-3b", "stablelm-base-alpha-3b": "stablelm-base-alpha-3b", "Llama 2 7 B": "Llama-2-7b",
         "Llama 2 13 B": "Llama-2-13b", "Llama 2 70 B": "Llama-2-70b", "Falcon 40 B": "falcon-40b", "CodeLlama 34 B": "CodeLlama-34b", "tiny-llama": "tiny-llama-1.1b",
         "mistral-7b": "Mistral-7B-v0.1"}


def is_peak(row):
    measure = row["mem_measure"]
    return bool(re.search(r"peak|max", measure)) or row["oom"] == "True"


class Harness:
    def __init__(self, program, data):
        self.program, self.data = str(program), pathlib.Path(data)
        self.facts = json.loads((HERE / "memory_facts.json").read_text())["entries"]
        self.models = {}

    def size(self, arguments, constants=None):
        command = [self.program, "size", *arguments, "--json"] + (["--constants", str(constants)] if constants else [])
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={"LANG": "C", "FOREBAY_HOME": "/nonexistent"})
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def known_model(self, name):
        name = NAMES.get(name, name)
        if name not in self.models:
            try:
                self.models[name] = self.size([name])["model"]
            except RuntimeError:
                self.models[name] = None
        return name if self.models[name] else None

    def fact(self, row):
        for fact in self.facts:
            if fact["source"] != row["source"] or ("section" in fact and fact["section"] != row["section"]):
                continue
            if "section_prefix" in fact and not row["section"].startswith(fact["section_prefix"]):
                continue
            if "method" in fact and row["method"] not in fact["method"]:
                continue
            if ("models" in fact and row["model"] not in fact["models"]) or ("path" in fact and row["path"] not in fact["path"]):
                continue
            if fact.get("needs") == "trainable" and self.trainable(row) is None:
                continue
            return fact
        return None

    @staticmethod
    def trainable(row):
        found = re.search(r"trainable=([\d,]+)", row["notes"])
        return int(found.group(1).replace(",", "")) if found else None

    def exclusion(self, row):
        """Why a row says nothing about the memory model; None when it does."""
        if not is_peak(row):
            return "no peak or maximum (an average, a percentile, a file's size, or not said)"
        if not self.known_model(row["model"]):
            return "not a language model of known shape (diffusion, vision, a path, a mixture of models)"
        if not row["micro_batch"]:
            return "batch not stated"
        if not row["seq_len"] and not (self.fact(row) or {}).get("sequence"):
            return "sequence length not stated"
        if int(row["num_gpus"] or 1) > 1 and not row["parallelism"] and row["task"] != "infer":
            return "several GPUs, and how they share the work is not stated"
        if int(row["num_gpus"] or 1) > 1 and row["task"] == "infer":
            return "several GPUs, and how they share the work is not stated"
        if not self.fact(row):
            return "the sequence length is a limit the data need not reach, or the settings are not stated"
        return None

    def arguments(self, row):
        fact = self.fact(row)
        options = list(fact["options"])
        quantisation = {"None": "", "int4 GPTQ": "", "Int4": "gptq4", "Int8": "gptq8"}.get(row["quant"], row["quant"])
        if quantisation:
            options += ["--weights", quantisation]
        options += ["--batch", row["micro_batch"], "--sequence", str(fact.get("sequence") or row["seq_len"])]
        if row["grad_accum"].isdigit():
            options += ["--accumulation", row["grad_accum"]]
        if fact.get("needs") == "trainable":
            options += ["--trainable", str(self.trainable(row))]
        if row["act_ckpt"] == "True":
            options += ["--checkpointing", "full"]
        if "int8 KV" in row["method"]:
            options += ["--cache-bits", "8"]
        stage = re.search(r"zero\s*(\d)", row["parallelism"], re.I)
        if stage:
            options += ["--gpus", row["num_gpus"]] + ([] if "--zero" in options else ["--zero", stage.group(1)])
        return [self.known_model(row["model"]), *options]

    def measured(self, row):
        fact = self.fact(row)
        value = float(row["mem_value"]) * UNITS[fact.get("unit", row["mem_unit"])]
        return value / int(row["num_gpus"]) if row["mem_scope"] == "total over GPUs" else value

    def cases(self):
        """[(row, arguments, measured bytes or None for OOM, measure)], and why others were left out."""
        taken, left, seen = [], {}, set()
        for row in csv.DictReader((self.data / "memory.csv").open()):
            reason = self.exclusion(row)
            if not reason:
                arguments = tuple(self.arguments(row))
                run = (row["source"], arguments, row["mem_value"], row["oom"])
                if run in seen:
                    reason = "the same run again"
                seen.add(run)
            if not reason and row["oom"] != "True":
                floor = self.floor(row, arguments)
                if self.measured(row) < floor:
                    reason = "contradicts itself: less than weights, gradients and states of its own settings"
            if reason:
                left[reason] = left.get(reason, 0) + 1
            else:
                taken.append((row, arguments, None if row["oom"] == "True" else self.measured(row), self.fact(row)["measure"]))
        return taken, left

    def floor(self, row, arguments):
        if arguments[arguments.index("--train") + 1] != "full" if "--train" in arguments else True:
            return 0
        parameters = self.models[arguments[0]]["parameters"]
        mixed = "bf16-mixed" in arguments
        shared = int(row["num_gpus"]) if "--zero" in arguments else 1
        return parameters * (16 if mixed else 8) / shared

    def predict(self, cases, constants=None):
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda case: self.size(list(case[1]), constants)["memory_per_gpu"], cases))


def figure(estimate, measure):
    """The estimate's value that the row measured, and its interval (the shares are the same)."""
    value = {"allocated": estimate["allocated_bytes"], "reserved": estimate["reserved_bytes"], "device": estimate["likely_bytes"]}[measure]
    return value, value * estimate["low_bytes"] / estimate["likely_bytes"], value * estimate["high_bytes"] / estimate["likely_bytes"]


def is_training_part(row):
    return hashlib.sha256((row["source"] + "|" + NAMES.get(row["model"], row["model"])).encode()).digest()[0] % 2 == 0


def quantile(values, share):
    """Weighted [(value, weight)]."""
    total, reached = sum(weight for _, weight in values), 0.0
    for value, weight in sorted(values):
        reached += weight
        if reached >= share * total:
            return value
    return math.nan


def summary(errors):
    """errors: [(source, relative error)]; every source weighs the same."""
    count = {}
    for source, _ in errors:
        count[source] = count.get(source, 0) + 1
    weighted = [(abs(error), 1 / count[source]) for source, error in errors]
    return {"rows": len(errors), "sources": len(count), "median": quantile(weighted, 0.5), "p90": quantile(weighted, 0.9),
            "bias": statistics.median(error for _, error in errors) if errors else math.nan}


def megatron(harness):
    """Published sizes against ours: [(name, quantity, published, ours)]."""
    parallel = {"megatron-22B": (8, 1, 1, 4), "gpt3-175B": (8, 8, 3, 1), "turing-530B": (8, 35, 3, 1), "megatron-1T": (8, 64, 1, 1)}
    modes = {"none": ["--attention", "eager"], "seq": ["--attention", "eager", "--sequence-parallel"], "sel": ["--checkpointing", "selective", "--attention", "eager"],
             "seqsel": ["--checkpointing", "selective", "--attention", "eager", "--sequence-parallel"], "full": ["--checkpointing", "full", "--attention", "eager"]}

    def estimate(model, mode):
        tensor, pipeline, chunks, batch = parallel[model]
        return harness.size([model, "--kernels", "megatron", "--fp32-gradients", "--gpus", str(tensor * pipeline), "--tp", str(tensor), "--pp", str(pipeline),
                             "--interleaving", str(chunks), "--batch", str(batch), "--sequence", "2048", *modes[mode]])

    found = []
    for row in csv.DictReader((harness.data / "megatron_activation_paper.csv").open()):
        answer = estimate(row["model"], row["mode"]) if row["quantity"] != "iteration_time" else None
        if row["quantity"] == "activations":
            ours = answer["memory_per_gpu"]["kept_activations_bytes"] / GIB
        elif row["quantity"] == "activation_pct_of_tp_baseline":
            ours = 100 * answer["memory_per_gpu"]["kept_activations_bytes"] / estimate(row["model"], "none")["memory_per_gpu"]["kept_activations_bytes"]
        elif row["quantity"] == "params+opt":
            # The paper counts 12·L·h² parameters, without embeddings; so do we here.
            terms = answer["memory_per_gpu"]["terms"]
            ours = (terms["weights"] + terms["gradients"] + terms["optimizer"] + terms["master_weights"] - 18 * answer["model"]["embedding_parameters"] / 8) / GIB
        else:
            continue
        found.append((row["model"] + " " + row["mode"], row["quantity"], float(row["value"]), ours))
    return found


def report(harness, constants=None, rows=False, out=sys.stdout):
    cases, left = harness.cases()
    estimates = harness.predict(cases, constants)
    errors, lines, inside = [], [], 0
    oom, fitting, oom_strict, fitting_strict = [], [], [], []
    for (row, arguments, measured, measure), estimate in zip(cases, estimates):
        usable = USABLE_MIB.get(row["gpu"], 0) * 1024 * 1024
        if measured is None:
            oom.append(estimate["high_bytes"] > usable)
            oom_strict.append(estimate["likely_bytes"] > usable)
            lines.append((0 if oom[-1] else 9, f"OOM{'' if oom[-1] else ' MISSED'}  {estimate['likely_bytes'] / GIB:7.1f} likely of {usable / GIB:.1f}  {' '.join(arguments)}"))
            continue
        value, low, high = figure(estimate, measure)
        error = value / measured - 1
        errors.append((row["source"], error, is_training_part(row)))
        inside += low <= measured <= high
        if usable:
            fitting.append(estimate["low_bytes"] <= usable)
            fitting_strict.append(estimate["likely_bytes"] <= usable)
        lines.append((abs(error), f"{error * 100:+6.1f} %  {measured / GIB:7.2f} measured {value / GIB:7.2f}  {row['source'].split('/')[1]}: {' '.join(arguments)}"))
    if rows:
        for _, line in sorted(lines, reverse=True):
            print(line, file=out)
    result = {"all": summary([(s, e) for s, e, _ in errors]), "training part": summary([(s, e) for s, e, t in errors if t]),
              "the rest": summary([(s, e) for s, e, t in errors if not t])}
    for name, part in result.items():
        print(f"{name:14} {part['rows']:4} rows of {part['sources']} sources: median error {part['median'] * 100:5.1f} %, 90th percentile {part['p90'] * 100:5.1f} %, bias {part['bias'] * 100:+.1f} %", file=out)
    for source in sorted({s for s, _, _ in errors}):
        part = summary([(s, e) for s, e, _ in errors if s == source])
        print(f"   {source:24} {part['rows']:4} rows: median {part['median'] * 100:5.1f} %, 90th percentile {part['p90'] * 100:5.1f} %, bias {part['bias'] * 100:+.1f} %", file=out)
    share = lambda flags: sum(flags) / len(flags) if flags else math.nan
    print(f"inside the interval: {inside} of {len(errors)}", file=out)
    print(f"out of memory recognised (not called \"fits\"): {sum(oom)} of {len(oom)}; by the likely value alone {sum(oom_strict)}", file=out)
    print(f"fitting recognised (not called \"does not fit\" at the low end): {sum(fitting)} of {len(fitting)}; by the likely value alone {sum(fitting_strict)}", file=out)
    for reason, number in sorted(left.items(), key=lambda item: -item[1]):
        print(f"left out: {number:4} rows, {reason}", file=out)
    paper = megatron(harness)
    worst = max(paper, key=lambda row: abs(row[3] / row[2] - 1))
    print(f"Megatron paper: {len(paper)} figures, worst {abs(worst[3] / worst[2] - 1) * 100:.1f} % ({worst[0]}, {worst[1]}: {worst[2]:.2f} published, {worst[3]:.2f} ours)", file=out)
    return {"median": result["the rest"]["median"], "p90": result["the rest"]["p90"], "median_all": result["all"]["median"], "p90_all": result["all"]["p90"],
            "oom": share(oom), "fitting": share(fitting), "fitting_likely": share(fitting_strict), "oom_likely": share(oom_strict),
            "megatron_worst": abs(worst[3] / worst[2] - 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / "build/dev/src/forebay")
    parser.add_argument("--data", default=ROOT.parent / "shared/data/ground_truth")
    parser.add_argument("--constants")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (pathlib.Path(options.data) / "memory.csv").exists():
        print(f"skipped: the measured memory is not there ({options.data})")
        return 0
    figures = report(Harness(options.program, options.data), options.constants, options.rows)
    if not options.check:
        return 0
    failed = 0
    for name, bound in json.loads((HERE / "memory_thresholds.json").read_text())["thresholds"].items():
        worse = figures[name] < bound["least"] if "least" in bound else figures[name] > bound["most"]
        if worse:
            print(f"WORSE: {name} is {figures[name]:.4f}, allowed {bound}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
