"""programs/advise.cpp in PyTorch: counts what a step needs, measures two variants of the CPU, and compares them.

Twin of: ./course run 15 advise --device cpu --width 16 --largest 4 --runs 1
Compared: ([0-9]+) hidden layers of ([0-9]+), ([0-9]+) parameters
Compared: A sample adds ([0-9]+) multiply-adds
Compared: and ([0-9]+) bytes to copy
"""

import statistics
import time

import torch
from torch import nn

WIDTH, DEPTH, RUNS = 16, 3, 5
SIZES = [1, 4, 16, 64]


def network():
    layers = []
    for _ in range(DEPTH):
        layers += [nn.Linear(WIDTH, WIDTH), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(WIDTH, 10))


def multiply_adds(model):
    """Of one sample in a training step. Each layer computes its output, the gradient of its weights and the gradient of
    its input, but the first layer's input needs no gradient."""
    linears = [layer for layer in model if isinstance(layer, nn.Linear)]
    return sum(3 * layer.weight.numel() for layer in linears) - linears[0].weight.numel()


def make_step(model, optimizer):
    def step(inputs, targets):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
        # On a GPU you would call torch.cuda.synchronize() before you read the clock.
    return step


def time_interleaved(variants):
    """Median microseconds of each variant at each size. Round 0 warms up."""
    times = {}
    for round_number in range(RUNS + 1):
        for size in SIZES:
            batch = torch.randn(size, WIDTH), torch.randint(0, 10, (size,))
            for name, (threads, step) in variants.items():
                torch.set_num_threads(threads)
                start = time.perf_counter()
                step(*batch)
                if round_number > 0:
                    times.setdefault((name, size), []).append(1e6 * (time.perf_counter() - start))
    return {key: statistics.median(values) for key, values in times.items()}


def main():
    torch.manual_seed(0)
    model = network()
    print(f"{DEPTH} hidden layers of {WIDTH}, {sum(p.numel() for p in model.parameters())} parameters")
    print(f"A sample adds {multiply_adds(model)} multiply-adds, and {4 * WIDTH} bytes to copy.")
    variants = {}
    for name, threads in (("cpu, 1 thread", 1), ("cpu, all threads", torch.get_num_threads())):
        model = network()
        variants[name] = threads, make_step(model, torch.optim.SGD(model.parameters(), lr=0.01))
    times = time_interleaved(variants)
    print("microseconds per step, medians")
    for size in SIZES:
        row = {name: times[name, size] for name in variants}
        print(f"{size:6}", *(f"{name}: {us:7.0f}" for name, us in row.items()), "use", min(row, key=row.get))


if __name__ == "__main__":
    main()
