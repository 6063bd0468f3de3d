#!/usr/bin/env python3
"""Fits data/planning/relative_speed.json: how the speed of training differs between GPUs when nothing is known of the model.

    scripts/fit_relative_speed.py THROUGHPUT.csv ACCELERATORS.csv [--check]

Data: the rows of lambdal/deeplearning-benchmark (training; images, sequences or tokens per second without a batch size, so only ratios
between machines count) on machines whose GPU is in the accelerator table. Per benchmark and precision,
    log rate = level(benchmark, precision) + a·log(matrix rate) + (1 - a)·log(memory bandwidth) + s·log(number of GPUs)
by least squares; `a` and `s` are kept, with the standard deviation of what is left (`spread`, of the log). The matrix rate is
FP16's for fp16 rows and TF32's (FP32's where there is none) for fp32/tf32 rows. With --check: leaving out one GPU at a time, the error
of the ratio to every other GPU on the same benchmark, beside the plain ratio of peak rates. Rows of one (benchmark, GPU, count) are
reduced to their median, so that often measured machines do not rule.
"""
import csv
import json
import re
import sys

import numpy

GPU = {r"V100 ?16GB|xV100 16GB": "V100-SXM-16GB", r"A100 80GB SXM4": "A100-SXM-80GB", r"A100 80GB PCIe": "A100-PCIe-80GB", r"A100 40GB PCIe": "A100-PCIe-40GB",
       r"RTX A6000": "RTX-A6000", r"RTX 3090": "RTX-3090", r"RTX 4090": "RTX-4090", r"RTX 6000 Ada": "RTX-6000-Ada", r"Quadro RTX 8000": "Quadro-RTX-8000",
       r"A10$": "A10", r"H100[ _]80GB[ _]PCIe": "H100-PCIe-80GB", r"H100[ _]80GB[ _]SXM5": "H100-SXM-80GB", r"H200": "H200-SXM", r"B200": "B200-SXM",
       r"GH200_96GB": "GH200-96GB"}


def read(throughput, accelerators):
    with open(accelerators, newline="") as file:
        parts = {row["id"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    seen = {}
    with open(throughput, newline="") as file:
        for row in csv.DictReader(file):
            if row["source"] != "lambdal/deeplearning-benchmark" or not row["samples_per_s"]:
                continue
            part = next((parts[value] for pattern, value in GPU.items() if re.search(pattern, row["gpu"])), None)
            if part is None or float(row["samples_per_s"]) <= 0:
                continue
            rate = part["fp16"] if row["precision"] == "fp16" else part["tf32"] or part["fp32"]
            key = (row["model"], row["precision"], part["id"], int(float(row["num_gpus"])))
            seen.setdefault(key, ([], float(rate), float(part["bandwidth_gbps"])))[0].append(float(row["samples_per_s"]))
    return [(*key, float(numpy.median(rates)), peak, bandwidth) for key, (rates, peak, bandwidth) in sorted(seen.items())]


def fit(rows):
    """(a, s) by least squares with a level for each benchmark and precision."""
    group = numpy.array([hash_of((row[0], row[1])) for row in rows])
    y = numpy.log([row[4] for row in rows]) - numpy.log([row[6] for row in rows])
    x = numpy.stack([numpy.log([row[5] / row[6] for row in rows]), numpy.log([row[3] for row in rows])], axis=1)
    for one in set(group):
        here = group == one
        y[here] -= y[here].mean()
        x[here] -= x[here].mean(axis=0)
    (a, s), *_ = numpy.linalg.lstsq(x, y, rcond=None)
    return float(a), float(s), y - x @ numpy.array([a, s])


LEVELS = {}


def hash_of(key):
    return LEVELS.setdefault(key, len(LEVELS))


def ratio_errors(rows, held_out, predict):
    """Relative errors of the speed ratio held-out GPU : every other one, same benchmark, precision and count."""
    errors = []
    for one in rows:
        if one[2] != held_out:
            continue
        for other in rows:
            if other[2] != held_out and other[:2] == one[:2] and other[3] == one[3]:
                true = one[4] / other[4]
                errors.append(abs(predict(one) / predict(other) / true - 1))
    return errors


def check(rows):
    gpus = sorted({row[2] for row in rows})
    fitted, plain = {}, {}
    for gpu in gpus:
        a, s, _ = fit([row for row in rows if row[2] != gpu])
        fitted[gpu] = ratio_errors(rows, gpu, lambda row: row[5] ** a * row[6] ** (1 - a) * row[3] ** s)
        plain[gpu] = ratio_errors(rows, gpu, lambda row: row[5] * row[3])
    print(f"{'GPU left out':<18} {'ratios':>6} {'mean error':>10} {'peak rates':>10}")
    for gpu in gpus:
        if fitted[gpu]:
            print(f"{gpu:<18} {len(fitted[gpu]):>6} {numpy.mean(fitted[gpu]):>9.1%} {numpy.mean(plain[gpu]):>9.1%}")
    mean = numpy.mean([numpy.mean(errors) for errors in fitted.values() if errors])
    print(f"mean over GPUs: {mean:.1%}; by peak rates alone: {numpy.mean([numpy.mean(errors) for errors in plain.values() if errors]):.1%}")
    return mean


def main():
    rows = read(sys.argv[1], sys.argv[2])
    if "--check" in sys.argv[3:]:
        sys.exit(0 if check(rows) <= 0.36 else 1)  # what is reached is 34 %
    a, s, left = fit(rows)
    print(json.dumps({"source": "lambdal/deeplearning-benchmark, " + str(len(rows)) + " medians; fitted by scripts/fit_relative_speed.py",
                      "matrix_rate_exponent": round(a, 3), "scaling_exponent": round(s, 3),
                      "spread": round(float(numpy.std(left)), 3)}, indent=1))


main()
