"""TorchScript, FX, hooks, activation checkpoints, functional calls, tensor subclasses and modes."""
import torch
import torch.fx
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint

import toy

values = toy.Points().values
network = toy.model().eval()
print(torch.jit.script(network)(values).sum().item(), torch.jit.trace(network, values)(values).sum().item())
print(torch.fx.symbolic_trace(network).code)
calls = []
network.register_full_backward_hook(lambda module, given, made: calls.append("backward"))
network[0].register_forward_pre_hook(lambda module, given: calls.append("before"))
torch.nn.modules.module.register_module_forward_hook(lambda module, given, made: calls.append(type(module).__name__))
network(values).sum().backward()
print(calls)
print(checkpoint(network, values.requires_grad_(), use_reentrant=False).sum().item())
made = checkpoint(network, values, use_reentrant=True).sum()
made.backward()
print(values.grad.sum().item(), torch.func.functional_call(network, dict(network.named_parameters()), values).sum().item())
print(torch.autograd.grad(network(values).sum(), values)[0].sum().item())
network = toy.model().eval()
print(torch.func.vmap(torch.func.grad(lambda row: network(row).sum()))(values.detach()).sum().item())


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        print(getattr(function, "__name__", function))
        return super().__torch_function__(function, types, args, kwargs or {})


logged = values.detach().as_subclass(Logged).requires_grad_()
network(logged).sum().backward()
print(logged.sum().item(), logged.detach().cpu().numpy().shape, float(logged.sum()))


class Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        print("mode", getattr(function, "__name__", function))
        return function(*args, **(kwargs or {}))


with Mode():
    network(values.detach()).sum().item()
