"""programs/parts.cpp in PyTorch, on the CPU: the parts of a batch, and a data-parallel step by hand.

Twin of: ./course run 5 parts --devices cpu,cpu
Compared: ([0-9]+) rows on ([0-9]+) devices: ([0-9 ]+)
Compared: mean of the means ([0-9.]+), mean of all rows ([0-9.]+)
Compared: has ([0-9]+) parameters: each forward pass copies ([0-9]+) bytes
Compared: step ([0-9]) of 5 rows on ([0-9]) devices, loss ([0-9.]+)

With GPUs, nn.DataParallel(model) does all of this in one line. On the CPU it only calls the model, so this
program takes it apart as the chapter does: scatter, replicate, apply, gather, loss, backward, reduce_add.
"""

import copy

import torch
from torch import nn


def formula(sizes, start):
    """Values between -0.5 and 0.5 that the chapter's program computes in the same way."""
    n = torch.Size(sizes).numel()
    return (((torch.arange(n) * 7 + start) % 11 - 5).float() / 10).reshape(sizes)


def formula_model():
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
    with torch.no_grad():
        for start, parameter in enumerate(model.parameters()):
            parameter.copy_(formula(parameter.shape, start))
    return model


def cifar_net():
    return nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(2), nn.Conv2d(32, 32, 5, padding=2), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 5, padding=2), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1024, 64), nn.Linear(64, 10))


def scatter(batch, devices):
    """torch.cuda.comm.scatter: ceil(rows / devices) rows per part, so there may be fewer parts than devices."""
    return [part.to(device) for part, device in zip(batch.chunk(len(devices)), devices)]


def step(model, optimizer, devices, data, target):
    optimizer.zero_grad()
    parts = scatter(data, devices)
    # replicate: the first replica is the model itself, the others are copies.
    replicas = [model] + [copy.deepcopy(model).to(device) for device in devices[1:len(parts)]]
    outputs = [replica(part) for replica, part in zip(replicas, parts)]  # parallel_apply, without threads
    output = torch.cat([one.to(devices[0]) for one in outputs])          # gather
    loss = nn.functional.cross_entropy(output, target.to(devices[0]))
    loss.backward()
    for mine, *others in zip(*(replica.parameters() for replica in replicas)):
        for other in others:                                             # reduce_add
            mine.grad += other.grad.to(devices[0])
    optimizer.step()
    return loss.detach()


def main():
    for rows, devices in (10, 4), (9, 4), (36, 7), (128, 2):
        sizes = [len(part) for part in scatter(torch.zeros(rows, 1), ["cpu"] * devices)]
        print(f"{rows} rows on {devices} devices:", *sizes)
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([6.0])
    print(f"losses {{1, 2}} and {{6}}: mean of the means {((a.mean() + b.mean()) / 2).item():g}, "
          f"mean of all rows {torch.cat([a, b]).mean().item():g}")
    parameters = list(cifar_net().parameters())
    print(f"the network for CIFAR-10 has {sum(p.numel() for p in parameters)} parameters: each forward pass copies "
          f"{sum(p.numel() * p.element_size() for p in parameters)} bytes to each further device")
    model = formula_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for number in range(1, 4):
        loss = step(model, optimizer, ["cpu", "cpu"], formula((5, 4), 3), torch.tensor([0, 1, 1, 0, 1]))
        print(f"step {number} of 5 rows on 2 devices, loss {loss.item():.6g}")


if __name__ == "__main__":
    main()
