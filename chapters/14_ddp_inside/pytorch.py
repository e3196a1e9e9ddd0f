"""Chapter 14 in PyTorch: two processes average their gradients in buckets during the backward pass, as DDP does.

Twin of: ./course launch -n 2 14 --device cpu
Compared: all-reduce of ([0-9]+) gradients starts
Compared: Rank ([0-9]): the first gradient is (-?[0-9.e-]+), averaged by hand (-?[0-9.e-]+), by DDP (-?[0-9.e-]+)

Start it with python3 pytorch.py. Since PyTorch 2.1 a tensor has register_post_accumulate_grad_hook. The hook of
register_hook, which is used here, gets the gradient before it is in `grad`, so the bucket keeps it.
"""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Bucket:
    def __init__(self, parameters):
        self.parameters = parameters
        self.gradients = {}
        self.flat = self.work = None
        for index, parameter in enumerate(parameters):
            parameter.register_hook(lambda gradient, index=index: self.gradient_ready(index, gradient))

    def gradient_ready(self, index, gradient):
        self.gradients[index] = gradient
        if len(self.gradients) < len(self.parameters):
            return
        self.flat = torch.cat([self.gradients[i].reshape(-1) for i in range(len(self.parameters))])
        self.work = dist.all_reduce(self.flat, async_op=True)  # a sum: gloo has no average
        if dist.get_rank() == 0:
            print(f"  all-reduce of {self.flat.numel()} gradients starts", flush=True)

    def finish(self):
        self.work.wait()
        sizes = [parameter.numel() for parameter in self.parameters]
        for parameter, piece in zip(self.parameters, (self.flat / dist.get_world_size()).split(sizes)):
            parameter.grad = piece.view_as(parameter)


def make_model(device):
    model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.arange(float(parameter.numel())).sin().view_as(parameter) / 9)
    return model.to(device)


def print_by_rank(line):
    for turn in range(dist.get_world_size()):
        if turn == dist.get_rank():
            print(line, flush=True)
        dist.barrier()


def train(rank, world_size, folder):
    device = torch.device("cpu")
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=world_size)
    inputs = (torch.arange(320.0) + 1000.0 * rank).sin().reshape(32, 10).to(device)
    labels = (inputs[:, 0] > 0).long()
    criterion = nn.CrossEntropyLoss()

    model = make_model(device)
    p = list(model.parameters())
    buckets = [Bucket([p[5], p[4]]), Bucket([p[3], p[2]]), Bucket([p[1], p[0]])]
    if rank == 0:
        print("Backward pass of rank 0:", flush=True)
    criterion(model(inputs), labels).backward()
    own = p[0].grad[0, 0].item()
    for bucket in buckets:
        bucket.finish()

    ddp = DistributedDataParallel(make_model(device))
    criterion(ddp(inputs), labels).backward()
    print_by_rank(f"Rank {rank}: the first gradient is {own:.6g}, averaged by hand {p[0].grad[0, 0].item():.6g}, "
                  f"by DDP {next(ddp.parameters()).grad[0, 0].item():.6g}")
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as rendezvous:
        mp.spawn(train, args=(2, rendezvous), nprocs=2, join=True)
