#!/usr/bin/python3
"""Compares DistributedDataParallel with PyTorch's: ddp_oracle_test.py PROGRAM.

Called by CTest. Both train the same network on two ranks from the same weights and batches, PyTorch
as processes over gloo. Gradients of every step, parameters and buffers at the end must agree on each
rank. Invariant: all times are bounded, and no process is left behind. Skipped (exit code 77)
without Debian's python3-torch.
"""

import datetime
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    import torch.distributed
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing}; Debian's python3-torch is the other side of this test")
    raise SystemExit(77)

RANKS, STEPS, TIMEOUT = 2, 3, 60


def network():
    return nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.Tanh(), nn.Flatten(),
                         nn.Linear(4 * 4 * 4, 16), nn.Tanh(), nn.Linear(16, 3))


def train(folder, rank):
    """One rank of PyTorch's."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", f"file://{folder}/store", rank=rank,
                                         world_size=RANKS,
                                         timeout=datetime.timedelta(seconds=TIMEOUT))
    net = network()
    if rank == 0:
        weights = torch.from_numpy(numpy.fromfile(folder / "weights", numpy.float32))
        nn.utils.vector_to_parameters(weights, net.parameters())
    ddp = nn.parallel.DistributedDataParallel(net, bucket_cap_mb=0.001)
    sgd = torch.optim.SGD(ddp.parameters(), 0.1, momentum=0.9)
    batches = numpy.fromfile(folder / "batches", numpy.float32).reshape(STEPS, RANKS, 5, 2, 6, 6)
    numbers = []
    for step in range(STEPS):
        sgd.zero_grad()
        ddp(torch.from_numpy(batches[step, rank].copy())).pow(2).mean().backward()
        numbers += [p.grad.clone() for p in net.parameters()]
        sgd.step()
    numbers += [p.detach() for p in net.parameters()] + list(net.buffers())
    flat = torch.cat([n.flatten().float() for n in numbers])
    flat.numpy().tofile(folder / f"torch.{rank}")


def names():
    """What each run of numbers in the files is, with its length."""
    net = network()
    parameters = [(name, p.numel()) for name, p in net.named_parameters()]
    for step in range(STEPS):
        yield from ((f"gradient of {name} in step {step}", n) for name, n in parameters)
    yield from parameters
    yield from ((name, b.numel()) for name, b in net.named_buffers())


def compare(folder, rank):
    ours, theirs = (numpy.fromfile(folder / f"{side}.{rank}", numpy.float32).astype(numpy.float64)
                    for side in ("ours", "torch"))
    if len(ours) != len(theirs) or len(ours) != sum(n for _, n in names()):
        raise SystemExit(f"rank {rank}: {len(ours)} numbers, PyTorch has {len(theirs)}")
    offset, worst = 0, 0
    for name, n in names():
        a, b = ours[offset:offset + n], theirs[offset:offset + n]
        offset += n
        scale = numpy.abs(b).max()
        # A bias in front of a batch norm has no gradient but rounding errors, without a size.
        error = numpy.abs(a - b).max() / scale if scale > 1e-6 else numpy.abs(a - b).max()
        worst = max(worst, error)
        if not error <= 1e-6:
            raise SystemExit(f"rank {rank}: {name} differs from PyTorch's by {error:.2g} of its size")
    return worst


def run(folder):
    rng = numpy.random.default_rng(1)
    count = sum(p.numel() for p in network().parameters())
    rng.uniform(-0.3, 0.3, count).astype(numpy.float32).tofile(folder / "weights")
    rng.normal(size=(STEPS, RANKS, 5, 2, 6, 6)).astype(numpy.float32).tofile(folder / "batches")
    ranks = [subprocess.Popen([sys.executable, __file__, "--rank", str(rank), folder])
             for rank in range(RANKS)]
    try:
        subprocess.run([sys.argv[1], folder], check=True, timeout=TIMEOUT)
        for rank in ranks:
            if rank.wait(TIMEOUT):
                raise SystemExit("a rank of PyTorch's failed")
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    worst = max(compare(folder, rank) for rank in range(RANKS))
    print(f"{STEPS} steps on {RANKS} ranks agree with PyTorch {torch.__version__}: "
          f"largest difference {worst:.1e}")


if __name__ == "__main__":
    if sys.argv[1] == "--rank":
        train(pathlib.Path(sys.argv[3]), int(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as name:
            run(pathlib.Path(name))
