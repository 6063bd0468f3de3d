"""Two ranks over gloo: DDP, a sampler, collectives."""
import os

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import toy

dist.init_process_group("gloo")
rank = dist.get_rank()
network = torch.nn.parallel.DistributedDataParallel(toy.model())
optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
sampler = DistributedSampler(toy.Points())
for epoch in range(2):
    sampler.set_epoch(epoch)
    for values, wanted in DataLoader(toy.Points(), batch_size=6, sampler=sampler):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(network(values)[:, 0], wanted).backward()
        optimizer.step()
total = torch.tensor([float(rank + 1)])
dist.all_reduce(total)
gathered = [None, None]
dist.all_gather_object(gathered, {"rank": rank, "sum": sum(p.sum().item() for p in network.parameters())})
dist.barrier()
with open("rank%d.txt" % rank, "w") as file:
    print(total.item(), gathered, os.environ["WORLD_SIZE"], file=file)
if rank == 0:
    torch.save(network.module.state_dict(), "ddp.pt")
dist.destroy_process_group()
