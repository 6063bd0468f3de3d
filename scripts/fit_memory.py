#!/usr/bin/env python3
"""Fits the constants of the memory model (data/sizing/memory.json) on the training part of the measured peaks.

    scripts/fit_memory.py [--program build/dev/src/forebay] [--rounds 3] [--swap]

The training part is chosen by a hash of source and model (tests/accuracy/memory.py, is_training_part), so whole models are kept for checking.
Every constant is varied within its physical bounds, one at a time; what is minimised is the mean of |ln(predicted / measured)| with every source
counting the same. The interval is then set so that 95 % of the training part lies above its low end and 95 % below its high end.
"""
import argparse
import json
import math
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/accuracy"))
import memory  # noqa: E402

FILE = ROOT / "data/sizing/memory.json"
# Lowest and highest value that the meaning of a constant allows, and the first step.
BOUNDS = {"norm_bytes": (4, 12, 2), "layer_overhead": (0.8, 1.4, 0.1), "logit_bytes": (8, 18, 2), "native_logit_bytes": (4, 16, 2), "packed_overhead": (1, 1.8, 0.1),
          "working_layers": (0, 3, 0.5), "fragmentation": (0, 0.2, 0.04), "state_slack": (0, 0.6, 0.15), "context_gib": (0.3, 1.6, 0.3), "communication_gib": (0.2, 2.5, 0.5),
          "step_copy": (0, 1, 0.5), "cache_growth": (1, 2.5, 0.3)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / "build/dev/src/forebay")
    parser.add_argument("--data", default=ROOT.parent / "shared/data/ground_truth")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--swap", action="store_true", help="fit on the rest, report on the training part, write nothing")
    options = parser.parse_args()
    harness = memory.Harness(options.program, options.data)
    cases = [case for case in harness.cases()[0] if memory.is_training_part(case[0]) != options.swap and case[2] is not None]
    weight = {}
    for row, *_ in cases:
        weight[row["source"]] = weight.get(row["source"], 0) + 1
    document = json.loads(FILE.read_text())
    constants = document["constants"]
    trial = pathlib.Path(tempfile.mkdtemp()) / "constants.json"

    def errors(values):
        trial.write_text(json.dumps({"constants": values}))
        estimates = harness.predict(cases, trial)
        return [(case[0]["source"], math.log(memory.figure(estimate, case[3])[0] / case[2])) for case, estimate in zip(cases, estimates)]

    def loss(values):
        return sum(abs(error) / weight[source] for source, error in errors(values)) / len(weight)

    best = loss(constants)
    print(f"{len(cases)} rows of {len(weight)} sources, loss {best:.4f}")
    steps = {name: bound[2] for name, bound in BOUNDS.items()}
    for _ in range(options.rounds):
        for name, (low, high, _step) in BOUNDS.items():
            for direction in (1, -1):
                moved = False
                while True:
                    value = round(min(high, max(low, constants[name] + direction * steps[name])), 4)
                    attempt = loss({**constants, name: value}) if value != constants[name] else best
                    if attempt >= best - 1e-6:
                        break
                    constants[name], best, moved = value, attempt, True
                if moved:
                    break
        steps = {name: step / 2 for name, step in steps.items()}
        print(f"loss {best:.4f}", constants, flush=True)
    ratios = sorted((math.exp(-error), 1 / weight[source]) for source, error in errors(constants))
    constants["low_share"] = round(min(0.95, memory.quantile(ratios, 0.05)), 3)
    constants["high_share"] = round(max(1.05, memory.quantile(ratios, 0.95)), 3)
    document["constants"] = constants
    if options.swap:
        trial.write_text(json.dumps({"constants": constants}))
        memory.report(harness, trial)
        print('here "the rest" is what was fitted on, and the training part what it is checked on')
        return 0
    FILE.write_text(json.dumps(document, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
