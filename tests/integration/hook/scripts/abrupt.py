"""abrupt.py exit|kill|term: ends without the interpreter's own ending."""
import os
import signal
import sys

import toy

print(toy.model()(toy.Points().values).sum().item())
sys.stdout.flush()
if sys.argv[1] == "exit":
    os._exit(9)
os.kill(os.getpid(), signal.SIGKILL if sys.argv[1] == "kill" else signal.SIGTERM)
