import sys

import torch

print(torch.tensor([float(line) for line in sys.stdin]).sum().item())
