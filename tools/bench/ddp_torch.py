#!/usr/bin/python3
"""PyTorch's side of ddp.py: one rank of thirty layers of 512 under DistributedDataParallel.

Started by ddp.py with RANK and WORLD_SIZE: ddp_torch.py STORE BATCH SECONDS CAP,CAP...
Rank 0 prints a JSON line of median milliseconds per step, by bucket size and with or without bucket
views. Invariant: the same network, loss, optimizer and rounds as in ddp.cpp.
"""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch import nn


def main():
    store, batch, seconds, caps = sys.argv[1:]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=int(os.environ["RANK"]),
                            world_size=int(os.environ["WORLD_SIZE"]))
    torch.manual_seed(dist.get_rank())
    x = torch.rand(int(batch), 512)
    variants = {}
    for cap in map(float, caps.split(",")):
        for view in (False, True):
            net = nn.Sequential(*(layer for _ in range(30)
                                  for layer in (nn.Linear(512, 512), nn.ReLU())))
            ddp = nn.parallel.DistributedDataParallel(net, bucket_cap_mb=cap,
                                                      gradient_as_bucket_view=view)
            sgd = torch.optim.SGD(ddp.parameters(), 1e-3, momentum=0.9)
            variants[f"ddp {cap:g}" + (" view" if view else "")] = (ddp, sgd)

    def step(ddp, sgd):
        sgd.zero_grad()
        nn.functional.mse_loss(ddp(x), x).backward()
        sgd.step()

    times = {name: [] for name in variants}
    start = time.perf_counter()
    more = torch.ones(1)
    while more:
        for name, variant in variants.items():
            dist.barrier()
            step(*variant)
            for _ in range(8):
                begin = time.perf_counter()
                step(*variant)
                times[name].append((time.perf_counter() - begin) * 1e3)
        more.fill_(time.perf_counter() - start < float(seconds))
        dist.broadcast(more, 0)
    if dist.get_rank() == 0:
        print(json.dumps({name: statistics.median(t) for name, t in times.items()}))


if __name__ == "__main__":
    main()
