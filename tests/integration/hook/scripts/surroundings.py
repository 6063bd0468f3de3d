"""What a script can see of the interpreter it runs in."""
import builtins
import os
import site
import sys

print(sys.path, sys.argv, sys.flags, site.ENABLE_USER_SITE)
print(sorted(sys.modules))
print(sorted(os.listdir("/proc/self/fd")))
print(sorted(vars(builtins)))
print(sys.excepthook is sys.__excepthook__, sys.gettrace(), sys.getprofile(), sys.displayhook is sys.__displayhook__)
print([hook.__name__ for hook in sys.path_hooks], len(sys.warnoptions), sys.getrecursionlimit())
