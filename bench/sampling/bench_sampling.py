#!/usr/bin/env python3
"""What sampling costs, beside a Python sampler that reads the same with psutil, in the same run.

Share of a core at 1 Hz without GPUs and with 8 fake ones; the supervisor's resident memory in a real run; and whether both stay flat over
100,000 samples taken at 500 Hz with real reads. Bars: 1 %, 2 %, 20 MiB.

  bench_sampling.py --forebay build/release/src/forebay [--bench build/bench/bench/sampling/sampling_bench] [--rounds 3] [--samples 100000]
"""
import argparse
import functools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

print = functools.partial(print, flush=True)
HERE = pathlib.Path(__file__).resolve().parent


def answer(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=1200).stdout)


def spread(values, unit, scale=1):
    return f"median {statistics.median(values) * scale:.3g} {unit} ({min(values) * scale:.3g} to {max(values) * scale:.3g})"


def tree_of_sleepers():
    return subprocess.Popen(["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done; wait"], start_new_session=True)


def peer(seconds, hertz):
    tree = tree_of_sleepers()
    try:
        time.sleep(0.3)
        return answer([sys.executable, str(HERE / "peer.py"), str(seconds), str(hertz), str(tree.pid)])
    except subprocess.CalledProcessError:
        return None
    finally:
        os.killpg(tree.pid, 9)
        tree.wait()


def status_of(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return {name: int(re.search(rf"{name}:\s+(\d+) kB", text)[1]) / 1024 for name in ("VmRSS", "VmHWM", "RssAnon")}


def supervisor_memory(forebay, hertz):
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, FOREBAY_HOME=home)
        with open(os.devnull, "w") as nothing:
            run = subprocess.Popen([forebay, "run", "-q", "--sample-hz", str(hertz), "--", "sleep", "6"], env=environment, cwd=home,
                                   stdin=subprocess.DEVNULL, stdout=nothing, stderr=nothing)
            time.sleep(5)
            record = next(pathlib.Path(home, "runs").iterdir())
            identity = json.loads((record / "supervisor.json").read_text())["supervisor"]
            memory = status_of(identity["pid"])
            run.wait()
    return memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forebay", required=True)
    parser.add_argument("--bench", default="build/bench/bench/sampling/sampling_bench")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--samples", type=int, default=100_000)
    options = parser.parse_args()
    bench, forebay = os.path.abspath(options.bench), os.path.abspath(options.forebay)

    ours, with_gpus, theirs = [], [], []
    for _ in range(options.rounds):
        ours.append(answer([bench, "recorder", str(options.seconds), "1", "0"])["share_of_a_core"])
        with_gpus.append(answer([bench, "recorder", str(options.seconds), "1", "8"])["share_of_a_core"])
        found = peer(options.seconds, 1)
        if found:
            theirs.append(found["share_of_a_core"])
    print(f"1 Hz, 9 processes:              {spread(ours, '% of a core', 100)}")
    print(f"1 Hz, 9 processes, 8 fake GPUs: {spread(with_gpus, '% of a core', 100)}")
    if theirs:
        print(f"psutil, 1 Hz, 9 processes:      {spread(theirs, '% of a core', 100)}")
        print(f"ratio forebay / psutil:         {statistics.median(ours) / statistics.median(theirs):.3f}")
    else:
        print("psutil is not installed: no peer")
    for hertz in (1, 20):
        memory = supervisor_memory(forebay, hertz)
        print(f"supervisor of a real run, {hertz} Hz:  {memory['VmRSS']:.1f} MiB resident (peak {memory['VmHWM']:.1f}, its own {memory['RssAnon']:.1f})")

    flat = answer([bench, "flat", str(options.samples), "500"])
    looks = flat["every_10_s"]
    quarter = max(1, len(looks) // 4)
    early = statistics.median(look["cpu_us_per_sample"] for look in looks[:quarter])
    late = statistics.median(look["cpu_us_per_sample"] for look in looks[-quarter:])
    print(f"flat: {flat['samples']} samples at 500 Hz: resident {flat['resident_begin_mib']:.1f} MiB at the begin, {flat['resident_end_mib']:.1f} at the end;\n"
          f"      processor time per sample {early:.0f} µs in the first quarter, {late:.0f} µs in the last (× {late / early:.3f}); record {flat['record_mib']:.1f} MiB")


if __name__ == "__main__":
    main()
