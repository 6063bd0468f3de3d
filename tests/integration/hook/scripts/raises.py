"""raises.py WHERE: an exception nobody catches, through a watched function: the traceback must be the script's own."""
import sys

import torch
from torch.utils.data import DataLoader, Dataset

import toy

where = sys.argv[1]


class Bad(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        raise KeyError("no such sample: %d" % index)


class Wrong(torch.nn.Module):
    def forward(self, values):
        return torch.nn.functional.linear(values, torch.zeros(3, 5))


class Stuck(torch.optim.SGD):
    def step(self, closure=None):
        raise RuntimeError("no step")


network = torch.nn.Sequential(toy.model(), Wrong())
if where == "forward":
    network(torch.zeros(2, 8))
elif where == "worker":
    next(iter(DataLoader(Bad(), num_workers=1)))
elif where == "step":
    Stuck(network.parameters(), lr=1).step()
elif where == "memory":
    torch.empty(2**50)
elif where == "interrupt":
    class Interrupted(torch.nn.Module):
        def forward(self, values):
            raise KeyboardInterrupt

    Interrupted()(1)
elif where == "caught":
    import traceback
    for call in (lambda: network(torch.zeros(2, 8)), lambda: next(iter(DataLoader(Bad()))),
                 torch.zeros(2, requires_grad=True).backward, lambda: torch.save(network, "no/such/folder.pt")):
        try:
            call()
        except Exception:
            traceback.print_exc()
    try:
        Stuck(network.parameters(), lr=1).step()
    except RuntimeError as error:
        raise ValueError("from it") from error
