"""programs/offload.cpp in PyTorch, on the CPU: Adam updates copies of the parameters (masters) in host memory.

Twin of: ./course run 9 offload --device sim --batch-size 4
Compared: A model of ([0-9.]+) million parameters, ([0-9]+) rows per step
Compared to 1e-3: After 5 steps the loss is ([0-9.]+); with Adam on the host
"""

import torch
from torch import nn

ROWS, WIDTH, LAYERS, STEPS = 1, 1024, 4, 5
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def numbers(*sizes, scale):
    """The numbers of the C++ program, by a formula."""
    i = torch.arange(torch.Size(sizes).numel())
    return (((i * i % 1009).to(torch.float32) / 1009 - 0.5) * scale).reshape(sizes)


model = nn.Sequential(*[layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())][:-1])
with torch.no_grad():
    for parameter in model.parameters():
        parameter.copy_(numbers(*parameter.shape, scale=0.08))
model.to(device)
x, y = numbers(ROWS, WIDTH, scale=3).to(device), numbers(ROWS, WIDTH, scale=2).to(device)

masters = [parameter.detach().to("cpu", copy=True) for parameter in model.parameters()]
adam = torch.optim.Adam(masters, lr=1e-4)
for _ in range(STEPS):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    for parameter, master in zip(model.parameters(), masters):
        master.grad, parameter.grad = parameter.grad.cpu(), None
    adam.step()
    with torch.no_grad():
        for parameter, master in zip(model.parameters(), masters):
            parameter.copy_(master)
count = sum(parameter.numel() for parameter in model.parameters()) / 1e6
print(f"A model of {count:g} million parameters, {ROWS} rows per step")
print(f"After {STEPS} steps the loss is {loss:.4f}; with Adam on the host")
