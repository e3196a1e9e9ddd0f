#!/usr/bin/env python3
"""programs/train.cpp in PyTorch, on the CPU and without torch_xla.

torch_xla needs a wheel of its own, so this program does by hand what it does for several replicas: each one computes
the gradients of its own rows, `optimizer_step` averages them, and all replicas make the same update. The comments
name torch_xla's calls.

Twin of: ./course run 10 train --replicas 2
Run with: --replicas 2
Compared to 2e-3: Epoch ([0-9]+), Loss: ([-+0-9.e]+)
Compared: ([0-9]+) steps per replica
Compared: copied ([0-9]+) bytes of batches
Compared: bias ([-+0-9.e]+)
"""

import argparse
import copy

import torch

ROWS, FEATURES, BATCH, EPOCHS, LR = 320, 10, 32, 10, 0.1


# Numbers in [-1, 1) that the chapter's program computes by the same formula.
def formula_data(rows, columns):
    value = torch.arange(rows * columns, dtype=torch.float64) * 7919 / 1000
    return ((value - value.floor()) * 2 - 1).float().view(rows, columns)


# pl.ParallelLoader: batch n goes to replica n % replicas; an incomplete group at the end is dropped.
def parallel_loader(x, y, rows, replicas):
    batches = [(x[i:i + rows], y[i:i + rows]) for i in range(0, len(x) - rows + 1, rows)]
    for group in range(0, len(batches) - replicas + 1, replicas):
        yield batches[group:group + replicas]


# xm.optimizer_step(optimizer): sum the gradients over all replicas, scale by 1 / replicas, update.
def optimizer_step(optimizers, models):
    for gradients in zip(*([p.grad for p in model.parameters()] for model in models)):
        mean = sum(gradients) / len(models)
        for gradient in gradients:
            gradient.copy_(mean)
    for optimizer in optimizers:
        optimizer.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicas", type=int, default=2)
    replicas = parser.parse_args().replicas

    x = formula_data(ROWS, FEATURES)
    y = x @ (torch.arange(FEATURES, dtype=torch.float32).view(-1, 1) * 0.1) + 0.5

    model = torch.nn.Linear(FEATURES, 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    models = [copy.deepcopy(model) for _ in range(replicas)]  # xmp.spawn: each process makes its own model
    optimizers = [torch.optim.SGD(model.parameters(), lr=LR) for model in models]

    steps = copied = 0
    for epoch in range(1, EPOCHS + 1):
        for group in parallel_loader(x, y, BATCH // replicas, replicas):
            losses = []
            for model, optimizer, (inputs, targets) in zip(models, optimizers, group):
                copied += inputs.numel() * 4 + targets.numel() * 4
                optimizer.zero_grad()
                loss = torch.nn.functional.mse_loss(model(inputs), targets)
                loss.backward()
                losses.append(loss.detach())
            optimizer_step(optimizers, models)  # the loader's next() calls xm.mark_step(): compile and run
            steps += 1
        print(f"Epoch {epoch}, Loss: {sum(losses).item() / replicas:.4g}")

    print(f"{steps} steps per replica")
    print(f"copied {copied} bytes of batches to the devices")
    print(f"bias {models[0].bias.item():.5f}")
    for other in models[1:]:
        assert torch.equal(models[0].weight, other.weight), "the replicas have diverged"


if __name__ == "__main__":
    main()
