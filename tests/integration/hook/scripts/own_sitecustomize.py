import importlib
import os
import sys

import sitecustomize

print(os.path.relpath(sitecustomize.__file__), sitecustomize.SEEN, sitecustomize.__spec__.name)
importlib.reload(sitecustomize)
print(sys.modules["sitecustomize"] is sitecustomize, sys.path.index(os.path.dirname(sitecustomize.__file__)))
