"""Chapter 07 in PyTorch: a training loop with autocast and a gradient scaler.

Twin of: ./course run 7
Compared by: programs/loop.py

It needs PyTorch 2.3 or later, where GradScaler works on the CPU, too. Its random numbers are not td's.
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)

# Random samples. The class is the index of the largest of ten weighted sums of the inputs.
samples = torch.randn(2048, 32)
classes = (samples @ torch.randn(32, 10)).argmax(1)
loader = DataLoader(TensorDataset(samples, classes), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
scaler = torch.amp.GradScaler(device.type)

for epoch in range(1, 6):
    for inputs, labels in loader:
        inputs, labels = inputs.to(device), labels.to(device)
        optimizer.zero_grad()
        with torch.autocast(device.type):
            outputs = model(inputs)
            loss = criterion(outputs, labels)
        scaler.scale(loss).backward()  # outside of the guard
        scaler.step(optimizer)  # divides the gradients by the scale; skips the step if one overflowed
        scaler.update()
    print(f"Epoch {epoch}, Loss: {loss.item():.6g}, outputs {outputs.dtype}, loss {loss.dtype}, "
          f"weights {next(model.parameters()).dtype}, scale {scaler.get_scale():g}")
