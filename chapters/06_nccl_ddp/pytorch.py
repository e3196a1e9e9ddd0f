"""Chapter 06 in PyTorch, on the CPU: DistributedDataParallel in two processes that spawn starts.

Twin of: ./course launch -n 2 6 --model simple --device cpu
Compared: rank ([0-9]): inputs on ([a-z]+), labels on ([a-z]+)
Compared: Epoch ([0-9]+): ([0-9]+) samples, Loss ([0-9.]+); ([0-9]+) samples, Loss ([0-9.]+)
Compared: Each epoch had ([0-9]+) steps; each step averaged ([0-9]+) bytes
Compared: Using ([0-9]) ranks, rank ([0-9]) on ([a-z]+)

Start it with python3 pytorch.py. To let torchrun start the ranks, call train() once per process, without
spawn, and take rank and world size from the environment: dist.init_process_group("gloo") does.
"""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def formula(sizes, start):
    """Values between -0.5 and 0.5 that the chapter's program computes in the same way."""
    n = torch.Size(sizes).numel()
    return (((torch.arange(n) * 7 + start) % 11 - 5).float() / 10).reshape(sizes)


def print_in_order(rank, world_size, line):
    for turn in range(world_size):
        if turn == rank:
            print(line, flush=True)
        dist.barrier()


def train(rank, world_size, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=world_size)
    # On a machine with GPUs: device = torch.device(f"cuda:{rank}"), and device_ids=[rank] below. With a model on
    # the CPU, device_ids must be left out.
    device = torch.device("cpu")
    if rank == 0:
        print(f"Using {world_size} ranks, rank 0 on {device}")
    data = formula((100, 10), 0)
    dataset = TensorDataset(data, (data[:, 0] > 0).long())
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler)
    model = nn.Linear(10, 5).to(device)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(formula(parameter.shape, rank))  # DDP copies those of rank 0
    model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    named = False
    for epoch in range(1, 4):
        sampler.set_epoch(epoch)
        sums = torch.zeros(2)  # samples, and their losses
        for inputs, labels in loader:
            inputs, labels = inputs.to(device), labels.to(device)
            if not named:
                print_in_order(rank, world_size, f"rank {rank}: inputs on {inputs.device}, labels on {labels.device}")
                named = True
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            sums += torch.tensor([len(inputs), loss.item() * len(inputs)])
        both = [torch.zeros(2) for _ in range(world_size)]
        dist.all_gather(both, sums)
        if rank == 0:
            print(f"Epoch {epoch}: " + "; ".join(f"{int(n)} samples, Loss {(total / n).item():.6g}" for n, total in both),
                  flush=True)
    if rank == 0:
        print(f"Each epoch had {len(loader)} steps; each step averaged "
              f"{sum(p.numel() * p.element_size() for p in model.parameters())} bytes of gradients")
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(2, folder), nprocs=2, join=True)
