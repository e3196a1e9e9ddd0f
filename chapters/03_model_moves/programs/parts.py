"""programs/parts.cpp in PyTorch: what must move with a model.

Twin of: ./course run 3 parts --device cpu
Compared: ^    ([a-z0-9._]+)  .([0-9, ]*). ([a-z0-9]+)
Compared: one tensor before: (true), after: (true)
Compared: a step on cpu: bias is on cpu, (.+)
"""

import torch
from torch import nn

device = torch.device("cpu")

print("1. Parameters and buffers")
net = nn.Sequential(nn.Linear(10, 5), nn.BatchNorm1d(5)).to(device)
for name, tensor in net.state_dict().items():
    print(f"    {name}  {list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} {tensor.device}")

print("\n2. Tied weights")
tied = nn.Sequential(nn.Embedding(4, 3), nn.Linear(3, 4, bias=False))
tied[1].weight = tied[0].weight
before = str(tied[0].weight is tied[1].weight).lower()
tied.to(device)
print(f"  one tensor before: {before}, after: {str(tied[0].weight is tied[1].weight).lower()}")

print("\n3. An optimizer made before the move")
model = nn.Linear(10, 1)
nn.init.constant_(model.weight, 0.1)
nn.init.constant_(model.bias, 0.2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.ones(4, 10)
#PyTorch never moves momentum that exists : with a GPU as `device`, the second step fails.
for target in (torch.device("cpu"), device):
    model.to(target)
    optimizer.zero_grad()
    model(x.to(target)).sum().backward()
    optimizer.step()
    print(f"  a step on {target}: bias is on {model.bias.device}, {model.bias.item():.6g}")
