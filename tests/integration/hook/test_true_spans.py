"""What the hook records is true: counts are exact, times are at least what the script made them, parts fit in the whole."""
import math
import unittest

from hooked import PYTHON, Workplace, has_module
from reader import read_folder, self_times

HEAD = """
import os, sys, time
sys.path.insert(0, os.environ["PYTHONPATH_OF_SCRIPT"])
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset
import toy

class Slow(Dataset):
    def __init__(self, count=12, pause=0.02):
        self.count, self.pause = count, pause
    def __len__(self):
        return self.count
    def __getitem__(self, index):
        time.sleep(self.pause)
        return torch.full((8,), float(index)), torch.tensor(1.0)

def parts():
    network = toy.model()
    return network, torch.optim.SGD(network.parameters(), lr=0.01), torch.nn.MSELoss()

def step(network, optimizer, loss_of, values, wanted):
    optimizer.zero_grad()
    loss_of(network(values)[:, 0], wanted).backward()
    optimizer.step()
"""


@unittest.skipUnless(has_module("torch"), "this Python has no torch")
class TrueSpans(unittest.TestCase):
    def rings(self, text, code=0, **options):
        with Workplace() as place:
            done = place.run_text(HEAD + text, **options)
            self.assertEqual(done.code, code, done.error.decode())
            rings = read_folder(place.channel)
        self.assertTrue(rings, "no ring")
        for ring in rings:
            self.assertNotIn("not_covered", ring.facts)
        self.output = done.output.decode()
        return rings

    def test_waits_for_a_slow_dataset_are_seen_whole(self):
        ring, = self.rings("""
network, optimizer, loss_of = parts()
for values, wanted in DataLoader(Slow(), batch_size=4):
    step(network, optimizer, loss_of, values, wanted)
""")
        waits = ring.of("data_wait")
        self.assertEqual([wait.a for wait in waits], [4, 4, 4, 0])
        for wait in waits[:3]:
            self.assertGreaterEqual(wait.duration, 80e6)
        self.assertEqual([step.steps for step in ring.of("optimizer_step")], [0, 1, 2])
        self.assertEqual([wait.steps for wait in waits], [0, 1, 2, 3])
        self.assertEqual(ring.count("backward"), 3)
        self.assertEqual(ring.count("forward"), 6)  # the network and the loss
        self.assertEqual(ring.count("worker_fetch"), 0)
        self.assertEqual(ring.of("epoch_begin")[0].a, 0)
        self.assertTrue(ring.ended_in_order)

    def test_parts_add_up_to_the_wall_time(self):
        ring, = self.rings("""
network, optimizer, loss_of = parts()
class Sleeps(torch.nn.Module):
    def forward(self, values):
        time.sleep(0.03)
        return values
network = torch.nn.Sequential(Sleeps(), network)
batches = list(DataLoader(Slow(6, 0), batch_size=1))
begin = time.monotonic_ns()
for values, wanted in batches:
    step(network, optimizer, loss_of, values, wanted)
    time.sleep(0.01)
print(begin, time.monotonic_ns())
""")
        begin, end = [int(word) for word in self.output.split()]
        inside = [record for record in ring.records if begin <= record.start and record.start + record.duration <= end]
        total = sum(self_times(inside).values())
        wall = (end - begin) / 1e9
        self.assertGreaterEqual(self_times(inside)["forward"], 6 * 0.03)
        self.assertLessEqual(total, wall)
        self.assertLessEqual(total, wall - 6 * 0.01)
        self.assertGreaterEqual(total, 6 * 0.03)

    def test_workers_tell_their_own_time(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method=method):
                rings = self.rings("""
def main():
    network, optimizer, loss_of = parts()
    for epoch in range(2):
        for values, wanted in DataLoader(Slow(10), batch_size=3, num_workers=2, multiprocessing_context=%r):
            step(network, optimizer, loss_of, values, wanted)
if __name__ == "__main__":
    main()
""" % method)
                main = [ring for ring in rings if ring.count("optimizer_step")]
                self.assertEqual(len(main), 1)
                self.assertEqual([wait.a for wait in main[0].of("data_wait")], [3, 3, 3, 1, 0] * 2)
                self.assertEqual([begin.a for begin in main[0].of("epoch_begin")], [2, 2])
                self.assertEqual([begin.b for begin in main[0].of("epoch_begin")], [0, 0])  # the same loader made anew
                workers = [ring for ring in rings if ring.count("worker_fetch")]
                self.assertEqual(len(workers), 4)
                fetches = [fetch for ring in workers for fetch in ring.of("worker_fetch")]
                self.assertEqual(len(fetches), 8)
                self.assertEqual(sorted({fetch.a for fetch in fetches}), [0, 1])
                for fetch in fetches:
                    self.assertGreaterEqual(fetch.duration, 20e6)
                    self.assertLess(fetch.b, 1.0)
                self.assertEqual({ring.parent for ring in workers}, {main[0].pid})
                self.assertFalse(any(ring.count("optimizer_step") for ring in workers))

    def test_facts(self):
        ring, = self.rings("""
network, optimizer, loss_of = parts()
network[0].weight.requires_grad_(False)
optimizer = torch.optim.AdamW(network.parameters())
with torch.autocast("cpu", dtype=torch.bfloat16):
    for values, wanted in DataLoader(Slow(10, 0), batch_size=5):
        optimizer.zero_grad()
        loss_of(network(values)[:, 0].float(), wanted).backward()
        optimizer.step()
network.eval()
for values, wanted in DataLoader(toy.Points(9), batch_size=5, num_workers=1, pin_memory=False):
    loss_of(network(values)[:, 0], wanted)
torch.save(network, os.path.join(os.path.dirname(__file__), "model.pt"))
print(os.path.getsize(os.path.join(os.path.dirname(__file__), "model.pt")), torch.get_num_threads())
""")[:1]
        size, threads = [int(word) for word in self.output.split()]
        facts = ring.facts
        self.assertEqual(facts["optimizer"], "AdamW")
        self.assertEqual(facts["parameters"], 8 * 16 + 16 + 16 + 1)
        self.assertEqual(facts["trainable_parameters"], 16 + 16 + 1)
        self.assertEqual(facts["parameter_bytes"], 4 * facts["parameters"])
        self.assertEqual(sorted(facts["precisions"]), ["bfloat16", "float32"])
        self.assertEqual((facts["autocast"], facts["compiled"], facts["device"]), (True, False, "cpu"))
        self.assertEqual(facts["threads"], threads)
        self.assertTrue(facts["script"].endswith("script.py"))
        first, second = facts["dataloaders"]
        self.assertEqual((first["dataset"], first["length"], first["batch_size"], first["num_workers"]), ("Slow", 10, 5, 0))
        self.assertEqual((second["id"], second["length"], second["num_workers"]), (1, 9, 1))
        self.assertEqual([save.a for save in ring.of("checkpoint_save")], [size])
        self.assertEqual(ring.count("validation"), 4)  # the loss takes the mode of the network
        self.assertEqual(ring.count("forward"), 4)

    def test_dataset_whose_length_is_not_ours_to_ask(self):
        ring, = self.rings("""
class Counts(Slow):
    asked = 0
    def __len__(self):
        Counts.asked += 1
        print("asked")
        return [self.count][0]
class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.ones(11, 3))
for _ in DataLoader(Counts(4, 0), batch_size=2): pass
for _ in DataLoader(Stream(), batch_size=4): pass
""")
        self.assertEqual(self.output.count("asked"), 1)
        self.assertEqual([loader["length"] for loader in ring.facts["dataloaders"]], [4, 11])
        self.assertEqual([wait.a for wait in ring.of("data_wait")], [2, 2, 0, 4, 4, 3, 0])

    def test_batches_nobody_can_measure(self):
        ring, = self.rings("""
for _ in DataLoader(Slow(6, 0), batch_size=3, collate_fn=lambda samples: "text"): pass
for _ in DataLoader(Slow(2, 0), batch_size=None): pass
for number, _ in enumerate(DataLoader(Slow(9, 0), batch_size=3)):
    break
""")
        self.assertEqual([wait.a for wait in ring.of("data_wait")], [3, 3, 0, -1, -1, 0, 3])

    def test_persistent_workers_left_early(self):
        rings = self.rings("""
loader = DataLoader(Slow(10, 0), batch_size=4, num_workers=2, persistent_workers=True)
for epoch in range(3):
    for number, _ in enumerate(loader):
        if epoch == 1: break
""")
        self.assertEqual([wait.a for wait in rings[0].of("data_wait")], [4, 4, 2, 0, 4, 4, 4, 2, 0])

    def test_closures_nested_and_alternating_optimisers(self):
        ring, = self.rings("""
network, _, loss_of = parts()
values, wanted = next(iter(DataLoader(Slow(4, 0), batch_size=4)))
optimizer = torch.optim.LBFGS(network.parameters(), max_iter=3)
calls = []
def closure():
    calls.append(1)
    optimizer.zero_grad()
    loss = loss_of(network(values)[:, 0], wanted)
    loss.backward()
    return loss
optimizer.step(closure)
first, second = torch.optim.Adam(network.parameters()), torch.optim.SGD(network.parameters(), lr=0.1)
for _ in range(4):
    loss_of(network(values)[:, 0], wanted).backward()
    first.step()
    second.step()
class Fails(torch.optim.SGD):
    def step(self, closure=None):
        super().step()
        raise RuntimeError
try:
    Fails(network.parameters(), lr=0.1).step()
except RuntimeError:
    pass
optimizer.step(closure)
print(len(calls))
""")
        steps = ring.of("optimizer_step")
        self.assertEqual([step.a for step in steps], [0] + [1, 2] * 4 + [3, 0])
        self.assertEqual(ring.count("backward"), int(self.output) + 4)
        # LBFGS once, four times the two in turn; the first of those cannot be told from a third optimiser of the same step.
        self.assertEqual(steps[-1].steps - steps[0].steps, 4)
        inner = [b for b in ring.of("backward") if steps[0].start < b.start < steps[0].start + steps[0].duration]
        self.assertGreaterEqual(len(inner), 1)

    def test_recomputed_activations_belong_to_the_backward_pass(self):
        ring, = self.rings("""
from torch.utils.checkpoint import checkpoint
network, _, _ = parts()
class Saves(torch.nn.Module):
    def forward(self, values):
        return checkpoint(network, values, use_reentrant=False)
Saves()(torch.ones(2, 8)).sum().backward()
""")
        self.assertEqual((ring.count("forward"), ring.count("backward")), (1, 1))

    def test_exceptions_close_their_spans(self):
        ring, = self.rings("""
class Fails(torch.nn.Module):
    def forward(self, values):
        raise ValueError("no")
for _ in range(3):
    try: Fails()(1)
    except ValueError: pass
    try: torch.zeros(1).backward()
    except RuntimeError: pass
    try: torch.save(lambda: 0, "x.pt")
    except Exception: pass
parts()[0](torch.ones(2, 8)).sum().backward()
raise LookupError
""", code=1)
        self.assertEqual((ring.count("forward"), ring.count("backward"), ring.count("checkpoint_save")), (4, 4, 3))
        self.assertEqual(ring.facts["exception"], "LookupError")
        self.assertNotIn("out_of_memory", ring.facts)

    def test_out_of_memory_inside_and_outside_a_span(self):
        for text in ("class Big(torch.nn.Module):\n    def forward(self, x):\n        return torch.empty(2**50)\n"
                     "torch.nn.Sequential(Big())(1)", "torch.empty(2**50)"):
            with self.subTest(text=text):
                ring, = self.rings(text, code=1)
                self.assertEqual([mark.a for mark in ring.of("out_of_memory")], [2**52])
                self.assertEqual(ring.facts["out_of_memory"]["requested_bytes"], 2**52)
                self.assertEqual(ring.facts["exception"], "RuntimeError")

    def test_messages_of_the_cuda_allocator(self):
        ring, = self.rings("""
class Full(torch.nn.Module):
    def forward(self, values):
        raise torch.OutOfMemoryError(values)
try:
    Full()("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.12 GiB is "
           "free. Process 7 has 22.00 GiB memory in use. Of the allocated memory 20.00 GiB is allocated by PyTorch, and "
           "512.00 MiB is reserved by PyTorch but unallocated.")
except torch.OutOfMemoryError:
    pass
""")
        found = ring.facts["out_of_memory"]
        self.assertEqual(found["requested_bytes"], 2 * 2**30)
        self.assertEqual(found["allocated_bytes"], 20 * 2**30)
        self.assertEqual(found["reserved_bytes"], 20 * 2**30 + 2**29)
        self.assertEqual([mark.a for mark in ring.of("out_of_memory")], [2**31])

    def test_other_threads_are_marked(self):
        ring, = self.rings("""
import threading
network, optimizer, loss_of = parts()
batch = next(iter(DataLoader(Slow(4, 0), batch_size=4)))
threads = [threading.Thread(target=lambda: [network(batch[0]) for _ in range(500)]) for _ in range(4)]
for thread in threads: thread.start()
for _ in range(200): network(batch[0])
for thread in threads: thread.join()
""")
        forwards = ring.of("forward")
        self.assertEqual(len(forwards), 2200)
        self.assertEqual(sum(record.flags & 1 for record in forwards), 2000)
        self.assertEqual(len({record.thread for record in forwards}), 5)

    def test_a_ring_that_has_gone_round(self):
        ring, = self.rings("""
network, _, _ = parts()
values = torch.ones(1, 8)
for _ in range(20000): network(values)
""")
        self.assertEqual(ring.head, 20000)
        self.assertEqual(len(ring.records), 16384)

    def test_forked_and_executed_processes_have_rings_of_their_own(self):
        rings = self.rings("""
network, optimizer, loss_of = parts()
def go(count):
    for _ in range(count):
        step(network, optimizer, loss_of, torch.ones(2, 8), torch.ones(2))
go(3)
if os.fork() == 0:
    go(5)
    os._exit(0)
os.wait()
if os.fork() == 0:
    os._exit(0)
os.wait()
go(1)
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, "again"])
""")
        found = sorted((len(ring.of("optimizer_step")), ring.ended_in_order) for ring in rings)
        self.assertEqual(found, [(4, False), (4, True), (5, False), (5, False)])
        self.assertEqual(len({ring.pid for ring in rings}), 3)

    def test_collectives_of_a_process_group(self):
        ring, = self.rings("""
import torch.distributed as dist
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29617", RANK="0", WORLD_SIZE="1")
dist.init_process_group("gloo")
dist.all_reduce(torch.ones(1000))
dist.barrier()
handle = dist.all_gather([torch.ones(10)], torch.ones(10), async_op=True)
handle.wait()
network, optimizer, loss_of = parts()
step(torch.nn.parallel.DistributedDataParallel(network), optimizer, loss_of, torch.ones(2, 8), torch.ones(2))
""")
        self.assertEqual([one.a for one in ring.of("collective")][:3], [4000, -1, 40])
        self.assertEqual(ring.facts["distributed_backend"], "gloo")
        self.assertEqual((ring.rank, ring.world_size), (0, 1))

    def test_compiled_model(self):
        ring, = self.rings("""
network, optimizer, loss_of = parts()
network = torch.compile(network, backend="eager")
for _ in range(3):
    step(network, optimizer, loss_of, torch.ones(2, 8), torch.ones(2))
""")
        self.assertEqual((ring.count("forward"), ring.count("backward"), ring.count("optimizer_step")), (6, 3, 3))
        self.assertIs(ring.facts["compiled"], True)

    def test_waits_for_an_accelerator(self):
        """No accelerator here: the meta device stands in, whose calls end by an exception."""
        ring, = self.rings("""
import traceback
thing = torch.ones(2, device="meta")
for call in (lambda: thing[0].item(), thing.cpu, thing.tolist, lambda: bool(thing[0]), lambda: float(thing[0])):
    try: call()
    except Exception: traceback.print_exc(file=sys.stdout)
thing = torch.ones(2)
print(thing[0].item(), thing.cpu().numpy().tolist(), bool(thing[0]), float(thing[0]), int(thing[0]))
@torch.compile(backend="eager")
def compiled(values): return values + values.sum().item()
print(compiled(thing).tolist())
""", more={"FOREBAY_HOOK_TENSORS": "always"})
        self.assertEqual([wait.a for wait in ring.of("host_sync")], [1, 2, 4, 6, 6])
        self.assertNotIn("forebay_hook", self.output)
        self.assertIn("1.0 [1.0, 1.0] True 1.0 1\n[3.0, 3.0]", self.output)

    def test_unknown_values_are_not_zero(self):
        ring, = self.rings("parts()[0](torch.ones(2, 8))\n")
        self.assertEqual(ring.records[0].a, -1)
        self.assertTrue(math.isnan(ring.records[0].b))


if __name__ == "__main__":
    unittest.main()
