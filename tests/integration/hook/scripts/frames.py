"""Who called whom, and whom a warning blames."""
import inspect
import sys
import traceback
import warnings

import torch
from torch.utils.data import DataLoader, IterableDataset

import toy


def callers():
    return [(frame.function, frame.lineno) for frame in inspect.stack()]


class Looks(torch.nn.Module):
    def forward(self, values):
        print(callers())
        for level in range(1, 6):
            warnings.warn("level %d" % level, stacklevel=level)
        traceback.print_stack()
        return values


class Short(IterableDataset):
    def __len__(self):
        return 1

    def __iter__(self):
        print(callers())
        warnings.warn("in the data set", stacklevel=5)
        return iter(range(3))


Looks()(torch.ones(1))
print(list(DataLoader(Short())))


class Told(torch.optim.SGD):
    def step(self, closure=None):
        print(callers())
        return super().step(closure)


network = toy.model()
Told(network.parameters(), lr=1).step()
torch.optim.lr_scheduler.StepLR(torch.optim.SGD(network.parameters(), lr=1), 1).step()
print(inspect.signature(torch.nn.Module.__call__), inspect.signature(torch.save), torch.save.__name__)
print(inspect.getsource(torch.nn.Module.__call__), torch.nn.Module.__call__ is torch.nn.Module._wrapped_call_impl)
print(inspect.getsourcelines(torch.utils.data.DataLoader.__iter__)[1], torch.__spec__.loader, torch.__loader__)
print(sys.meta_path)


def deep(level):
    try:
        return deep(level + 1)
    except RecursionError:
        return level


print(deep(0))
