"""Chapter 10 in PyTorch, on the CPU: the training that main.cpp writes as one program.

Twin of: ./course run 10
Compared: Epoch ([0-9]), Loss: ([0-9.]+)
Compared: first weight (-?[0-9.]+)

With torch_xla, device is torch_xla.device(), and each step ends with torch_xla.sync(), which compiles and runs it.
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cpu")

data = torch.arange(1000.0).sin().reshape(100, 10)
dataset = TensorDataset(data, (data[:, 0] > 0).long())
loader = DataLoader(dataset, batch_size=32, drop_last=True)  # 4 rows would need another program

model = nn.Linear(10, 5, bias=False).to(device)
nn.init.zeros_(model.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(1, 4):
    for inputs, labels in loader:
        inputs, labels = inputs.to(device), labels.to(device)
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = nn.CrossEntropyLoss()(outputs, labels)
        loss.backward()
        optimizer.step()
    print(f"Epoch {epoch}, Loss: {loss.item():.6g}")  # waits for the device
print(f"first weight {model.weight[0][0].item():.6g}")
