#!/usr/bin/env python3
"""The log path beside its peers: `forebay run -- producer` against `producer | tee file`, and on a pty against `script`.

Every round runs both, one after the other in changing order; what is compared is the ratio of the medians. After each run the bytes are
checked: all that the producer wrote must have come out of the front and lie in the log. Standard library only.

  bench_log_path.py --forebay build/bench/src/forebay [--size 1GiB] [--rounds 5] [--json]
"""
import argparse
import hashlib
import json
import os
import pty
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
# Lines of text in large writes: what a program with a buffered standard output does.
PRODUCER = r"""
import os, sys
left = int(sys.argv[1])
line = b"step 000123 loss 0.123456 the quick brown fox jumps over the lazy dog 0123456789\n"
block = (line * (131072 // len(line) + 1))[:131072]
view = memoryview(block)
while left > 0:
    left -= os.write(1, view[:min(left, len(block))])
"""


def parse_size(text):
    match = re.fullmatch(r"(\d+)\s*(|KiB|MiB|GiB)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"not a size: {text}")
    return int(match[1]) * UNITS[match[2]]


def expected_digest(size):
    line = b"step 000123 loss 0.123456 the quick brown fox jumps over the lazy dog 0123456789\n"
    block = (line * (131072 // len(line) + 1))[:131072]
    digest = hashlib.sha256()
    while size > 0:
        digest.update(block[:size])
        size -= min(size, len(block))
    return digest.hexdigest()


def digest_of(path, carriage_returns=False):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block.replace(b"\r", b"") if carriage_returns else block)
    return digest.hexdigest()


def log_digest(run_folder):
    """Reads the log segments as docs/record-format.md says, without the program under test."""
    digest = hashlib.sha256()
    for name in sorted(os.listdir(run_folder)):
        if not re.fullmatch(r"log-\d+\.seg", name):
            continue
        with open(os.path.join(run_folder, name), "rb") as file:
            file.read(16)
            while len(head := file.read(9)) == 9:
                payload = file.read(int.from_bytes(head[:4], "little"))
                if head[8] == 1 and payload[0] == 1:
                    digest.update(payload[9:].replace(b"\r", b""))
    return digest.hexdigest()


def timed(command, environment, stdout, folder):
    begin = time.monotonic()
    subprocess.run(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def timed_on_terminal(command, environment, folder):
    """On a terminal of our own whose output is thrown away as fast as it comes."""
    master, slave = pty.openpty()

    def drain():
        try:
            while os.read(master, 1 << 16):
                pass
        except OSError:
            pass

    thread = threading.Thread(target=drain)
    thread.start()
    begin = time.monotonic()
    child = subprocess.Popen(command, env=environment, cwd=folder, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, start_new_session=True,
                             preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
    code = child.wait()
    seconds = time.monotonic() - begin
    os.close(slave)
    thread.join()
    os.close(master)
    if code != 0:
        raise SystemExit(f"{command[0]} ended with {code}")
    return seconds


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.producer = os.path.join(folder, "producer.py")
        with open(self.producer, "w") as file:
            file.write(PRODUCER)
        self.command = [sys.executable, "-S", "-E", self.producer, str(options.size)]
        self.empty = os.path.join(folder, "empty")  # where the commands run: a run keeps the code of its folder
        os.makedirs(self.empty, exist_ok=True)
        self.digest = expected_digest(options.size)

    def check(self, what, digest):
        if digest != self.digest:
            raise SystemExit(f"{what}: the bytes differ from what was produced")

    def run_forebay(self, terminal):
        home = os.path.join(self.folder, "home")
        environment = dict(os.environ, FOREBAY_HOME=home)
        command = [self.options.forebay, "run", "--", *self.command]
        seconds = timed_on_terminal(command, environment, self.empty) if terminal else timed(command, environment, subprocess.DEVNULL, self.empty)
        runs = os.path.join(home, "runs")
        self.check("forebay's log", log_digest(os.path.join(runs, os.listdir(runs)[0])))
        shutil.rmtree(home)
        return seconds

    def run_tee(self):
        path = os.path.join(self.folder, "tee.out")
        seconds = timed(["sh", "-c", '"$@" | tee "$0"', path, *self.command], os.environ, subprocess.DEVNULL, self.empty)
        self.check("tee", digest_of(path))
        os.unlink(path)
        return seconds

    def run_script(self):
        path = os.path.join(self.folder, "script.out")
        line = " ".join(f"'{word}'" for word in self.command)
        seconds = timed_on_terminal(["script", "-q", "-O", path, "-c", line], dict(os.environ), self.empty)
        os.unlink(path)  # framed by lines of script's own
        return seconds

    def compare(self, name, ours, peer):
        times = {"forebay": [], "peer": []}
        for round_number in range(self.options.rounds):
            pair = [("forebay", ours), ("peer", peer)]
            for who, call in pair if round_number % 2 == 0 else reversed(pair):
                times[who].append(call())
        rate = {who: self.options.size / statistics.median(all_times) / 1e6 for who, all_times in times.items()}
        ratios = sorted(p / f for f, p in zip(times["forebay"], times["peer"]))
        return {"name": name, "size_bytes": self.options.size, "rounds": self.options.rounds, "forebay_mb_per_s": round(rate["forebay"], 1),
                "peer_mb_per_s": round(rate["peer"], 1), "ratio": round(rate["forebay"] / rate["peer"], 3),
                "ratio_lowest": round(ratios[0], 3), "ratio_highest": round(ratios[-1], 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forebay", required=True)
    parser.add_argument("--size", type=parse_size, default=1 << 30)
    parser.add_argument("--pty-size", type=parse_size, default=128 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where the files go (default: a temporary folder)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.forebay = os.path.abspath(options.forebay)
    results = []
    with tempfile.TemporaryDirectory(prefix="forebay-bench-", dir=options.folder) as folder:
        bench = Bench(options, folder)
        results.append(bench.compare("pipe against tee", lambda: bench.run_forebay(False), bench.run_tee))
        if shutil.which("script"):
            options.size = options.pty_size
            bench = Bench(options, folder)
            results.append(bench.compare("pty against script", lambda: bench.run_forebay(True), bench.run_script))
    if options.json:
        print(json.dumps(results))
        return
    for result in results:
        print(f"{result['name']}: {result['ratio']} × the peer (lowest {result['ratio_lowest']}, highest {result['ratio_highest']}); "
              f"forebay {result['forebay_mb_per_s']} MB/s, peer {result['peer_mb_per_s']} MB/s")


if __name__ == "__main__":
    main()
