"""`torch` cannot be imported: once by a mistake in it, once because it is not there; then a namespace package."""
import os
import sys
import traceback

for content in ("x = (", "import no_such_module", "raise OSError('no library')", "1 / 0"):
    with open("torch.py", "w") as file:
        file.write(content)
    try:
        import torch
    except BaseException:
        traceback.print_exc()
    print("torch" in sys.modules)
os.remove("torch.py")
sys.path = [os.getcwd()]
sys.path_importer_cache.clear()
try:
    import torch
except ImportError:
    traceback.print_exc()
os.mkdir("torch")
sys.path_importer_cache.clear()
import torch

print(torch.__spec__.loader is not None, list(torch.__path__) == [os.path.join(os.getcwd(), "torch")])
