"""The ring file of one process: allocated whole, written without a lock, a wait or a system call.

Layout: docs/hook-channel.md. Raises OSError if the file cannot be had; `append` and `write_facts` do not raise
once the ring exists. The mapping is made through ctypes because `mmap.mmap` keeps a file descriptor, which would
shift the numbers the script's own files get and could be closed under it.
"""
import ctypes
import itertools
import os
import struct
import sys
import time

MAGIC = b"FBHOOK1\n"
FIRST_RECORD = 8192
RECORD = 64
FACTS = 128
FACTS_LIMIT = FIRST_RECORD - FACTS
CAPACITY = 16384
NAMES_TO_TRY = 64

_BODY = struct.Struct("<HHIqqqdqQ")
_NOT_KNOWN = float("nan")
_PROT_READ_WRITE = 3
_MAP_SHARED = 1


def _start_time():
    """Field 22 of /proc/self/stat; the name in field 2 may hold spaces and parentheses."""
    try:
        with open("/proc/self/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _environment_integer(name):
    try:
        value = int(os.environ.get(name, "-1"))
    except ValueError:
        return -1
    return value if -1 <= value < 2**31 else -1


def _parent():
    """The process a multiprocessing child belongs to, also when a fork server made it; else the parent."""
    process = sys.modules.get("multiprocessing.process")
    parent = process.parent_process() if process is not None else None
    return parent.pid if parent is not None and parent.pid else os.getppid()


def _map_shared(descriptor, length):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    address = libc.mmap(None, length, _PROT_READ_WRITE, _MAP_SHARED, descriptor, 0)
    if address is None or address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return memoryview((ctypes.c_char * length).from_address(address)).cast("B")


def _header(capacity):
    header = bytearray(FACTS)
    struct.pack_into("<8sIIQQQQqqiiiI", header, 0, MAGIC, 1, FIRST_RECORD, os.getpid(), _start_time(), capacity, 0,
                     time.monotonic_ns(), time.time_ns(), _environment_integer("RANK"),
                     _environment_integer("LOCAL_RANK"), _environment_integer("WORLD_SIZE"), 0)
    struct.pack_into("<I", header, 92, _parent())
    return header


def _create(folder):
    """A new file, never one that is there: an earlier program of this pid (exec, reuse) may have left its own."""
    for number in range(1, NAMES_TO_TRY + 1):
        suffix = "" if number == 1 else "-%d" % number
        name = os.path.join(folder, "%d%s.ring" % (os.getpid(), suffix))
        try:
            return name, os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
    raise FileExistsError(name)


class Ring(object):
    """One writer process, any of its threads. Not for use after a fork: the child makes its own."""

    def __init__(self, folder, capacity=CAPACITY):
        self.is_parent_told = False
        length = FIRST_RECORD + capacity * RECORD
        self.name, descriptor = _create(folder)
        try:
            os.posix_fallocate(descriptor, 0, length)
            self.bytes = _map_shared(descriptor, length)
        except Exception:
            os.unlink(self.name)
            raise
        finally:
            os.close(descriptor)
        header = _header(capacity)
        self.bytes[8:FACTS] = header[8:]
        self.bytes[:8] = header[:8]  # the magic last: a reader passes over a file that has none yet
        self.words = self.bytes.cast("Q")
        self.append = self._make_append(capacity - 1)

    def _make_append(self, mask):
        words = self.words
        content = self.bytes
        take_number = itertools.count().__next__  # one step under the interpreter lock: no two threads get the same
        pack_into = _BODY.pack_into

        def append(kind, flags, thread, start, duration, a, b, steps):
            number = take_number()
            place = number & mask
            word = 1024 + place * 8
            words[word] = 0
            pack_into(content, 8200 + place * 64, kind, flags, thread, start, duration, a, b, steps, 0)
            number += 1
            words[word] = number
            if words[5] < number:
                words[5] = number

        return append

    def write_facts(self, text):
        """`text`: UTF-8 JSON of at most FACTS_LIMIT bytes."""
        sequence = self.words[10] | 1
        self.words[10] = sequence
        struct.pack_into("<I", self.bytes, 88, len(text))
        self.bytes[FACTS:FACTS + len(text)] = text
        self.words[10] = sequence + 1

    def write_rank(self, rank, local_rank, world_size):
        struct.pack_into("<iii", self.bytes, 64, rank, local_rank, world_size)

    def write_parent(self):
        """Again, once multiprocessing has told this process whom it works for (a fork server is nobody's trainer)."""
        struct.pack_into("<I", self.bytes, 92, _parent())
        self.is_parent_told = True

    def mark_ended_in_order(self):
        struct.pack_into("<I", self.bytes, 76, 1)


if sys.byteorder != "little":
    raise ImportError("the hook channel is little-endian")
