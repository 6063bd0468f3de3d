import subprocess
import sys

script = "import sys; print(sys.path[1:], 'sitecustomize' in sys.modules, sys.argv)"
for flags in ([], ["-I"], ["-S", "-E"], ["-s"]):
    print(subprocess.run([sys.executable] + flags + ["-c", script, "x"], stdout=subprocess.PIPE).stdout.decode())
print(subprocess.run([sys.executable, "-c", "import sys; sys.exit(7)"]).returncode)
