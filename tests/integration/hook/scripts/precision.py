"""bf16 autocast, a gradient scaler, accumulation, clipping."""
import torch
from torch.utils.data import DataLoader

import toy

network = toy.model()
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for number, (values, wanted) in enumerate(DataLoader(toy.Points(), batch_size=4)):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        made = network(values)
    loss = torch.nn.functional.mse_loss(made.float()[:, 0], wanted)
    scaler.scale(loss).backward()
    if number % 3 == 2:
        scaler.unscale_(optimizer)
        print(torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0).item(), made.dtype, scaler.get_scale())
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    print(loss.item())
