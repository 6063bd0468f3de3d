#!/usr/bin/env bash
# The relative speed of machines against measured training rates, leaving out one GPU at a time (mean error at most 36 %).
cd "$(dirname "$0")/../.."
data=../shared/data/ground_truth/throughput.csv
if [ ! -f "$data" ]; then echo "skipped: the measured rates are not there ($data)"; exit 77; fi
exec "${PYTHON:-python3}" scripts/fit_relative_speed.py "$data" data/accelerators.csv --check
