#!/usr/bin/env python3
"""programs/values.cpp in PyTorch: the results of the chapter's kernels by PyTorch's operations, on the CPU.

Each line is a checksum, the sum of element i times i % 13. The inputs are integers that a formula gives, so that the
results do not depend on the order of additions.

Twin of: ./course run 13 values --device sim
Compared: ^ +((?:naive_|register_|async_|tensor_)?matmul|gemm|half2_saxpy) +([-+0-9.e]+)
Compared: ^ +(attention|softcap|its gradient) +([-+0-9.e]+)
"""

import torch


def integers(count, factor, modulus, first):
    return (torch.arange(count) * factor % modulus + first).float()


def show(name, result):
    result = result.detach().double().flatten()
    checksum = (result * (torch.arange(result.numel()) % 13)).sum().item()
    print(f"{name:>14}{checksum:>12.1f}")


# cap * tanh(x / cap), with a backward pass of its own.
class Softcap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cap):
        y = cap * torch.tanh(x / cap)
        ctx.save_for_backward(y)
        ctx.cap = cap
        return y

    @staticmethod
    def backward(ctx, grad_y):
        (y,) = ctx.saved_tensors
        return grad_y * (1 - (y / ctx.cap) ** 2), None


def main():
    a, b = integers(1000, 7919, 31, -15), integers(1000, 104729, 17, -8)
    matrix, other = a.view(20, 50), b.view(50, 20)
    for name in "naive_matmul", "matmul", "register_matmul":
        show(name, matrix @ other)
    show("async_matmul", a[:256].view(16, 16) @ b[:768].view(16, 48))
    show("gemm", torch.mm(matrix, other))
    half_a, half_b = a[:512].view(32, 16).half(), b[:768].view(16, 48).half()
    show("tensor_matmul", half_a.float() @ half_b.float())  # Tensor Cores add products of halves in float

    both = torch.cat([half_b.flatten()[:512].float() + 3 * half_a.flatten().float(), half_b.flatten()[512:].float()])
    show("half2_saxpy", both)
    q, k, v = a[:200].view(10, 20), b.view(50, 20), a.view(50, 20)
    show("attention", (q @ k.t() / 20**0.5).softmax(1) @ v)

    x = a.clone().requires_grad_()
    capped = Softcap.apply(x, 10.0)
    capped.sum().backward()
    show("softcap", capped)
    show("its gradient", x.grad)


if __name__ == "__main__":
    main()
