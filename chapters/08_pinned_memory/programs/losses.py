"""programs/losses.cpp in PyTorch: trains one network with four input pipelines: plain, pinned, prefetched, and with two slots by hand.

Twin of: ./course run 8 losses --device sim
Compared: ^(\d+) batches of (\d+) images, ([\d.]+) MB each
Compared: ^ +(plain) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)
Compared: ^ +(pinned) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)
Compared: ^ *(prefetched|by hand) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)

With a GPU, the pipelines differ in speed. Without one, there is nothing to copy, and only the order of the steps is the same.
"""

import contextlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STEPS, BATCH, PIXELS = 4, 256, 3 * 32 * 32
cuda = torch.cuda.is_available()
device = torch.device("cuda" if cuda else "cpu")


def formula(sizes, factor, modulo):
    count = torch.Size(sizes).numel()
    return (torch.arange(count) * factor % modulo).view(sizes)


images = formula((STEPS * BATCH, PIXELS), 37, 101) / 50 - 1
labels = formula((STEPS * BATCH,), 7, 10)


class Training:
    """A model with its first weights, and the losses of its steps."""

    def __init__(self):
        self.model = nn.Sequential(nn.Linear(PIXELS, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.copy_((formula(parameter.shape, 37, 101) / 50 - 1) * 0.02)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001)
        self.losses = []

    def work(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.detach())  # stays on the device: item() would wait


def loader(pin_memory):
    return DataLoader(TensorDataset(images, labels), batch_size=BATCH, pin_memory=pin_memory and cuda)


def plain(training):
    for x, y in loader(pin_memory=False):
        training.work(x.to(device), y.to(device))


def pinned(training):
    for x, y in loader(pin_memory=True):
        training.work(x.to(device, non_blocking=True), y.to(device, non_blocking=True))


def on_stream(stream):
    return torch.cuda.stream(stream) if cuda else contextlib.nullcontext()


def prefetched(training):
    """Copies the next batch on a stream of its own while the device computes."""
    copies = torch.cuda.Stream() if cuda else None

    def send(batch):
        with on_stream(copies):
            tensors = [tensor.to(device, non_blocking=True) for tensor in batch]
            return tensors, copies.record_event() if cuda else None

    batches = iter(loader(pin_memory=True))
    ahead = send(next(batches))
    while ahead is not None:
        tensors, copied = ahead
        batch = next(batches, None)
        ahead = send(batch) if batch is not None else None
        if cuda:
            torch.cuda.current_stream().wait_event(copied)
            for tensor in tensors:
                tensor.record_stream(torch.cuda.current_stream())
        training.work(*tensors)


def by_hand(training):
    """Two slots of memory; `copied` and `consumed` order their use. On the CPU the order is that of the program."""
    slots = [(torch.empty(BATCH, PIXELS, device=device), torch.empty(BATCH, dtype=torch.long, device=device))
             for _ in range(2)]

    def send(step):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        x, y = slots[step % 2]
        x.copy_(images[rows])
        y.copy_(labels[rows])

    send(0)
    send(1)
    for step in range(STEPS):
        training.work(*slots[step % 2])
        if step + 2 < STEPS:
            send(step + 2)


bytes_per_batch = BATCH * (PIXELS * images.element_size() + labels.element_size())
print(f"{STEPS} batches of {BATCH} images, {bytes_per_batch / 1e6:.2f} MB each")
for name, loop in [("plain", plain), ("pinned", pinned), ("prefetched", prefetched), ("by hand", by_hand)]:
    training = Training()
    loop(training)
    print(f"{name:>10}", *(f"{loss.item():.4f}" for loss in training.losses))
