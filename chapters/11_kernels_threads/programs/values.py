#!/usr/bin/env python3
"""programs/values.cpp in PyTorch: the results of the chapter's kernels by PyTorch's operations, on the CPU.

Each line is a checksum, the sum of element i times i % 13. The inputs are integers that a formula gives, so that the
results do not depend on the order of additions.

Twin of: ./course run 11 values --device sim
Compared: ^ +(add|saxpy|scale4|flip|broadcast_add|gather_rows|coalesce) +([-+0-9.e]+)
"""

import torch


def integers(count, factor, modulus, first):
    return (torch.arange(count) * factor % modulus + first).float()


def show(name, result):
    result = result.detach().double().flatten()
    checksum = (result * (torch.arange(result.numel()) % 13)).sum().item()
    print(f"{name:>14}{checksum:>12.1f}")


def main():
    a, b = integers(1000, 7919, 31, -15), integers(1000, 104729, 17, -8)
    c = a + b
    show("add", c)
    c = c.add(a, alpha=0.5)
    show("saxpy", c)
    show("scale4", c * 4)
    image = (c * 4)[:960].view(30, 32)
    show("flip", image.flip(1))
    show("broadcast_add", a[:30].view(-1, 1) + b[:32])
    show("gather_rows", torch.nn.functional.embedding(torch.arange(30) * 7 % 30, image))
    pairs = a[:64].view(32, 2)
    show("coalesce", image * pairs[:, 0] + pairs[:, 1])


if __name__ == "__main__":
    main()
