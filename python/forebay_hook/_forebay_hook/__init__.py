"""The part of the hook that is loaded with torch: docs/hook-channel.md is its contract."""
import sys


def find_torch(waiting, path, target):
    """The spec of what the user imports as `torch`, from the finders behind `waiting`.

    Its loader is lent an exec_module for one call, so that the module has the loader and the spec it would have had.
    """
    spec = None
    for finder in sys.meta_path:
        if finder is not waiting and hasattr(finder, "find_spec"):
            spec = finder.find_spec("torch", path, target)
            if spec is not None:
                break
    try:
        _lend(waiting, getattr(spec, "loader", None))
    except Exception:
        _retire(waiting)
    return spec


def _lend(waiting, loader):
    if not hasattr(loader, "exec_module") or "exec_module" in vars(loader):
        return  # not found, a namespace package, or a loader that cannot lend

    def _call_with_frames_removed(module):
        vars(loader).pop("exec_module", None)
        loader.exec_module(module)
        _retire(waiting)
        _watch(waiting.channel, module)

    # The name and file the import system itself uses for such a frame: it trims them from a traceback.
    code = _call_with_frames_removed.__code__
    _call_with_frames_removed.__code__ = code.replace(co_filename="<frozen importlib._bootstrap>")
    loader.exec_module = _call_with_frames_removed


def _retire(waiting):
    if waiting in sys.meta_path:
        sys.meta_path.remove(waiting)


def _watch(channel, torch):
    """Opens this process's ring in `channel` and begins to watch `torch`; any failure leaves torch as it was."""
    try:
        if not hasattr(torch, "_C") or "torch._C" not in sys.modules:
            return  # a folder or file of the user's that happens to be called torch
        from _forebay_hook import recorder, torch_spans

        state = recorder.Recorder(channel)
        if state.open_ring():
            torch_spans.watch(torch, state)
    except Exception:
        pass
