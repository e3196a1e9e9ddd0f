"""Chapter 05 in PyTorch: one line gives a model all GPUs, and the training loop stays the same.

Twin of: ./course run 5
Compared by: programs/parts.py

Without two GPUs it trains on one device, as the program does with --device cpu.
"""

import torch
from torch import nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)

model = nn.Linear(10, 1)
if torch.cuda.device_count() > 1:
    print("Using", torch.cuda.device_count(), "GPUs!")
    model = nn.DataParallel(model)
model.to(device)
print(model)

criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
inputs = torch.randn(30, 10).to(device)
targets = inputs.sum(1, keepdim=True)
for epoch in range(1, 6):
    optimizer.zero_grad()
    outputs = model(inputs)  # each GPU computes a part of the rows
    loss = criterion(outputs, targets)
    loss.backward()  # each GPU computes its part of the gradients; GPU 0 adds them
    optimizer.step()
    print(f"Epoch {epoch}, {len(outputs)} outputs on {outputs.device}, Loss: {loss.item():.6g}")
