import inspect
import sys

import package
from package import part

print(__name__, __package__, __spec__.name, package.name, sys.argv[1:])
print(inspect.getsource(part.Model))
print(part.Model.__module__)
