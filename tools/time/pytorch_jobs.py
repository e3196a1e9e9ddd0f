"""The work that PyTorch's worker measures: copies, products and networks. pytorch.py sets them up and times them.

Invariant: weights, batches and steps are those of work/products.cpp and work/training.cpp.
"""
import inspect
import pathlib
import sys

import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
from compare_gpu_torch import cifar_net, initialize, lenet, mlp, numbers  # noqa: E402

FAST = {"bfloat16": torch.bfloat16, "float16": torch.float16}
CHECKED_STEPS, EAGER_STEPS = 5, 3


def autocast(device, amp):
    return torch.autocast(device, dtype=FAST.get(amp, torch.bfloat16), enabled=amp != "off")


class Job:
    """One case that is set up: the methods of work/job.h."""

    def __init__(self, case, rank=0):
        self.case, self.amp, self.pinned = case, case.amp, case.pinned
        self.device = torch.device("cpu" if case.device == "cpu" else f"cuda:{rank}")

    def wait(self):
        if self.device.type == "cuda":
            for i in range(self.case.devices if self.case.method == "data_parallel" else 1):
                torch.cuda.synchronize(i if self.case.method == "data_parallel" else self.device)

    def checked_value(self):
        for _ in range(CHECKED_STEPS):
            self.step()
        return self.value()

    def to_device(self, tensor):
        return tensor.to(self.device, non_blocking=self.pinned)


class Copies(Job):
    """Host memory to the device, and back to other host memory."""

    def __init__(self, case):
        super().__init__(case)
        self.host = numbers((case.size,), 1)
        self.back = torch.zeros_like(self.host)
        if self.pinned:
            self.host, self.back = self.host.pin_memory(), self.back.pin_memory()
        self.there = torch.empty_like(self.host, device=self.device)

    def step(self):
        self.there.copy_(self.host, non_blocking=self.pinned)
        self.back.copy_(self.there, non_blocking=self.pinned)

    def step_with_transfers(self):
        self.step()
        self.wait()

    def value(self):
        self.wait()
        return self.back.abs().mean().item()


class Matmul(Job):
    """A product, whose casts under autocast are part of the step."""

    def __init__(self, case):
        super().__init__(case)
        sizes = case.size, case.size
        self.host_a, self.host_b = numbers(sizes, 1), numbers(sizes, 2)
        self.a, self.b = self.host_a.to(self.device), self.host_b.to(self.device)

    def multiply(self, a, b):
        with autocast(self.device.type, self.amp):
            return torch.mm(a, b)

    def step(self):
        self.product = self.multiply(self.a, self.b)

    def step_with_transfers(self):
        product = self.multiply(self.host_a.to(self.device), self.host_b.to(self.device))
        self.product = product.to("cpu")

    def value(self):
        return self.product.float().abs().mean().item()


def task_of(case):
    """A network, and a batch in host memory."""
    n = case.batch
    if case.workload == "simple":
        return nn.Linear(10, 1), numbers((n, 10), 101), numbers((n, 1), 102)
    y = torch.arange(n) % 10
    if case.workload == "lenet":
        return lenet(), numbers((n, 1, 28, 28), 101), y
    if case.workload == "cifar":
        return cifar_net(), numbers((n, 3, 32, 32), 101), y
    return mlp(case.size // 2, case.size, 10, "cpu"), numbers((n, case.size // 2), 101), y


class Training(Job):
    """A network on one device, with DataParallel, or as one rank of DDP."""

    def __init__(self, case, rank=0, ranks=1):
        super().__init__(case, rank)
        model, x, y = task_of(case)
        initialize(model, "cpu")
        model = self.wrap(model.to(self.device))
        rows = case.batch // ranks
        self.host_x = x[rank * rows:(rank + 1) * rows].contiguous()
        self.host_y = y[rank * rows:(rank + 1) * rows].contiguous()
        if self.pinned:
            self.host_x, self.host_y = self.host_x.pin_memory(), self.host_y.pin_memory()
        self.x, self.y = self.host_x.to(self.device), self.host_y.to(self.device)
        self.criterion = nn.functional.mse_loss if y.is_floating_point() else nn.functional.cross_entropy
        fused = {"fused": True} if self.device.type == "cuda" and self.has_fused_sgd() else {}
        self.optimizer = torch.optim.SGD(model.parameters(), 0.01, **fused)
        self.scaler = self.make_scaler() if case.amp == "float16" else None
        self.model, self.loss = model, None

    @staticmethod
    def has_fused_sgd():
        return "fused" in inspect.signature(torch.optim.SGD).parameters  # since PyTorch 2.4

    @staticmethod
    def make_scaler():
        kind = getattr(torch.amp, "GradScaler", None)  # since PyTorch 2.3
        return kind("cuda") if kind else torch.cuda.amp.GradScaler()

    def wrap(self, model):
        if self.case.method == "ddp":
            return nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
        if self.case.method == "data_parallel":
            return nn.DataParallel(model, list(range(self.case.devices)))
        return model

    def train(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        with autocast(self.device.type, self.amp):
            self.loss = self.criterion(self.model(x), y)
        if self.scaler is None:
            self.loss.backward()
            self.optimizer.step()
            return
        self.scaler.scale(self.loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def step(self):
        self.train(self.x, self.y)

    def step_with_transfers(self):
        scatters = self.case.method == "data_parallel"  # which copies each part to its own device
        self.train(self.host_x if scatters else self.to_device(self.host_x), self.to_device(self.host_y))
        self.value()

    def value(self):
        return self.loss.item()


class CapturedTraining(Training):
    """The same step, captured on a separate stream and replayed."""

    def checked_value(self):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(EAGER_STEPS):
                self.train(self.x, self.y)
        torch.cuda.current_stream().wait_stream(stream)
        self.optimizer.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.train(self.x, self.y)
        for _ in range(CHECKED_STEPS - EAGER_STEPS):
            self.graph.replay()
        return self.value()

    def step(self):
        self.graph.replay()

    def step_with_transfers(self):
        self.x.copy_(self.host_x, non_blocking=self.pinned)
        self.y.copy_(self.host_y, non_blocking=self.pinned)
        self.graph.replay()
        self.value()


def make_job(case, rank=0, ranks=1):
    if case.workload == "copy":
        return Copies(case)
    if case.workload == "matmul":
        return Matmul(case)
    return CapturedTraining(case) if case.graph else Training(case, rank, ranks)
