import atexit
import sys

import toy

atexit.register(print, "goodbye")
print(toy.model()(toy.Points().values).sum().item())
sys.exit(3)
