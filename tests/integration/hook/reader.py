"""Reads ring files for the tests; the program's own reader is C++ and trusts nothing, this one asserts."""
import collections
import glob
import json
import os
import struct

NAMES = {1: "data_wait", 2: "optimizer_step", 3: "backward", 4: "host_sync", 5: "checkpoint_save", 6: "forward",
         7: "epoch_begin", 8: "collective", 9: "worker_fetch", 10: "out_of_memory", 11: "validation"}

Record = collections.namedtuple("Record", "kind flags thread start duration a b steps")


class RingFile(object):
    def __init__(self, name):
        with open(name, "rb") as file:
            content = file.read()
        (magic, version, first, self.pid, self.started, self.capacity, self.head, self.monotonic, self.realtime,
         self.rank, self.local_rank, self.world_size, self.flags) = struct.unpack_from("<8sIIQQQQqqiiiI", content)
        assert magic == b"FBHOOK1\n" and version == 1 and first == 8192, (magic, version, first)
        assert len(content) == first + self.capacity * 64
        sequence, length = struct.unpack_from("<QI", content, 80)
        self.parent = struct.unpack_from("<I", content, 92)[0]
        assert sequence % 2 == 0
        self.facts = json.loads(content[128:128 + length].decode("utf-8")) if length else {}
        self.records = []
        self.lost = max(0, self.head - self.capacity)
        for number in range(self.lost, self.head):
            place = first + (number % self.capacity) * 64
            fields = struct.unpack_from("<QHHIqqqdqQ", content, place)
            assert fields[0] == number + 1, (fields[0], number + 1)
            self.records.append(Record(NAMES[fields[1]], *fields[2:9]))

    def of(self, kind):
        return [record for record in self.records if record.kind == kind]

    def count(self, kind):
        return len(self.of(kind))

    @property
    def ended_in_order(self):
        return bool(self.flags & 1)


def read_folder(folder):
    """The rings, the one with the most records first."""
    rings = [RingFile(name) for name in glob.glob(os.path.join(folder, "*.ring"))]
    return sorted(rings, key=lambda ring: (-len(ring.records), ring.pid))


def self_times(records):
    """Seconds of each kind on one thread, a child's time taken from its parent's."""
    total = collections.Counter()
    open_spans = []
    for record in sorted(records, key=lambda r: (r.start, -r.duration)):
        while open_spans and open_spans[-1].start + open_spans[-1].duration <= record.start:
            open_spans.pop()
        total[record.kind] += record.duration
        if open_spans:
            total[open_spans[-1].kind] -= record.duration
        open_spans.append(record)
    return {kind: nanoseconds / 1e9 for kind, nanoseconds in total.items()}


if __name__ == "__main__":
    import sys

    for ring in read_folder(sys.argv[1]):
        print(ring.pid, "of", ring.parent, "head", ring.head, "in order" if ring.ended_in_order else "cut short", ring.facts)
        print("  ", dict(collections.Counter(record.kind for record in ring.records)), self_times(ring.records))
