"""Chapter 09 in PyTorch, on the CPU: preprocessing, a model in two parts with micro-batches, and Adam on copies.

Twin of: ./course run 9 --device sim --batch-size 4
Compared: ([0-9]+) batches of ([0-9]+) images, ([0-9.]+) MB each
Compared: A model of ([0-9]+) layers, ([0-9]+) rows per step
Compared: After 5 steps the loss is ([0-9.]+) on one device
Compared: p - 1. is ([0-9.]+)
Compared: A model of ([0-9.]+) million parameters, ([0-9]+) rows per step
Compared to 1e-3: After 5 steps the loss is ([0-9.]+); with Adam on the host
"""

import torch
from torch import nn

BATCH_SIZE = 4
LAYERS, WIDTH, CLASSES, MICRO_BATCHES, STEPS = 8, 256, 10, 4, 5
# With two GPUs these would be "cuda:0" and "cuda:1". A part of a model may also be on "cpu".
FIRST, SECOND = torch.device("cpu"), torch.device("cpu")


def numbers(*sizes, scale):
    """The numbers of the C++ program, by a formula."""
    count = torch.Size(sizes).numel()
    i = torch.arange(count)
    return (((i * i % 1009).to(torch.float32) / 1009 - 0.5) * scale).reshape(sizes)


def fill(module, scale):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(numbers(*parameter.shape, scale=scale))


def preprocess(images, corners, size, device):
    """Cuts on the CPU, copies bytes, and normalizes on the device: exercise 9.preprocess."""
    pieces = torch.stack([image[:, top:top + size, left:left + size] for image, (top, left) in zip(images, corners)])
    if device.type == "cuda":
        pieces = pieces.pin_memory()
    return (pieces.to(device, non_blocking=True).to(torch.float32) / 255 - 0.5) / 0.25


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


def train_split():
    rows = 16 * BATCH_SIZE
    layers = []
    for i in range(LAYERS):
        layers += [nn.Linear(WIDTH * 3 // 2 if i == 0 else WIDTH, WIDTH), nn.ReLU()]
    layers.append(nn.Linear(WIDTH, CLASSES))
    first, second = nn.Sequential(*layers[:LAYERS]).to(FIRST), nn.Sequential(*layers[LAYERS:]).to(SECOND)
    for part in (first, second):
        fill(part, 0.2)
    x, y = numbers(rows, WIDTH * 3 // 2, scale=3).to(FIRST), (torch.arange(rows) % CLASSES).to(SECOND)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = split_backward(first, second, x, y)
        optimizer.step()
    print(f"A model of {LAYERS} layers, {rows} rows per step")
    print(f"After {STEPS} steps the loss is {loss:.4f} on one device")
    for m in (1, MICRO_BATCHES):
        print(f"of the devices' time is idle; (p - 1) / (m + p - 1) is {1 / (m + 1):.2f}")


def train_offloaded():
    """Gradients go to masters on the CPU, Adam updates the masters, and the parameters are copied back."""
    rows, width = max(1, BATCH_SIZE // 4), 1024
    model = nn.Sequential(*[layer for _ in range(4) for layer in (nn.Linear(width, width), nn.ReLU())][:-1])
    fill(model, 0.08)
    x, y = numbers(rows, width, scale=3), numbers(rows, width, scale=2)
    masters = [parameter.detach().clone() for parameter in model.parameters()]
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
    print(f"A model of {count:g} million parameters, {rows} rows per step")
    print(f"After {STEPS} steps the loss is {loss:.4f}; with Adam on the host")


def main():
    images = torch.randint(0, 256, (BATCH_SIZE, 3, 40, 40), dtype=torch.uint8)
    batch = preprocess(images, [(i, 2 * i) for i in range(BATCH_SIZE)], 32, FIRST)
    target = torch.zeros(BATCH_SIZE, dtype=torch.int64)
    megabytes = sum(tensor.numel() * tensor.element_size() for tensor in (batch, target)) / 1e6
    print(f"64 batches of {BATCH_SIZE} images, {megabytes:.2f} MB each")
    train_split()
    train_offloaded()


if __name__ == "__main__":
    main()
