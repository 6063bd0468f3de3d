import importlib

import torch

torch.run()
importlib.reload(torch).run()
