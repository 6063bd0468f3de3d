"""No framework at all: files, threads, json, arguments."""
import argparse
import json
import threading

parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int, default=5)
n = parser.parse_args().n
found = []
threads = [threading.Thread(target=found.append, args=(i * i,)) for i in range(n)]
for thread in threads:
    thread.start()
    thread.join()
with open("squares.json", "w") as file:
    json.dump(found, file)
print(found)
