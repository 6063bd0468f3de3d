"""What Python imports at start-up when this folder stands first in PYTHONPATH. None of it may be seen by the script:

  1. say that this process loaded the hook (an empty file in $FOREBAY_HOOK_DIR) and wait for `import torch`;
  2. take this folder off sys.path again (PYTHONPATH keeps it, so that children find it too);
  3. hand over to the user's own sitecustomize, or to the ImportError the interpreter expects if there is none.

Short, because where byte code is not kept it is compiled at every start. Read by whatever other Python a script
starts (2.7, 3.6, PyPy), so its syntax is theirs; everything else is in _forebay_hook/ and is loaded with torch.
"""
import os
import sys


class _TorchFinder(object):
    """Finds nothing itself: wakes _forebay_hook at the first `import torch` (or whatever the user calls torch)."""

    def __init__(self, folder, channel):
        self.folder = folder
        self.channel = channel

    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            try:
                return self.wake().find_torch(self, path, target)
            except Exception:
                return None  # as if this finder were not there

    def wake(self):
        if "_forebay_hook" not in sys.modules:
            import importlib.util as util

            package = os.path.join(self.folder, "_forebay_hook")
            first = os.path.join(package, "__init__.py")
            spec = util.spec_from_file_location("_forebay_hook", first, submodule_search_locations=[package])
            sys.modules["_forebay_hook"] = util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules["_forebay_hook"])
        return sys.modules["_forebay_hook"]


def _begin(folder):
    channel = os.environ.get("FOREBAY_HOOK_DIR")
    if channel:
        seen = os.path.join(channel, "%d.seen" % os.getpid())
        os.close(os.open(seen, os.O_CREAT | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), 384))  # 0600
        if sys.version_info >= (3, 8) and sys.implementation.name == "cpython":
            sys.meta_path.insert(0, _TorchFinder(folder, os.path.abspath(channel)))


_folder = os.path.dirname(os.path.abspath(__file__))
try:
    _begin(_folder)
except Exception:
    pass
for _place, _entry in enumerate(sys.path):
    if _entry == _folder or os.path.abspath(_entry) == _folder:
        del sys.path[_place]
        break
_self = sys.modules.pop("sitecustomize", None)  # Python 2 would empty a module that nothing holds
import sitecustomize  # noqa: E402,F401
