"""Chapter 09 in PyTorch: the CPU prepares the batches for a device, and a model is split over both.

Twin of: ./course run 9
Compared by: programs/split.py
"""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)


def preprocess_data(data):
    """Stands for work on the CPU, such as decoding and cropping images."""
    return data * 2


examples = torch.randn(128, 10)
classes = examples.sum(1).gt(0).long()  # is the sum positive?
dataset = TensorDataset(examples, classes)
dataloader = DataLoader(dataset, batch_size=32, shuffle=True)
criterion = nn.CrossEntropyLoss()

print(f"The CPU prepares, and {device} computes:")
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for data, target in dataloader:
    processed = preprocess_data(data)  # on the CPU
    inputs, labels = processed.to(device), target.to(device)
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)  # on the device
    loss.backward()
    optimizer.step()
    print(f"prepared on {processed.device}, trained on {inputs.device}, Loss: {loss.item():.6g}")

print(f"A model whose first part is on the CPU and whose second part is on {device}:")
first, second = nn.Sequential(nn.Linear(10, 64), nn.ReLU()), nn.Linear(64, 2).to(device)
split_optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.5)
for data, target in dataloader:
    split_optimizer.zero_grad()
    hidden = first(preprocess_data(data))  # on the CPU
    outputs = second(hidden.to(device))    # on the device
    loss = criterion(outputs, target.to(device))
    loss.backward()  # the gradient of `hidden` is copied back to the CPU
    split_optimizer.step()
    print(f"hidden on {hidden.device}, outputs on {outputs.device}, Loss: {loss.item():.6g}")
