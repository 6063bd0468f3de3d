"""Descriptor numbers, closing all of them, signal handlers, -W error."""
import os
import signal

import torch
from torch.utils.data import DataLoader

import toy

print(open(os.devnull).fileno(), sorted(os.listdir("/proc/self/fd")))
os.closerange(3, 256)
network = toy.model()
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
signal.signal(signal.SIGALRM, lambda *_: torch.save(network.state_dict(), "alarm.pt"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
toy.train(network, optimizer, DataLoader(toy.Points(), batch_size=24), 2)
signal.pause() if not os.path.exists("alarm.pt") else None
print(os.path.exists("alarm.pt"), torch.__name__, open(os.devnull).fileno())
os.remove("alarm.pt")
