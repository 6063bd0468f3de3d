"""train.py WORKERS [fork|spawn|forkserver] [persistent]: training, validation, scheduler, checkpoint."""
import sys

import torch
from torch.utils.data import DataLoader

import toy


def start_worker(number):
    torch.randn(number + 1)


def main():
    workers = int(sys.argv[1])
    more = {}
    if workers:
        more = {"multiprocessing_context": sys.argv[2], "persistent_workers": "persistent" in sys.argv,
                "worker_init_fn": start_worker}
    torch.manual_seed(5)
    loader = DataLoader(toy.Points(), batch_size=7, shuffle=True, num_workers=workers, **more)
    check = DataLoader(toy.Points(20), batch_size=9)
    network = toy.model()
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    toy.train(network, optimizer, loader, 3, scheduler)
    network.eval()
    with torch.no_grad():
        print([torch.nn.functional.mse_loss(network(x)[:, 0], y).item() for x, y in check])
    torch.save({"model": network.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
    print(len(loader), type(iter(check)).__name__, next(iter(loader))[0].sum().item())


if __name__ == "__main__":
    main()
