"""What the training scripts share: a data set, a model, and a printed loop."""
import torch
from torch.utils.data import Dataset


class Points(Dataset):
    def __init__(self, count=48, width=8):
        generator = torch.Generator().manual_seed(1)
        self.values = torch.randn(count, width, generator=generator)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index], self.values[index].sum()


def model(width=8):
    torch.manual_seed(2)
    return torch.nn.Sequential(torch.nn.Linear(width, 16), torch.nn.Tanh(), torch.nn.Dropout(0.1),
                               torch.nn.Linear(16, 1))


def train(network, optimizer, loader, epochs=2, scheduler=None):
    loss_of = torch.nn.MSELoss()
    for epoch in range(epochs):
        for values, wanted in loader:
            optimizer.zero_grad()
            loss = loss_of(network(values)[:, 0], wanted)
            loss.backward()
            optimizer.step()
            print(epoch, loss.item())
        if scheduler is not None:
            scheduler.step()
            print(scheduler.get_last_lr())
