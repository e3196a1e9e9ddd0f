"""Chapter 06 in PyTorch: DistributedDataParallel in two processes that spawn starts.

Twin of: ./course launch -n 2 6 --device cpu
Compared: World size: ([0-9]+)
Compared: Epoch ([0-9]), Loss: ([0-9.]+)
Compared: Rank ([0-9]) on ([a-z]+): ([0-9]+) samples in ([0-9]+) steps per epoch
Compared: first weight ([0-9]) at the start, (-?[0-9.]+) at the end

Start it with python3 pytorch.py. To let torchrun start the ranks, call train(int(os.environ["LOCAL_RANK"]))
once per process instead of spawn, and init_process_group without the last three arguments.
"""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def print_by_rank(line):
    for turn in range(dist.get_world_size()):
        if turn == dist.get_rank():
            print(line, flush=True)
        dist.barrier()


def train(rank, world_size, folder):
    use_cuda = torch.cuda.device_count() >= world_size
    device = torch.device(f"cuda:{rank}" if use_cuda else "cpu")
    dist.init_process_group("nccl" if use_cuda else "gloo", init_method=f"file://{folder}/rendezvous",
                            rank=rank, world_size=world_size)
    if rank == 0:
        print("World size:", world_size)

    data = torch.arange(1000.0).sin().reshape(100, 10)
    dataset = TensorDataset(data, (data[:, 0] > 0).long())
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler)

    model = nn.Linear(10, 5)
    for parameter in model.parameters():
        nn.init.constant_(parameter, rank)
    model.to(device)
    ddp = DistributedDataParallel(model, device_ids=[rank] if use_cuda else None)  # copies the parameters of rank 0

    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    for epoch in range(1, 4):
        sampler.set_epoch(epoch)
        samples = steps = 0
        total = torch.zeros((), device=device)
        for inputs, labels in loader:
            inputs, labels = inputs.to(device), labels.to(device)
            optimizer.zero_grad()
            loss = criterion(ddp(inputs), labels)
            loss.backward()  # averages the gradients over all ranks
            optimizer.step()
            total += loss.detach() * len(inputs)
            samples += len(inputs)
            steps += 1
        dist.all_reduce(total)  # now the sum over the samples of all ranks
        if rank == 0:
            print(f"Epoch {epoch}, Loss: {total.item() / (samples * world_size):.6g}", flush=True)
    print_by_rank(f"Rank {rank} on {device}: {samples} samples in {steps} steps per epoch; "
                  f"first weight {rank} at the start, {model.weight[0][0].item():.6g} at the end")
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as rendezvous:
        mp.spawn(train, args=(2, rendezvous), nprocs=2, join=True)
