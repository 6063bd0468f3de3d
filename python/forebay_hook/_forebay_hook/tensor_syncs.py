"""Waits of the host for an accelerator: `.item()` and its kin, `torch.cuda.synchronize()`.

The methods of a tensor are C functions, which have no code to exchange, so these few are wrapped, and only where the
machine has an accelerator that this PyTorch can use. On the CPU they do not wait and nothing is recorded.
"""
import functools
import os

from _forebay_hook import recorder as kinds

ITEM, CPU, NUMPY, TOLIST, SYNCHRONIZE, NUMBER = 1, 2, 3, 4, 5, 6
_METHODS = (("item", ITEM), ("cpu", CPU), ("numpy", NUMPY), ("tolist", TOLIST), ("__bool__", NUMBER),
            ("__float__", NUMBER), ("__int__", NUMBER))
_DEVICE_FILES = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg", "/dev/dri", "/dev/accel")


def _has_accelerator(torch):
    """Without a call that would initialise a driver."""
    version = torch.version
    is_built = any(getattr(version, name, None) for name in ("cuda", "hip", "xpu"))
    return is_built and any(os.path.exists(name) for name in _DEVICE_FILES)


def watch_tensors(torch, state, each):
    if os.environ.get("FOREBAY_HOOK_TENSORS", "") != "always" and not _has_accelerator(torch):
        return
    for name, what in _METHODS:
        _wrap(torch, state, name, what)
    now = state.now

    def end(start):
        state.span(kinds.HOST_SYNC, start, SYNCHRONIZE)

    if hasattr(torch, "cuda"):
        each("host_sync", torch.cuda.synchronize, "_forebay_sync_now()", "_forebay_sync_end(_fb_start)",
             {"_forebay_sync_now": now, "_forebay_sync_end": end})


def _wrap(torch, state, name, what):
    tensor = torch.Tensor
    original = getattr(tensor, name)
    is_own = name in vars(tensor)
    ordinary = (tensor, torch.nn.Parameter)
    now = state.now
    is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    modes = getattr(torch._C, "_len_torch_function_stack", lambda: 0)

    @functools.wraps(original)
    def method(self, *args, **kwargs):
        # A subclass or a mode of the user's would see us ask for the device.
        if (is_compiling is not None and is_compiling()) or type(self) not in ordinary or modes() or self.is_cpu:
            return original(self, *args, **kwargs)
        start = now()
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next  # this frame is not the script's business
            raise
        finally:
            state.span(kinds.HOST_SYNC, start, what)

    setattr(tensor, name, method)

    def undo():
        if is_own:
            setattr(tensor, name, original)
        else:
            delattr(tensor, name)

    state.restore.append(undo)
