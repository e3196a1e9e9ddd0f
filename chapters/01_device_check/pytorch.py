"""Chapter 01 in PyTorch: devices, their names, and the work of a sum and of a matrix product.

Twin of: ./course run 1 --device cpu
Compared: ^  "(cpu|cuda|cuda:1)": type ([a-z]+), index (-?[0-9]+)
Compared: ^  "(cuda:|cuda:01|tpu)" rejected
Compared: one product of ([0-9]+) x ([0-9]+) matrices: ([0-9]+) operations, ([0-9]+) bytes
Compared: one sum of ([0-9]+) elements: ([0-9]+) operations, ([0-9]+) bytes
Compared: ^  with a tensor +([0-9]+)
"""

import time

import torch

# The line that most scripts begin with. Print the result, or you may mistake a CPU run for a GPU run.
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print("device:", device)

print("\n1. Devices of this machine")
print("  torch", torch.__version__, "built with CUDA", torch.version.cuda)
for i in range(torch.cuda.device_count()):
    print(f"    cuda:{i}: {torch.cuda.get_device_name(i)}")
print("  torch.cuda.is_available() ", torch.cuda.is_available())

print("\n2. Names")
for text in ["cpu", "cuda", "cuda:1", "cuda:", "cuda:01", "tpu"]:
    try:
        name = torch.device(text)
        print(f"  \"{text}\": type {name.type}, index {-1 if name.index is None else name.index}")
    except RuntimeError as error:
        print(f"  \"{text}\" rejected: {str(error).splitlines()[0]}")
print("  device(\"cuda\", 1) == device(\"cuda:1\"):", torch.device("cuda", 1) == torch.device("cuda:1"))

if torch.cuda.device_count() > 1:
    print("\n3. The current device")
    print("  at the start          ", torch.cuda.current_device())
    with torch.cuda.device(1):
        print("  in the with block     ", torch.cuda.current_device())
    print("  after it              ", torch.cuda.current_device())

print("\n5. Memory, in MiB")
x = torch.empty(64, 1024, 256, device=device)
print("  with a tensor         ", x.numel() * x.element_size() >> 20)
del x


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


print("\n6. Why a GPU")
side, large = 768, 8_000_000
m = torch.ones(side, side, device=device)
a, b = torch.ones(large, device=device), torch.ones(large, device=device)
operations, traffic = 2 * m.shape[0] ** 3, 3 * m.numel() * m.element_size()
print(f"  one product of {side} x {side} matrices: {operations} operations, {traffic} bytes")
print(f"  one sum of {large} elements: {a.numel()} operations, {3 * a.numel() * a.element_size()} bytes")
small = torch.ones(1000, device=device)
print(f"  1,000 sums {1e3 * milliseconds(lambda: small + small):.1f} us, "
      f"8,000,000 sums {3e-6 * 4 * large / milliseconds(lambda: a + b):.1f} GB/s, "
      f"matrix product {1e-6 * operations / milliseconds(lambda: m @ m):.1f} GFLOP/s")
