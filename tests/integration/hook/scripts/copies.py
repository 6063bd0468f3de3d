"""deepcopy and pickle of everything a training holds."""
import copy
import io
import pickle

import torch
from torch.utils.data import DataLoader

import toy

network = toy.model()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
loader = DataLoader(toy.Points(), batch_size=16)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
toy.train(network, optimizer, loader, 1, scheduler)
for thing in (network, optimizer, loader):
    data = pickle.dumps(thing, 4)
    print(type(thing).__name__, len(data), len(pickle.dumps(pickle.loads(data), 4)), sorted(vars(thing)))
    copy.deepcopy(thing)
twin_optimizer, twin = copy.deepcopy((optimizer, network))
toy.train(twin, twin_optimizer, pickle.loads(pickle.dumps(loader)), 1)
toy.train(network, optimizer, loader, 1)
held = io.BytesIO()
torch.save({"network": network, "optimizer": optimizer, "scheduler": scheduler.state_dict()}, held)
with open("whole.pt", "wb") as file:
    file.write(held.getvalue())
again = torch.load(io.BytesIO(held.getvalue()), weights_only=False)
print(again["network"](toy.Points().values).sum().item(), again["optimizer"])
