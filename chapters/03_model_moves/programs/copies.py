"""programs/copies.cpp in PyTorch: how many copies the move of a model makes.

Twin of: ./course run 3 copies --device cpu
Compared: (first|second) model->to: ([0-9]+) copies, ([0-9]+) bytes
"""

import torch
from torch import nn

device = torch.device("cpu")
net = nn.Sequential(nn.Linear(256, 256), nn.BatchNorm1d(256), nn.Linear(256, 10))
for which in ("first", "second"):
    moving = [t for t in net.state_dict().values() if t.device.type != device.type]
    net.to(device)
    print(f"{which} model->to: {len(moving)} copies, {sum(t.numel() * t.element_size() for t in moving)} bytes")
