"""A line tracer, as debuggers and coverage use it, sees the script's lines and nothing new in PyTorch."""
import os
import sys

import torch
from torch.utils.data import DataLoader

import toy

lines = []
watched = ("traced.py", "toy.py", "dataloader.py", "fetch.py")


def trace(frame, event, argument):
    name = os.path.basename(frame.f_code.co_filename)
    if name not in watched:
        return None
    if event != "line" or name in watched[:2]:
        lines.append((name, frame.f_code.co_name, frame.f_lineno if name in watched[:2] else 0, event))
    return trace


network = toy.model()
sys.settrace(trace)
toy.train(network, torch.optim.SGD(network.parameters(), lr=0.1), DataLoader(toy.Points(), batch_size=24), 1)
sys.settrace(None)
print(lines)
