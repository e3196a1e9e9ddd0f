"""programs/copies.cpp in PyTorch: what a move returns, and what becomes of the strides.

Twin of: ./course run 2 copies --device cpu
Compared: ^  x.to.device..is_same.x. +(true|false)
Compared: ^  x.to.device, copy = true..is_same.x. (true|false)
Compared: strides after to.device.  \[([0-9]), ([0-9])\], before \[([0-9]), ([0-9])\]
"""

import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

x = torch.ones(3, 4, device=device)
print("  x.to(device).is_same(x)             ", str(x.to(device) is x).lower())
print("  x.to(device, copy = true).is_same(x)", str(x.to(device, copy=True) is x).lower())

m = torch.arange(6, dtype=torch.float32).view(2, 3)
t = m.t().to(device)
print(t)
print(f"  strides after to(device)  {list(t.stride())}, before {list(m.t().stride())}")
