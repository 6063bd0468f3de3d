"""What is worth knowing of a training beside its times: sizes, precision, loaders, threads.

Only plain attributes are read. No method of the user's own classes is called (a `__len__` may print, or take an hour),
with one exception: a `__len__` that plainly does nothing but give a length that is there.
"""
import os
import sys
import weakref

from _forebay_hook.recorder import plain_text

_LOADERS_KEPT = 12
_MODULES_KEPT = 8
_AUTOCAST_LOOKS = 64  # module calls between two looks at autocast, after the first few


class Facts(object):
    def __init__(self, torch, state):
        self.torch = torch
        self.state = state
        self.at_start = {}
        self._optimizers = {}  # id -> (weak reference, number)
        self._loaders = {}  # id -> (weak reference, number, what it looks like)
        self._next_loader = 0
        self._loader_facts = []
        self._progress = {}  # loader number -> samples in the running epoch, None when not known
        self._modules = {}  # id -> weak reference
        self._parameters = {}  # id of a parameter -> (count, bytes, is trained)
        self._calls = 0
        self._seen_at_first_step = False
        self._precisions = []
        state.restore.append(self._forget)

    def _forget(self):
        self._optimizers.clear()
        self._loaders.clear()

    def write_first(self):
        state = self.state
        lasting = {"python": "%d.%d.%d" % sys.version_info[:3], "torch": str(self.torch.__version__)}
        if self.torch.version.cuda:
            lasting["cuda"] = str(self.torch.version.cuda)
        script = _script()
        if script:
            lasting["script"] = script
        lasting.update(self.at_start)
        state.facts_of_any_process = lasting
        state.learn(**lasting)

    # -- numbers for objects -------------------------------------------------------------------------------------
    @staticmethod
    def _number(known, thing):
        entry = known.get(id(thing))
        if entry is not None and entry[0]() is thing:
            return entry[1]
        number = known.get("next", 0)
        known["next"] = number + 1
        known[id(thing)] = (weakref.ref(thing), number)
        return number

    def optimizer_number(self, optimizer):
        return self._number(self._optimizers, optimizer)

    def loader_number(self, loader):
        """A loader made anew every epoch keeps the number of the one before it, once that one is gone."""
        entry = self._loaders.get(id(loader))
        if entry is not None and entry[0]() is loader:
            return entry[1]
        look = (type(loader.dataset), loader.batch_size, loader.num_workers)
        for old, number, old_look in list(self._loaders.values()):
            if old() is None and old_look == look:
                break
        else:
            number = self._next_loader
            self._next_loader += 1
        for key in [key for key, each in self._loaders.items() if each[1] == number]:
            del self._loaders[key]
        self._loaders[id(loader)] = (weakref.ref(loader), number, look)
        return number

    # -- modules -------------------------------------------------------------------------------------------------
    def module_ended(self, module):
        """After every outermost module call: cheap unless the module is new."""
        calls = self._calls = self._calls + 1
        if calls < 8 or calls % _AUTOCAST_LOOKS == 0:
            self._look_at_autocast()
        entry = self._modules.get(id(module))
        if entry is not None and entry() is module:
            return
        if len(self._modules) >= _MODULES_KEPT or not (module._parameters or module._modules):
            return
        if self.torch._C._get_tracing_state() is not None:  # in torch.jit.trace a size is a tensor of the trace
            return
        self._modules[id(module)] = weakref.ref(module)
        self._count(module)

    def _count(self, module):
        device = None
        waiting, visited = [module], set()
        while waiting:
            one = waiting.pop()
            if id(one) in visited:
                continue
            visited.add(id(one))
            waiting.extend(each for each in one._modules.values() if each is not None)
            for parameter in one._parameters.values():
                if parameter is None or self._is_lazy(parameter):
                    continue
                count = parameter.numel()
                self._parameters[id(parameter)] = (count, count * parameter.element_size(), parameter.requires_grad)
                device = device or str(parameter.device)
                self._precision(parameter.dtype)
        sizes = self._parameters.values()
        if sizes:
            self.state.learn(
                parameters=sum(each[0] for each in sizes), parameter_bytes=sum(each[1] for each in sizes),
                trainable_parameters=sum(each[0] for each in sizes if each[2]), device=device,
                precisions=list(self._precisions))
        if type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None:
            self.state.learn(compiled=True)

    def _is_lazy(self, parameter):
        ordinary = (self.torch.nn.Parameter, self.torch.Tensor)
        return type(parameter) not in ordinary  # uninitialised, quantised or sharded: their sizes are their own affair

    def _precision(self, dtype):
        name = str(dtype).rpartition(".")[2]
        if name not in self._precisions:
            self._precisions.append(name)

    def _look_at_autocast(self):
        torch = self.torch
        for device, old_question, old_dtype in (("cuda", "is_autocast_enabled", "get_autocast_gpu_dtype"),
                                                ("cpu", "is_autocast_cpu_enabled", "get_autocast_cpu_dtype")):
            if hasattr(torch, "get_autocast_dtype"):
                is_on = torch.is_autocast_enabled(device)
                dtype = torch.get_autocast_dtype(device) if is_on else None
            else:
                is_on = getattr(torch, old_question)()
                dtype = getattr(torch, old_dtype)() if is_on else None
            if is_on:
                self._precision(dtype)
                self.state.learn(autocast=True, precisions=list(self._precisions))

    # -- steps ---------------------------------------------------------------------------------------------------
    def step_ended(self, optimizer):
        if self._seen_at_first_step:
            return
        self._seen_at_first_step = True
        torch = self.torch
        found = {"optimizer": type(optimizer).__name__, "threads": torch.get_num_threads(),
                 "interop_threads": torch.get_num_interop_threads(), "autocast": self.state.facts.get("autocast", False)}
        counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None)
        is_compiled = bool(counters and dict(counters).get("stats", {}).get("unique_graphs"))
        found["compiled"] = is_compiled or self.state.facts.get("compiled", False)
        found.update(self._accelerator())
        found.update(self._distributed())
        self.state.learn(**found)

    def _accelerator(self):
        cuda = getattr(self.torch, "cuda", None)
        if cuda is None or not cuda.is_initialized():
            return {}
        return {"gpu": str(cuda.get_device_name())}

    def _distributed(self):
        distributed = getattr(self.torch, "distributed", None)
        if distributed is None or not distributed.is_available() or not distributed.is_initialized():
            return {}
        local = os.environ.get("LOCAL_RANK", "-1")
        self.state.ring.write_rank(distributed.get_rank(), int(local) if local.isdigit() else -1,
                                   distributed.get_world_size())
        return {"distributed_backend": str(distributed.get_backend())}

    # -- loaders -------------------------------------------------------------------------------------------------
    def epoch_began(self, loader, iterator):
        number = self.loader_number(loader)
        self._progress[number] = 0
        if number >= _LOADERS_KEPT or number < len(self._loader_facts):
            return
        dataset = loader.dataset
        known = {"id": number, "dataset": plain_text(type(dataset).__name__), "length": _length(self.torch, dataset),
                 "batch_size": _integer(loader.batch_size), "num_workers": loader.num_workers,
                 "pin_memory": bool(loader.pin_memory),
                 "persistent_workers": bool(getattr(loader, "persistent_workers", False)),
                 "prefetch_factor": _integer(getattr(loader, "prefetch_factor", None))}
        self._loader_facts.append({key: value for key, value in known.items() if value is not None})
        self._tell_loaders()

    def _tell_loaders(self):
        self.state.learn(dataloaders=[dict(each) for each in self._loader_facts])

    def batch_came(self, iterator, samples):
        number = iterator.__dict__.get("_forebay_loader")
        done = self._progress.get(number)
        if done is not None:
            self._progress[number] = done + samples if samples >= 0 else None

    def epoch_ended(self, iterator):
        """A whole epoch went by: its samples are the length, where the dataset did not say."""
        number = iterator.__dict__.get("_forebay_loader")
        samples = self._progress.get(number)
        if not samples or number >= len(self._loader_facts) or "length" in self._loader_facts[number]:
            return
        self._loader_facts[number]["length"] = samples
        self._tell_loaders()


def _script():
    main = sys.modules.get("__main__")
    name = getattr(main, "__file__", None) or (sys.argv[0] if getattr(sys, "argv", None) else None)
    return plain_text(os.path.abspath(name)) if name and name not in ("-c", "-m", "-") else None


def _integer(value):
    return value if type(value) is int else None


def _is_monitored():
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and any(monitoring.get_tool(number) is not None for number in range(6))


def _length(torch, dataset):
    """None unless it is had without running code that could do more than give it, or that somebody watches."""
    if sys.gettrace() is not None or sys.getprofile() is not None or _is_monitored():
        return None
    kind = type(dataset)
    if kind in (list, tuple, dict, range):
        return len(dataset)
    if kind is torch.utils.data.TensorDataset:
        return dataset.tensors[0].shape[0]
    code = getattr(getattr(kind, "__len__", None), "__code__", None)
    if code is None or len(code.co_code) > 80 or code.co_freevars:
        return None
    names = [name for name in code.co_names if name != "len"]
    if not names and "len" not in code.co_names:
        return _integer(len(dataset)) if code.co_stacksize <= 1 else None  # return 1000
    held = vars(dataset).get(names[0]) if len(names) == 1 and hasattr(dataset, "__dict__") else None
    plain = (list, tuple, dict, range, torch.Tensor, int)
    if type(held) not in plain and type(held).__module__ != "numpy":
        return None
    return len(dataset)
