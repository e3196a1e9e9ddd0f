"""programs/checkpoint.cpp in PyTorch: training continues from a checkpoint.

Twin of: ./course run 3 checkpoint --device cpu
Compared: step ([1-6]) on cpu: loss (.+)
"""

import copy

import torch
from torch import nn

device = torch.device("cpu")


def train_a_step(model, optimizer):
    x = torch.arange(40.0, device=model.weight.device).reshape(4, 10) / 40
    optimizer.zero_grad()
    loss = (model(x) - 1).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def new_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


model, other = nn.Linear(10, 1), nn.Linear(10, 1)
nn.init.constant_(model.weight, 0.1)
nn.init.constant_(model.bias, 0.2)
optimizer = new_optimizer(model)
for step in (1, 2, 3):
    print(f"step {step} on cpu: loss {train_a_step(model, optimizer):.6g}")
checkpoint = {"model": copy.deepcopy(model.state_dict()), "optimizer": copy.deepcopy(optimizer.state_dict())}
other.load_state_dict(checkpoint["model"])
other.to(device)
optimizer = new_optimizer(other)  # made after the move; load_state_dict moves the momentum
optimizer.load_state_dict(checkpoint["optimizer"])
for step in (4, 5, 6):
    print(f"step {step} on {device}: loss {train_a_step(other, optimizer):.6g}")
