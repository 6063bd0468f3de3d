"""The peer: what a usual Python sampler costs for the same values, with psutil (pip install psutil).

    python peer.py SECONDS HZ PID     samples the tree of PID and the machine; prints one JSON object
"""
import json
import os
import resource
import sys
import time

import psutil


def sample(root, seen):
    processes = root.children(recursive=True)
    for process in processes:
        known = seen.setdefault(process.pid, process)
        try:
            with known.oneshot():
                known.cpu_times(), known.memory_info(), known.num_threads()
                known.io_counters()
        except psutil.Error:
            pass
    psutil.cpu_percent(percpu=True)
    psutil.virtual_memory(), psutil.swap_memory(), psutil.getloadavg()
    psutil.disk_io_counters(perdisk=True)
    psutil.net_io_counters(pernic=True)
    psutil.disk_usage("/dev/shm")


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    seconds, hertz, pid = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    root, seen, count = psutil.Process(pid), {}, 0
    sample(root, seen)
    begin, begin_used = time.monotonic(), used()
    while time.monotonic() - begin < seconds:
        sample(root, seen)
        count += 1
        time.sleep(max(0, begin + count / hertz - time.monotonic()))
    passed = time.monotonic() - begin
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    print(json.dumps({"samples": count, "hertz": hertz, "share_of_a_core": (used() - begin_used) / passed,
                      "cpu_us_per_sample": (used() - begin_used) / count * 1e6, "resident_mib": resident / 2**20}))


if __name__ == "__main__":
    main()
