"""programs/speed.cpp in PyTorch: the work of a sum and of a matrix product, and their times.

Twin of: ./course run 1 speed --device cpu
Compared: one product of ([0-9]+) x ([0-9]+) matrices: ([0-9]+) operations, ([0-9]+) bytes
Compared: one sum of ([0-9]+) elements: ([0-9]+) operations, ([0-9]+) bytes
"""

import time

import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def milliseconds(work):
    """The median of 7 runs after one warm-up run. Device work is asynchronous: wait before reading the clock."""
    times = []
    for _ in range(8):
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        start = time.perf_counter()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.append(1e3 * (time.perf_counter() - start))
    return sorted(times[1:])[3]


side, large = 768, 8_000_000
m = torch.ones(side, side, device=device)
a, b = torch.ones(large, device=device), torch.ones(large, device=device)
operations, traffic = 2 * m.shape[0] ** 3, 3 * m.numel() * m.element_size()
print(f"one product of {side} x {side} matrices: {operations} operations, {traffic} bytes")
print(f"one sum of {large} elements: {a.numel()} operations, {3 * a.numel() * a.element_size()} bytes")
small = torch.ones(1000, device=device)
print(f"1,000 sums {1e3 * milliseconds(lambda: small + small):.1f} us, "
      f"8,000,000 sums {3e-6 * 4 * large / milliseconds(lambda: a + b):.1f} GB/s, "
      f"matrix product {1e-6 * operations / milliseconds(lambda: m @ m):.1f} GFLOP/s")
