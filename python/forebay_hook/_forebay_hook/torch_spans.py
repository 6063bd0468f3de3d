"""Which functions of PyTorch are watched, and what is noted of each.

A function that cannot be watched (a PyTorch that has no such function, or no source) is named in the fact
`not_covered`; the others are watched all the same.
"""
import io
import os
import sys

from _forebay_hook import recorder as kinds
from _forebay_hook import torch_facts
from _forebay_hook.loader_spans import watch_loaders
from _forebay_hook.rewrite import NO_RESULT, NotCovered, forget_sources, instrument
from _forebay_hook.tensor_syncs import watch_tensors

_COLLECTIVES = (
    "all_reduce", "broadcast", "reduce", "all_gather", "all_gather_into_tensor", "all_gather_single", "gather",
    "scatter", "reduce_scatter", "reduce_scatter_tensor", "reduce_scatter_single", "all_to_all", "all_to_all_single",
    "barrier", "send", "recv", "all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list",
)


class Watch(object):
    """Instruments functions one by one and remembers which could not be."""

    def __init__(self, state):
        self.state = state
        self.not_covered = []

    def __call__(self, what, function, begin, end, names, skip=None, inner=None):
        try:
            undo = instrument(function, skip, begin, end, names, inner)
            self.state.restore.append(undo)
        except NotCovered:
            self.miss(what)

    def miss(self, what):
        if what not in self.not_covered:
            self.not_covered.append(what)


def watch(torch, state):
    """Called once, when `import torch` has ended."""
    try:
        facts = torch_facts.Facts(torch, state)
        each = Watch(state)
        _watch_modules(torch, state, facts, each)
        _watch_optimizers(torch, state, facts, each)
        _watch_backward(torch, state, each)
        _watch_save(torch, state, each)
        _watch_distributed(torch, state, facts, each)
        watch_loaders(torch, state, facts, each)
        watch_tensors(torch, state, each)
        if each.not_covered:
            facts.at_start["not_covered"] = each.not_covered
        facts.write_first()
        forget_sources()
    except Exception:
        state.off()


def _compiling(torch):
    """A function that torch.compile knows to be true while it traces, so that it passes over what we put in."""
    return getattr(getattr(torch, "compiler", None), "is_compiling", bool)


def _watch_modules(torch, state, facts, each):
    thread = state.thread
    now = state.now

    def end(start, result, module):
        thread.inside = False
        if result is NO_RESULT:
            state.error_passed(sys.exc_info()[1])
        try:
            if module._parameters or module._modules:
                thread.training = training = module.training
            else:  # a loss or an activation by itself: it is never switched to eval mode
                training = thread.training
            state.span(kinds.FORWARD if training else kinds.VALIDATION, start)
            facts.module_ended(module)
        except Exception:
            state.off()

    def begin():
        thread.inside = True
        return now()

    call = torch.nn.Module.__call__
    names = {"_forebay_thread": thread, "_forebay_call_begin": begin, "_forebay_call_end": end,
             "_forebay_compiling": _compiling(torch)}
    each("forward", call, "_forebay_call_begin()", "_forebay_call_end(_fb_start, _fb_result, self)", names,
         skip="_forebay_compiling() or _forebay_thread.inside")


def _watch_optimizers(torch, state, facts, each):
    thread = state.thread
    now = state.now
    stepped = set()  # optimisers that have stepped since the step count last grew

    def begin():
        thread.stepping += 1
        return now()

    def end(start, result, optimizer):
        thread.stepping -= 1
        if thread.stepping > 0:
            return  # an optimiser around another, or a subclass that calls its parent's step
        thread.stepping = 0
        if result is NO_RESULT:
            state.error_passed(sys.exc_info()[1])
        try:
            key = id(optimizer)
            state.span(kinds.OPTIMIZER_STEP, start, facts.optimizer_number(optimizer))
            if result is NO_RESULT:
                return
            if key in stepped or not stepped:
                stepped.clear()
                state.steps += 1
            stepped.add(key)
            facts.step_ended(optimizer)
        except Exception:
            state.off()

    names = {"_forebay_step_begin": begin, "_forebay_step_end": end, "_forebay_compiling": _compiling(torch)}
    factory = getattr(torch.optim.Optimizer, "profile_hook_step", None)
    each("optimizer_step", factory, "_forebay_step_begin()",
         "_forebay_step_end(_fb_start, _fb_result, args[0] if args else None)", names,
         skip="_forebay_compiling()", inner="wrapper")


def _watch_backward(torch, state, each):
    thread = state.thread
    now = state.now

    def begin():
        thread.backward += 1
        if thread.backward == 1:
            inside, thread.inside = thread.inside, True  # recomputed activations belong to the backward pass
            return now(), inside
        return None

    def end(start, result):
        thread.backward = max(thread.backward - 1, 0)
        if start is None:
            return
        thread.inside = start[1]
        if result is NO_RESULT:
            state.error_passed(sys.exc_info()[1])
        state.span(kinds.BACKWARD, start[0])

    names = {"_forebay_backward_begin": begin, "_forebay_backward_end": end}
    for name in ("backward", "grad"):
        each("backward", getattr(torch.autograd, name, None), "_forebay_backward_begin()",
             "_forebay_backward_end(_fb_start, _fb_result)", names)


def _position(target):
    """How many bytes lie before the next one written, for the file objects whose tell() is known to be harmless."""
    if type(target) in (io.BufferedWriter, io.BufferedRandom, io.BytesIO, io.FileIO):
        try:
            return target.tell()
        except (OSError, ValueError):
            return None
    return None


def _written(target, before):
    try:
        if isinstance(target, (str, bytes, os.PathLike)):
            return os.stat(target).st_size
        after = _position(target)
        return after - before if before is not None and after is not None else -1
    except (OSError, ValueError, TypeError):
        return -1


def _watch_save(torch, state, each):
    now = state.now

    def begin(target):
        return _position(target), now()

    def end(start, result, target):
        if result is NO_RESULT:
            state.span(kinds.CHECKPOINT_SAVE, start[1])
            return
        span_end = now()
        size = _written(target, start[0])
        state.span_between(kinds.CHECKPOINT_SAVE, start[1], span_end, size)

    each("checkpoint_save", torch.save, "_forebay_save_begin(f)", "_forebay_save_end(_fb_start, _fb_result, f)",
         {"_forebay_save_begin": begin, "_forebay_save_end": end})


def _watch_distributed(torch, state, facts, each):
    """The collectives are watched from the moment a process group is asked for: most processes never do."""
    distributed = getattr(torch, "distributed", None)
    if not hasattr(distributed, "init_process_group"):
        return
    waiting = [None]

    def begin():
        if waiting:
            waiting.pop()
            try:
                _watch_collectives(torch, state, each)
                forget_sources()
                if each.not_covered:
                    state.learn(not_covered=list(each.not_covered))
            except Exception:
                state.off()

    each("collective", _innermost(distributed.init_process_group), "_forebay_group_begin()", "pass",
         {"_forebay_group_begin": begin})


def _innermost(function):
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _watch_collectives(torch, state, each):
    distributed = torch.distributed
    tensor_type = torch.Tensor
    thread_depth = state.thread

    def size(value):
        if type(value) is tensor_type:
            return value.numel() * value.element_size()
        if type(value) in (list, tuple):
            return sum(size(each) for each in value)
        return 0

    def begin():
        thread_depth.collective += 1
        return state.now()

    def end(start, result, values):
        thread_depth.collective -= 1
        if thread_depth.collective > 0:
            return
        try:
            count = size(values)
        except Exception:
            count = 0
        state.span(kinds.COLLECTIVE, start, count or -1)

    names = {"_forebay_collective_begin": begin, "_forebay_collective_end": end}
    for name in _COLLECTIVES:
        function = _innermost(getattr(distributed, name, None))
        if function is None:
            continue
        first = function.__code__.co_varnames[0] if function.__code__.co_argcount else "None"
        each("collective", function, "_forebay_collective_begin()",
             "_forebay_collective_end(_fb_start, %s)" % ("None, None" if name == "barrier" else "_fb_result, " + first),
             names)
