#!/usr/bin/env python3
"""What the hook costs a training step of 5 ms: the same loop with and without it, in turn, in processes of their own.

    python3 bench/hook/bench_hook.py [--rounds 7] [--steps 200] [--milliseconds 5]

One step is a real one (loader, forward, loss, backward, optimiser) and then spins until the step has lasted 5 ms *of its
own work*: the number of spins is fixed beforehand, so that time the hook takes is added and not hidden. Prints the median
step of each side, the spread over rounds and the ratio. Also the hook's cost per span alone, which is not drowned in noise.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

HOOK = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "forebay_hook"))

LOOP = r"""
import gc, statistics, sys, time
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.set_num_threads(1)
torch.manual_seed(0)
steps, spins = int(sys.argv[1]), int(sys.argv[2])
layers = []
for _ in range(6):
    layers += [torch.nn.Linear(64, 64), torch.nn.ReLU()]
network = torch.nn.Sequential(*layers, torch.nn.Linear(64, 1))
optimizer = torch.optim.SGD(network.parameters(), lr=1e-4)
loss_of = torch.nn.MSELoss()
loader = DataLoader(TensorDataset(torch.randn(8 * (steps + 20), 64), torch.randn(8 * (steps + 20), 1)), batch_size=8)
gc.disable()
clock = time.perf_counter if sys.argv[3] == "wall" else time.process_time
times = []
begin = clock()
for values, wanted in loader:
    optimizer.zero_grad()
    loss = loss_of(network(values), wanted)
    loss.backward()
    optimizer.step()
    for _ in range(spins):
        pass
    end = clock()
    times.append(end - begin)
    begin = end
print(statistics.median(times[20:]))
"""

SPAN = r"""
import sys, time
sys.path.insert(0, %r)
from _forebay_hook.recorder import Recorder
recorder = Recorder(sys.argv[1])
assert recorder.open_ring()
now, span = time.monotonic_ns, recorder.span
best = 1e9
for _ in range(30):
    begin = time.perf_counter()
    for _ in range(2000):
        span(6, now())
    best = min(best, (time.perf_counter() - begin) / 2000)
print(best)
"""


def run(text, channel, *arguments):
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "FOREBAY_HOOK_DIR")}
    if channel:
        environment.update(PYTHONPATH=HOOK, FOREBAY_HOOK_DIR=channel)
    command = [sys.executable, "-c", text] + [str(each) for each in arguments]
    return float(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def spread(values):
    ordered = sorted(values)
    return "median %.4f ms, from %.4f to %.4f" % tuple(1e3 * each for each in (statistics.median(values), ordered[0], ordered[-1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--milliseconds", type=float, default=5.0)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: for a machine that is busy with other things")
    parser.add_argument("--bar", type=float, help="exit 1 if the median ratio is above this, for instance 1.01")
    options = parser.parse_args()
    bare = run(LOOP, None, 100, 0, options.clock)
    some = run(LOOP, None, 100, 20000, options.clock)
    spins = max(0, int((options.milliseconds / 1e3 - bare) / max(some - bare, 1e-9) * 20000))
    print("a step of its own: %.3f ms; with %d spins about %.1f ms" % (bare * 1e3, spins, options.milliseconds))
    without, hooked = [], []
    with tempfile.TemporaryDirectory() as channel:
        for number in range(options.rounds):
            sides = [(without, None), (hooked, channel)]
            for times, where in sides if number % 2 == 0 else reversed(sides):
                times.append(run(LOOP, where, options.steps, spins, options.clock))
        span = run(SPAN % HOOK, channel, channel)
    ratios = [b / a for a, b in zip(without, hooked)]
    ratio = statistics.median(ratios)
    print("without the hook: " + spread(without))
    print("with the hook:    " + spread(hooked))
    print("ratio: median %.4f, from %.4f to %.4f (%d rounds of %d steps, %s time)" % (
        ratio, min(ratios), max(ratios), options.rounds, options.steps, options.clock))
    print("one span alone: %.2f us" % (span * 1e6))
    sys.exit(1 if options.bar and ratio > options.bar else 0)


if __name__ == "__main__":
    main()
