"""Chapter 03 in PyTorch: what model.to(device) moves, and training that continues from a checkpoint.

Twin of: ./course run 3 --device cpu
Compared: ^    ([a-z0-9._]+)  .([0-9, ]*). ([a-z0-9]+)
Compared: one tensor before: (true), after: (true)
Compared: a step on cpu: bias is on cpu, (.+)
Compared: (first|second) model->to: ([0-9]+) copies, ([0-9]+) bytes
Compared: step ([1-6]) on cpu: loss (.+)

It runs on the CPU, so that every machine can run it; change `device` to "cuda" where there is a GPU.
"""

import copy

import torch
from torch import nn

device = torch.device("cpu")


class SimpleModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 1)

    def forward(self, x):
        return self.fc(x)


def fixed_model():
    # The weights of fixed_model() in main.cpp.
    model = SimpleModel()
    nn.init.constant_(model.fc.weight, 0.1)
    nn.init.constant_(model.fc.bias, 0.2)
    return model


print("1. A model moves")
model = SimpleModel()
print("  made:", next(model.parameters()).device)
model = model.to(device)  # the assignment does nothing: a module's `to` returns the module itself
print("  after model.to:", next(model.parameters()).device)
print(" ", model(torch.randn(10).to(device)))

print("\n3. Parameters and buffers")
net = nn.Sequential(nn.Linear(10, 5), nn.BatchNorm1d(5)).to(device)
for name, tensor in net.state_dict().items():
    print(f"    {name}  {list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} {tensor.device}")

print("\n4. Tied weights")
tied = nn.Sequential(nn.Embedding(4, 3), nn.Linear(3, 4, bias=False))
tied[1].weight = tied[0].weight
before = str(tied[0].weight is tied[1].weight).lower()
tied.to(device)
print(f"  one tensor before: {before}, after: {str(tied[0].weight is tied[1].weight).lower()}")

print("\n5. An optimizer made before the move")
model = fixed_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.ones(4, 10)
for target in (torch.device("cpu"), device):
    model.to(target)
    optimizer.zero_grad()
    model(x.to(target)).sum().backward()
    optimizer.step()
    print(f"  a step on {target}: bias is on {model.fc.bias.device}, {model.fc.bias.item():.6g}")

print("\n6. One copy per tensor")
net = nn.Sequential(nn.Linear(256, 256), nn.BatchNorm1d(256), nn.Linear(256, 10))
for which in ("first", "second"):
    moving = [t for t in net.state_dict().values() if t.device.type != device.type]
    net.to(device)
    print(f"  {which} model->to: {len(moving)} copies, {sum(t.numel() * t.element_size() for t in moving)} bytes")

print("\n7. A checkpoint continues on another device")


def train_a_step(model, optimizer):
    x = torch.arange(40.0, device=model.fc.weight.device).reshape(4, 10) / 40
    optimizer.zero_grad()
    loss = (model(x) - 1).square().mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def new_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


model, other = fixed_model(), SimpleModel()
optimizer = new_optimizer(model)
for step in (1, 2, 3):
    print(f"  step {step} on cpu: loss {train_a_step(model, optimizer):.6g}")
checkpoint = {"model": copy.deepcopy(model.state_dict()), "optimizer": copy.deepcopy(optimizer.state_dict())}
other.load_state_dict(checkpoint["model"])
other.to(device)
optimizer = new_optimizer(other)  # made after the move; load_state_dict moves the momentum
optimizer.load_state_dict(checkpoint["optimizer"])
for step in (4, 5, 6):
    print(f"  step {step} on {device}: loss {train_a_step(other, optimizer):.6g}")
