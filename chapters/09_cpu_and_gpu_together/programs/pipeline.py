"""The first stage of programs/pipeline.cpp in PyTorch: images that are cut on the CPU and normalized on the device.

Twin of: ./course run 9 pipeline --device sim --batch-size 4
Compared: ([0-9]+) batches of ([0-9]+) images, ([0-9.]+) MB each
"""

import torch

BATCHES, BATCH_SIZE = 64, 4
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def preprocess(images, corners, size):
    """Cuts on the CPU, copies bytes, and normalizes on the device: exercise 9.preprocess."""
    pieces = torch.stack([image[:, top:top + size, left:left + size] for image, (top, left) in zip(images, corners)])
    if device.type == "cuda":
        pieces = pieces.pin_memory()
    return (pieces.to(device, non_blocking=True).to(torch.float32) / 255 - 0.5) / 0.25


images = torch.randint(0, 256, (BATCH_SIZE, 3, 40, 40), dtype=torch.uint8)
batch = preprocess(images, [(i, 2 * i) for i in range(BATCH_SIZE)], 32)
target = torch.zeros(BATCH_SIZE, dtype=torch.int64)
megabytes = sum(tensor.numel() * tensor.element_size() for tensor in (batch, target)) / 1e6
print(f"{BATCHES} batches of {BATCH_SIZE} images, {megabytes:.2f} MB each")
