"""One process's recorder: spans, facts, and the switch that turns everything off.

Every method may be called from the script's threads at any point; none raises, none waits. After the first failure
`off` has been called: the watched functions are themselves again and nothing more is written.
"""
import atexit
import json
import os
import re
import sys
import threading
import time

from _forebay_hook.ring import FACTS_LIMIT, Ring

DATA_WAIT = 1
OPTIMIZER_STEP = 2
BACKWARD = 3
HOST_SYNC = 4
CHECKPOINT_SAVE = 5
FORWARD = 6
EPOCH_BEGIN = 7
COLLECTIVE = 8
WORKER_FETCH = 9
OUT_OF_MEMORY = 10
VALIDATION = 11

NOT_KNOWN = float("nan")
_MESSAGE_LIMIT = 1000
_ASKED_FOR = re.compile(r"[Tt]ried to allocate ([0-9.]+) ?([KMGT]i?B|bytes)")
_ALLOCATED = re.compile(r"([0-9.]+) ?([KMGT]i?B|bytes) (?:is allocated by PyTorch|already allocated)")
_RESERVED_UNUSED = re.compile(r"([0-9.]+) ?([KMGT]i?B|bytes) is reserved by PyTorch but unallocated")
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
          "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}


class _Thread(threading.local):
    """What one thread is in the middle of. The class attributes are what a new thread starts with."""

    inside = False  # in a module call or a backward pass: inner module calls are not spans of their own
    backward = 0
    stepping = 0
    collective = 0
    identity = None  # (kernel thread id, flags)
    training = True  # mode of the last module with parameters or children: a bare loss module takes it


def plain_text(text):
    """Without lone surrogates, which a strict JSON reader refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _bytes(match):
    return int(float(match.group(1)) * _UNITS[match.group(2)]) if match else None


class Recorder(object):
    """Owns the ring of this process and makes a new one for a forked child that has something to say."""

    def __init__(self, channel):
        self.channel = channel
        self.thread = _Thread()
        self.now = time.monotonic_ns
        self.steps = 0
        self.facts = {}
        self.facts_of_any_process = {}  # what stays true in a forked child
        self.is_off = False
        self.ring = None
        self.in_fork = False
        self.restore = []  # calls that undo what was watched
        self._append = None
        self._last_memory_error = None

    # -- life ----------------------------------------------------------------------------------------------------
    def open_ring(self):
        """True if the ring is there. Registers what a fork and the end of the interpreter must do."""
        try:
            self._new_ring()
            os.register_at_fork(after_in_child=self._after_fork)
            atexit.register(self._at_exit)
            return True
        except Exception:
            self.is_off = True
            return False

    def _new_ring(self):
        self.ring = Ring(self.channel)
        self._append = self.ring.append

    def _after_fork(self):
        """Runs in the child: the parent's ring is not ours. Spans the child is still inside of are the parent's."""
        self.ring = None
        self._append = None
        self.in_fork = True
        self.steps = 0
        self.facts = dict(self.facts_of_any_process)
        thread = self.thread
        thread.identity = None
        thread.inside = False
        thread.backward = thread.stepping = thread.collective = 0

    def off(self):
        """Silently, and for good."""
        self.is_off = True
        self._append = None
        while self.restore:
            try:
                self.restore.pop()()
            except Exception:
                pass

    # -- records -------------------------------------------------------------------------------------------------
    def _identity(self):
        # Not current_thread(): it would enter a thread made by C++ into threading.enumerate().
        is_main = threading.get_ident() == threading.main_thread().ident
        identity = (threading.get_native_id(), 0 if is_main else 1)
        self.thread.identity = identity
        return identity

    def span(self, kind, start, a=-1, b=NOT_KNOWN):
        """Ends now."""
        self.span_between(kind, start, self.now(), a, b)

    def span_between(self, kind, start, end, a=-1, b=NOT_KNOWN):
        try:
            append = self._append
            if append is None:
                append = self._reopen()
                if append is None:
                    return
            number, flags = self.thread.identity or self._identity()
            append(kind, flags, number, start, end - start, a, b, self.steps)
        except Exception:
            self.off()

    def _reopen(self):
        """The first record of a forked child: its own ring."""
        if self.is_off or not self.in_fork:
            return None
        self.in_fork = False
        name = os.path.join(self.channel, "%d.seen" % os.getpid())
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        self._new_ring()
        self.write_facts()
        return self._append

    def tell_parent(self):
        """Of a worker process whose ring was made before multiprocessing said whom it works for."""
        try:
            if not self.ring.is_parent_told:
                self.ring.write_parent()
        except Exception:
            self.off()

    # -- facts ---------------------------------------------------------------------------------------------------
    def write_facts(self):
        if self.ring is None or self.is_off:
            return
        text = json.dumps(self.facts, separators=(",", ":")).encode("utf-8", "replace")
        if len(text) > FACTS_LIMIT:
            shorter = {key: value for key, value in self.facts.items() if key not in ("dataloaders", "script")}
            text = json.dumps(shorter, separators=(",", ":")).encode("utf-8", "replace")
        if len(text) <= FACTS_LIMIT:
            self.ring.write_facts(text)

    def learn(self, **facts):
        """Writes the facts if any of them is new. A value None is not known and is left out."""
        changed = False
        for key, value in facts.items():
            if value is not None and self.facts.get(key) != value:
                self.facts[key] = value
                changed = True
        if changed:
            self.write_facts()

    # -- errors --------------------------------------------------------------------------------------------------
    def error_passed(self, error):
        """An exception leaves a watched function; only those that mean 'out of memory' are noted, once each."""
        try:
            if error is None or id(error) == self._last_memory_error:
                return
            if not isinstance(error, MemoryError):
                if not isinstance(error, RuntimeError):
                    return
                name = type(error).__name__
                if name != "OutOfMemoryError" and "ried to allocate" not in str(error):
                    return
            self._last_memory_error = id(error)
            message = plain_text(str(error))
            requested = _bytes(_ASKED_FOR.search(message))
            allocated, reserved = self._allocator(message)
            self.span(OUT_OF_MEMORY, self.now(), -1 if requested is None else requested)
            found = {"message": message[:_MESSAGE_LIMIT], "allocated_bytes": allocated, "reserved_bytes": reserved,
                     "requested_bytes": requested}
            self.learn(out_of_memory={key: value for key, value in found.items() if value is not None})
        except Exception:
            self.off()

    @staticmethod
    def _allocator(message):
        """What the error says the allocator held and reserved, in bytes; None where it says nothing."""
        allocated = _bytes(_ALLOCATED.search(message))
        unused = _bytes(_RESERVED_UNUSED.search(message))
        return allocated, None if allocated is None or unused is None else allocated + unused

    def _at_exit(self):
        try:
            if self.ring is None or self.is_off:
                return
            # What the interpreter printed as uncaught; it sets these before it calls sys.excepthook.
            error = getattr(sys, "last_value", None)
            if error is not None:
                self.error_passed(error)
                self.learn(exception=type(error).__name__)
            self.ring.mark_ended_in_order()
        except Exception:
            self.off()
