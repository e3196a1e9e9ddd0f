"""Chapter 04 in PyTorch: a network for small color images learns on one device.

Twin of: ./course run 4
Compared by: programs/fixed.py

Its random numbers are not td's, so the losses differ a little. It reads the images that ./course run 4 has drawn.
"""

import pathlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)
folder = pathlib.Path(__file__).resolve().parents[2] / "data/shapes10"


def batches(pattern, shuffle):
    files = sorted(folder.glob(pattern))  # CIFAR-10's format: a byte for the label, 3072 for the image
    records = torch.frombuffer(bytearray(b"".join(f.read_bytes() for f in files)), dtype=torch.uint8).reshape(-1, 3073)
    images = (records[:, 1:].reshape(-1, 3, 32, 32) / 255 - 0.5) / 0.25
    dataset = TensorDataset(images, records[:, 0].long())
    return DataLoader(dataset, batch_size=64, shuffle=shuffle, pin_memory=device.type == "cuda")


train_batches, test_batches = batches("data_batch_*.bin", True), batches("test_batch.bin", False)

model = nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(2),
                      nn.Conv2d(32, 32, 5, padding=2), nn.MaxPool2d(2),
                      nn.Conv2d(32, 64, 5, padding=2), nn.MaxPool2d(2),
                      nn.Flatten(), nn.Linear(1024, 64), nn.Linear(64, 10))
loss_fn = nn.CrossEntropyLoss()
model.to(device)
loss_fn.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

for epoch in range(1, 6):
    model.train()
    total = torch.zeros((), device=device)  # on the device, so that no step waits for it
    for images, targets in train_batches:
        images = images.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        optimizer.zero_grad()
        loss = loss_fn(model(images), targets)
        loss.backward()
        optimizer.step()
        total += loss.detach()

    model.eval()
    with torch.no_grad():
        right = torch.zeros((), dtype=torch.int64, device=device)
        for images, targets in test_batches:
            right += (model(images.to(device)).argmax(1) == targets.to(device)).sum()
    accuracy = 100 * right.item() // len(test_batches.dataset)
    print(f"Epoch {epoch}, Loss: {total.item() / len(train_batches):.6g}, test accuracy: {accuracy} %")
