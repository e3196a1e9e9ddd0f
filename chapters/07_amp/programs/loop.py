"""programs/loop.cpp in PyTorch: rounds numbers to 16 bits, and trains a small network with autocast, loss scaling, accumulation and clipping.

Twin of: ./course run 7 loop --device cpu
Compared: ^(\S+) becomes (\S+) in float16 and (\S+) in bfloat16
Compared: ^types: (\w+) (\w+) (\w+), loss (\w+)
Compared to 1e-2: ^epoch \d+, loss of the last step: ([\d.]+)
Compared: ^epoch (\d+), .*, skipped: (\d+), scale: (\d+)
"""

import math

import torch
from torch import nn


class Scaler:
    """torch.cuda.amp.GradScaler for the CPU: version 1.13 has it for CUDA only."""

    def __init__(self, scale=65536.0, growth_interval=2000):
        self.value, self.growth_interval, self.steps, self.found_inf = scale, growth_interval, 0, False

    def scale(self, loss):
        return loss * self.value

    def unscale_(self, optimizer):
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"]]
        self.found_inf = not all(torch.isfinite(g).all() for g in gradients)
        for g in gradients:
            g.div_(self.value)

    def step(self, optimizer):
        if not self.found_inf:
            optimizer.step()
        return not self.found_inf

    def update(self):
        self.steps = 0 if self.found_inf else self.steps + 1
        if self.found_inf:
            self.value *= 0.5
        elif self.steps == self.growth_interval:
            self.value, self.steps = self.value * 2, 0


def formula(sizes, which):
    """Numbers between -1 and 1, the same as in the C++ program."""
    values = [math.sin(which + 0.7 * i) for i in range(math.prod(sizes))]
    return torch.tensor(values, dtype=torch.float32).view(sizes)


def batches():
    for b in range(12):
        inputs = formula((8, 8), b)
        yield inputs, inputs[:, :4].argmax(1)


def train_amp(model, optimizer, scaler, data, lower, accumulate, max_norm):
    """One epoch; returns the mean loss of each group of batches and the number of skipped steps."""
    losses, skipped = [], 0
    for first in range(0, len(data), accumulate):
        group = data[first:first + accumulate]
        optimizer.zero_grad()
        mean = 0
        for inputs, labels in group:
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=lower):
                outputs = model(inputs)
                loss = nn.CrossEntropyLoss()(outputs, labels) / len(group)
            scaler.scale(loss).backward()
            mean += loss.detach()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        skipped += not scaler.step(optimizer)
        scaler.update()
        losses.append(mean)
    return losses, skipped


def print_types(model, inputs, labels, lower):
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=lower):
        types = []
        for layer in model:
            inputs = layer(inputs)
            types.append(str(inputs.dtype)[6:])
        loss = nn.CrossEntropyLoss()(inputs, labels)
    print("types:", *types, end="")
    print(", loss", str(loss.dtype)[6:])


def train(lower):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    with torch.no_grad():
        for which, parameter in enumerate(model.parameters(), start=100):
            parameter.copy_(formula(parameter.shape, which) * 0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    scaler = Scaler(growth_interval=8)
    for epoch in range(1, 7):
        data = list(batches())
        if epoch == 1:
            print_types(model, *data[0], lower)
        if epoch == 2:
            data[4] = (data[4][0] * 1e38, data[4][1])  # its gradients overflow
        losses, skipped = train_amp(model, optimizer, scaler, data, lower, accumulate=3, max_norm=0.5)
        print(f"epoch {epoch}, loss of the last step: {losses[3]:.4f}, skipped: {skipped}, scale: {scaler.value:.0f}")


for number in (0.1, 1.001, 2049, 65520, 1e-7, 1e-8):
    value = torch.tensor(float(number))
    print(f"{number:g} becomes {value.half().item():g} in float16 and {value.bfloat16().item():g} in bfloat16")
for lower in (False, True):
    print("bfloat16" if lower else "float32")
    train(lower)
