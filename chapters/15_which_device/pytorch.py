"""Chapter 15 in PyTorch: times one training step on the CPU and on a GPU, for batches of growing size.

Twin of: ./course run 15
Compared by: programs/advise.py
"""

import statistics
import time

import torch
from torch import nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)


def milliseconds_per_step(device, samples):
    """Milliseconds of a training step on `device`, the median of eleven. The batch begins on the CPU."""
    model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data, target = torch.randn(samples, 256), torch.randint(0, 10, (samples,))

    times = []
    for step in range(12):
        start = time.perf_counter()
        inputs, labels = data.to(device), target.to(device)
        optimizer.zero_grad()
        criterion(model(inputs), labels).backward()
        optimizer.step()
        if device.type == "cuda":
            torch.cuda.synchronize()  # otherwise you time the launches alone
        taken = 1e3 * (time.perf_counter() - start)
        if step > 0:  # the first step allocates memory
            times.append(taken)
    return statistics.median(times)


print(f"samples   ms on cpu   ms on {device}   use")
for samples in 1, 4, 16, 64, 256, 1024:
    cpu = milliseconds_per_step(torch.device("cpu"), samples)
    other = milliseconds_per_step(device, samples)
    print(f"{samples:7}{cpu:12.3f}{other:12.3f}   {device if other < cpu else 'cpu'}")
