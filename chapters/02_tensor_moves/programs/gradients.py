"""programs/gradients.cpp in PyTorch: gradients flow back through a move.

Twin of: ./course run 2 gradients --device cpu
Compared: w.is_leaf.. (true|false), w.to.device..is_leaf.. (true|false)
Compared: ^(w.grad..|its grad..|leaf_on.w, device.) +(.*)
"""

import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

w = torch.tensor([1.0, 2.0], requires_grad=True)
moved = w.to(device)
(moved * 3).sum().backward()
print(f"w.is_leaf() {str(w.is_leaf).lower()}, w.to(device).is_leaf() {str(moved.is_leaf).lower()}")
print("w.grad()              ", w.grad)
leaf = w.detach().to(device, copy=True).requires_grad_()
(leaf * 3).sum().backward()
print("leaf_on(w, device)    ", leaf)
print("its grad()            ", leaf.grad)
