"""programs/split.cpp in PyTorch, on the CPU: a model in two parts, in micro-batches.

Twin of: ./course run 9 split --device sim --batch-size 4
Compared: A model of ([0-9]+) layers, ([0-9]+) rows per step
Compared: After 5 steps the loss is ([0-9.]+) on one device
"""

import torch
from torch import nn

LAYERS, WIDTH, INPUTS, CLASSES, MICRO_BATCHES, STEPS, ROWS = 8, 256, 384, 10, 4, 5, 16 * 4
# With two GPUs these would be "cuda:0" and "cuda:1". A part of a model may also be on "cpu".
FIRST, SECOND = torch.device("cpu"), torch.device("cpu")


def numbers(*sizes, scale):
    """The numbers of the C++ program, by a formula."""
    i = torch.arange(torch.Size(sizes).numel())
    return (((i * i % 1009).to(torch.float32) / 1009 - 0.5) * scale).reshape(sizes)


def split_backward(first, second, x, y):
    """The graph is cut between the parts, and the batch into micro-batches: exercise 9.split_model."""
    ends, starts, losses = [], [], []
    for part, target in zip(x.chunk(MICRO_BATCHES), y.chunk(MICRO_BATCHES)):
        ends.append(first(part))
        starts.append(ends[-1].detach().to(SECOND).requires_grad_())
        share = len(part) / len(x)
        losses.append(nn.functional.cross_entropy(second(starts[-1]), target) * share)
    for end, start, loss in zip(ends, starts, losses):
        loss.backward()
        end.backward(start.grad.to(FIRST))
    return sum(loss.detach() for loss in losses)


layers = []
for i in range(LAYERS):
    layers += [nn.Linear(INPUTS if i == 0 else WIDTH, WIDTH), nn.ReLU()]
layers.append(nn.Linear(WIDTH, CLASSES))
first, second = nn.Sequential(*layers[:LAYERS]).to(FIRST), nn.Sequential(*layers[LAYERS:]).to(SECOND)
parameters = [*first.parameters(), *second.parameters()]
with torch.no_grad():
    for parameter in parameters:
        parameter.copy_(numbers(*parameter.shape, scale=0.2))
x, y = numbers(ROWS, INPUTS, scale=3).to(FIRST), (torch.arange(ROWS) % CLASSES).to(SECOND)
optimizer = torch.optim.SGD(parameters, lr=0.05)
for _ in range(STEPS):
    optimizer.zero_grad()
    loss = split_backward(first, second, x, y)
    optimizer.step()
print(f"A model of {LAYERS} layers, {ROWS} rows per step")
print(f"After {STEPS} steps the loss is {loss:.4f} on one device")
