"""Chapter 08 in PyTorch: copies from pinned memory run while the host continues.

Twin of: ./course run 8
Compared by: programs/losses.py

Pinned memory needs a GPU; without one, this program copies nothing.
"""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)


def synchronize():
    if device.type == "cuda":
        torch.cuda.synchronize()


# 64 MiB, once in each kind of memory of the host.
pageable = torch.ones(16, 1024, 1024)
for x in (pageable, pageable.pin_memory() if device.type == "cuda" else pageable):
    synchronize()
    start = time.perf_counter()
    copy = x.to(device, non_blocking=True)
    returned = 1e3 * (time.perf_counter() - start)
    synchronize()
    print("pinned:  " if x.is_pinned() else "pageable:", f"the call returned after {returned:.3g} ms,",
          f"the copy was done after {1e3 * (time.perf_counter() - start):.3g} ms")

# So a loop takes its batches from pinned memory, and no step waits for a copy.
dataset = TensorDataset(torch.randn(2048, 512), torch.randint(0, 10, (2048,)))
loader = DataLoader(dataset, batch_size=256, shuffle=True, pin_memory=device.type == "cuda")
model = nn.Sequential(nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, labels in loader:
    pinned = inputs.is_pinned()
    inputs, labels = inputs.to(device, non_blocking=True), labels.to(device, non_blocking=True)
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)
    loss.backward()
    optimizer.step()
    print(f"{len(inputs)} samples, from pinned memory: {pinned}, Loss: {loss.item():.6g}")
