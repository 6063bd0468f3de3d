"""torch.compile: how many graphs, breaks and recompilations there are must not change."""
import functools

import torch
import torch._dynamo

import toy


class Breaks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = toy.model()
        self.first.register_forward_hook(lambda module, given, made: made * 2)

    def forward(self, values):
        values = self.first(values)
        torch._dynamo.graph_break()
        return self.second(values)


torch.manual_seed(0)
values = toy.Points().values
network = Breaks()
fast = torch.compile(network, backend="aot_eager")
optimizer = torch.optim.Adam(network.parameters(), foreach=True)


@torch.compile(backend="eager")
def step():
    optimizer.step()


for size in (8, 8, 12, 48):
    optimizer.zero_grad()
    loss = fast(values[:size]).square().mean()
    loss.backward()
    step()
    print(loss.item())
whole = torch.compile(toy.model(), backend="eager", fullgraph=True)
print(whole(values).sum().item())


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = toy.model()

    def forward(self, values):
        return self.inner(values) + 1


inner = Plain()
inner.compile(backend="eager", fullgraph=True)
print(inner(values).sum().item())


@torch.compile(backend="eager", fullgraph=True)
def evaluate(module, given):
    return module(given).sum()


print(evaluate(toy.model().eval(), values).item(), evaluate(toy.model(), values).item())
exported = torch.export.export(toy.model().eval(), (values,))
print(exported.module()(values).sum().item(), len(list(exported.graph.nodes)))
print({key: dict(value) for key, value in torch._dynamo.utils.counters.items() if key in ("stats", "graph_break", "frames")})
torch._dynamo.reset()
original = torch.nn.Module.__call__


@functools.wraps(original)
def doubled(self, *args, **kwargs):
    return original(self, *args, **kwargs) * 2


torch.nn.Module.__call__ = doubled
print(torch.compile(toy.model().eval(), backend="eager")(values).sum().item())
