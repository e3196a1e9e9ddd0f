"""Chapter 02 in PyTorch: moves, results that stay on the device, views, and gradients through a move.

Twin of: ./course run 2 --device cpu
Compared: ^  (created on the cpu|back with x.cpu..|created on the device|x|x.pow.2.|y . 10|y . td::tensor.2.)  +(tensor.*?\])
Compared: ^  y.sum...item.. +([0-9]+)
Compared: ^  x.to.device..is_same.x. +(true|false)
Compared: ^  x.to.device, copy = true..is_same.x. (true|false)
Compared: strides after to.device.  \[([0-9]), ([0-9])\], before \[([0-9]), ([0-9])\]
Compared: w.is_leaf.. (true|false), w.to.device..is_leaf.. (true|false)
Compared: ^  (w.grad..|its grad..|leaf_on.w, device.) +(.*)

It runs on the CPU; with a GPU, every tensor after x.to(device) shows device='cuda:0'.
"""

import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print("device:", device)

print("\n1. Move")
x = torch.tensor([1.0, 2.0, 3.0])
print("  created on the cpu    ", x)
x = x.to(device)
print("  after x.to(device)    ", x)
print("  x.device              ", x.device)
print("  back with x.cpu()     ", x.cpu())
print("  created on the device ", torch.tensor([1, 2, 3], device=device))

print("\n2. Results stay on the device")
x = torch.tensor([1, 2, 3], device=device)  # integers: int64
y = x.pow(2)
print("  x                     ", x)
print("  x.pow(2)              ", y)
print("  y + 10                ", y + 10)
print("  (y > 3)               ", y > 3)
print(f"  y.sum().item()         {y.sum().item()}, a number of the host")

print("\n3. What must not be mixed")
if device.type == "cuda":
    try:
        y + x.cpu()
    except RuntimeError as error:
        print("  y + x.cpu()\n   ", error)
y = torch.tensor([1, 2, 3]).to(device)
print("  y * td::tensor(2)     ", y * torch.tensor(2))

print("\n4. What a move copies")
x = torch.ones(3, 4, device=device)
print("  x.to(device).is_same(x)             ", str(x.to(device) is x).lower())
print("  x.to(device, copy = true).is_same(x)", str(x.to(device, copy=True) is x).lower())

print("\n5. A transposed view")
m = torch.arange(6, dtype=torch.float32).view(2, 3)
t = m.t().to(device)
print(t)
print(f"  strides after to(device)  {list(t.stride())}, before {list(m.t().stride())}")

print("\n6. Gradients through a move")
w = torch.tensor([1.0, 2.0], requires_grad=True)
moved = w.to(device)
(moved * 3).sum().backward()
print(f"  w.is_leaf() {str(w.is_leaf).lower()}, w.to(device).is_leaf() {str(moved.is_leaf).lower()}")
print("  w.grad()              ", w.grad)
leaf = w.detach().to(device, copy=True).requires_grad_()
(leaf * 3).sum().backward()
print("  leaf_on(w, device)    ", leaf)
print("  its grad()            ", leaf.grad)

if torch.cuda.device_count() > 1:
    print("\n7. From device to device")
    print("  sent                  ", torch.tensor([1.0, 2.0, 3.0], device="cuda:0").to("cuda:1"))
