"""Chapter 02 in PyTorch: a tensor goes to a device, its results stay there, and it comes back.

Twin of: ./course run 2 --device cpu
Compared: ^(created on the cpu|back with x.cpu..|created on the device|x|y = x.pow.2.|y . td::tensor.2.|y . x.cpu..)  +(tensor.*?\])
Compared: ^y.sum...item.. +([0-9]+)

It runs on the CPU; with a GPU, every tensor after x.to(device) shows device='cuda:0'.
"""

import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print("device:", device)

x = torch.tensor([1.0, 2.0, 3.0])
print("created on the cpu    ", x)
x = x.to(device)
print("after x.to(device)    ", x)
print("x.device              ", x.device)
print("back with x.cpu()     ", x.cpu())
print("created on the device ", torch.tensor([1, 2, 3], device=device))

x = torch.tensor([1, 2, 3], device=device)  # integers: int64
y = x.pow(2)  # computed on the device, and stored there
print("x                     ", x)
print("y = x.pow(2)          ", y)
print("(y > 3)               ", y > 3)
print("y * td::tensor(2)     ", y * torch.tensor(2))
print("y.sum().item()        ", y.sum().item())

try:
    print("y + x.cpu()           ", y + x.cpu())
except RuntimeError as error:
    print(error)
