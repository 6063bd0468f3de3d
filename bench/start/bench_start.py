#!/usr/bin/env python3
"""Start-up: `forebay --version`, and what `forebay run -- true` adds to `true`. Interleaved in one run; medians and quartiles.

    bench/start/bench_start.py build/release/src/forebay [rounds]
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time


def timed(command, environment):
    began = time.perf_counter()
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def show(name, values):
    quartiles = statistics.quantiles(values, n=4)
    print("%-44s median %7.2f ms   quartiles %7.2f … %7.2f   n=%d" % (name, statistics.median(values), quartiles[0], quartiles[2], len(values)))


def main():
    forebay = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 41
    with tempfile.TemporaryDirectory(prefix="forebay-bench-") as folder:
        environment = dict(os.environ, FOREBAY_HOME=folder + "/state")
        os.chdir(folder)
        commands = {"true": ["true"], "forebay --version": [forebay, "--version"], "forebay run -q -- true": [forebay, "run", "-q", "--", "true"],
                    "git --version (peer)": ["git", "--version"], "python3 -c pass (peer)": ["/usr/bin/python3", "-c", "pass"]}
        values = {name: [] for name in commands}
        for _ in range(3):
            for command in commands.values():
                timed(command, environment)
        for _ in range(rounds):
            for name, command in commands.items():
                values[name].append(timed(command, environment))
    for name, each in values.items():
        show(name, each)
    added = [a - b for a, b in zip(values["forebay run -q -- true"], values["true"])]
    show("forebay run -- true adds to true", added)
    version, run = statistics.median(values["forebay --version"]), statistics.median(added)
    print("bar: --version <= 10 ms: %s     run adds <= 50 ms: %s" % ("holds" if version <= 10 else "MISSED", "holds" if run <= 50 else "MISSED"))


if __name__ == "__main__":
    main()
