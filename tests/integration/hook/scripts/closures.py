"""LBFGS, two optimisers in turn, an optimiser around another, an early break, a training in a thread."""
import itertools
import threading

import torch
from torch.utils.data import DataLoader

import toy

network = toy.model()
values = toy.Points().values
optimizer = torch.optim.LBFGS(network.parameters(), max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = network(values).square().mean()
    loss.backward()
    return loss


for _ in range(3):
    print(optimizer.step(closure).item())


class Around(torch.optim.Optimizer):
    def __init__(self, inner):
        super().__init__(inner.param_groups, {})
        self.inner = inner

    def step(self, closure=None):
        return self.inner.step(closure)


one, two = toy.model(), toy.model(1)
first = Around(torch.optim.Adam(one.parameters()))
second = torch.optim.Adam(two.parameters())
for batch, _ in itertools.islice(DataLoader(toy.Points(), batch_size=5, num_workers=1), 3):
    first.zero_grad()
    second.zero_grad()
    loss = two(one(batch)).square().mean()
    loss.backward()
    first.step()
    second.step()
    print(loss.item())


def batches():
    for batch in DataLoader(toy.Points(), batch_size=5):
        yield batch


for batch in batches():
    print(batch[0].sum().item())
    break
other = toy.model()
worker = threading.Thread(target=toy.train, args=(other, torch.optim.SGD(other.parameters(), lr=0.1),
                                                  DataLoader(toy.Points(), batch_size=24)))
worker.start()
worker.join()
