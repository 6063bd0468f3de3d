import torch


class Model(torch.nn.Module):
    def forward(self, values):
        return values + 1


print(Model()(torch.ones(2)))
