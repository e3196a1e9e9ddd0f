"""Chapter 03 in PyTorch: a model moves to a device, and its input must be there, too.

Twin of: ./course run 3 --device cpu
Compared: created on (.+)
Compared: moved to (.+)

It runs on the CPU, so that every machine can run it; change `device` to "cuda" where there is a GPU.
"""

import torch
from torch import nn

device = torch.device("cpu")


class SimpleModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x)


net = SimpleModel()
print("created on", next(net.parameters()).device)
net.to(device)  # net = net.to(device) does the same: a module's `to` returns the module itself
print("moved to", next(net.parameters()).device)

x = torch.rand(2, 3)  # on the CPU
try:
    net(x)
    print("This device is the cpu, so the input is there already.")
except RuntimeError as error:
    print(error)
y = net(x.to(device))  # a tensor's `to` returns another tensor
print(y)
