"""The user's own module of that name."""
import sys

_C = "not that one"


def run():
    print(__name__, __spec__.loader.__class__.__name__, sys.modules["torch"].__file__.endswith("torch.py"))
