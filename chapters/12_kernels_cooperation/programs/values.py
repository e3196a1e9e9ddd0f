#!/usr/bin/env python3
"""programs/values.cpp in PyTorch: the results of the chapter's kernels by PyTorch's operations, on the CPU.

Each line is a checksum, the sum of element i times i % 13. The inputs are integers that a formula gives, so that the
results do not depend on the order of additions.

Twin of: ./course run 12 values --device sim
Compared: ^ +(block_sum|warp_sum) +([-+0-9.e]+)
Compared: ^ +(histogram|scan|transpose) +([-+0-9.e]+)
Compared: ^ +(dot|max_pool|conv_1d|conv_2d) +([-+0-9.e]+)
Compared: ^ +(sum_of_rows|sum_of_columns) +([-+0-9.e]+)
"""

import torch
import torch.nn.functional as F


def integers(count, factor, modulus, first):
    return (torch.arange(count) * factor % modulus + first).float()


def show(name, result):
    result = result.detach().double().flatten()
    checksum = (result * (torch.arange(result.numel()) % 13)).sum().item()
    print(f"{name:>14}{checksum:>12.1f}")


def main():
    a, b = integers(1000, 7919, 31, -15), integers(1000, 104729, 17, -8)
    # Four blocks of 256 elements: the last one has 232.
    show("block_sum", torch.stack([block.sum() for block in a.split(256)]))
    show("warp_sum", torch.stack([block.sum() for block in b.split(256)]))
    show("histogram", torch.bincount(integers(1000, 7919, 200, 0).long(), minlength=256))
    show("scan", a.cumsum(0))
    show("transpose", a.view(20, 50).t().contiguous())
    show("dot", torch.stack([a.dot(b), a.dot(b)]))  # twice: element 0 alone does not count
    show("max_pool", F.max_pool1d(a[None], 3, stride=1, padding=1))
    show("conv_1d", F.conv1d(F.pad(a, (0, 4))[None, None], b[None, None, :5]))
    show("conv_2d", F.conv2d(a.view(1, 1, 20, 50), b[:9].view(1, 1, 3, 3), padding=1))
    show("sum_of_rows", a.view(20, 50).sum(1))
    show("sum_of_columns", a.view(20, 50).sum(0))


if __name__ == "__main__":
    main()
