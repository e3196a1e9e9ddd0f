"""PyTorch's side of compare_gpu.py: the work of compare_gpu.cpp, eager, compiled, or as a CUDA graph.

Started by the driver, with the protocol of tools/bench/worker.h. Invariant: networks start
from the same numbers as in compare_gpu.cpp, and PyTorch has its best settings: fused optimizers, and
cuDNN chooses algorithms by measuring them.
"""
import json
import sys
import time

import torch
from torch import nn

FAST = {"bfloat16": torch.bfloat16, "float16": torch.float16}
CHECKED_STEPS = 5
MASK = 0xFFFFFFFF
TRAINING = ("simple", "mlp", "large_mlp", "lenet", "cifar")


def numbers(sizes, seed, device="cpu"):
    """The numbers of worker.h, computed on the device."""
    count = 1
    for size in sizes:
        count *= size
    x = (torch.arange(count, device=device) * 0x9E3779B1 + seed * 0x85EBCA77) & MASK
    x = ((x ^ x >> 15) * 0x2C1B3C6D) & MASK
    x = ((x ^ x >> 13) * 0x297A2D39) & MASK
    x = x ^ x >> 16
    return ((x >> 8).float() * 2.0**-23 - 1).view(*sizes)


def mlp(inputs, width, outputs, device):
    return nn.Sequential(nn.Linear(inputs, width, device=device), nn.ReLU(),
                         nn.Linear(width, width, device=device), nn.ReLU(),
                         nn.Linear(width, outputs, device=device))


def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5),
                         nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(),
                         nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def cifar_net():
    return nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(2),
                         nn.Conv2d(32, 32, 5, padding=2), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 5, padding=2), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(1024, 64), nn.Linear(64, 10))


def task_of(work, device, tiny):
    """A network, and the sizes and classes of its batch."""
    batch = 8 if tiny else 64
    if work == "simple":
        return nn.Linear(10, 1), (100, 10), None
    if work == "mlp":
        return mlp(784, 512, 10, device), (batch, 784), 10
    if work == "lenet":
        return lenet(), (batch, 1, 28, 28), 10
    if work == "cifar":
        return cifar_net(), (batch, 3, 32, 32), 10
    batch, inputs, width, outputs = (32, 48, 64, 16) if tiny else (8192, 4096, 8192, 1024)
    return mlp(inputs, width, outputs, device), (batch, inputs), outputs


def initialize(model, device):
    seed, scale = 1, 1.0
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1:
                scale = (p.numel() // p.shape[0]) ** -0.5
            p.copy_(numbers(p.shape, seed, device) * scale)
            seed += 1


class Training:
    """A network and its step."""

    def __init__(self, device, work, precision, mode, tiny):
        self.device, self.fast = torch.device(device), FAST.get(precision)
        scaled = precision in ("float16", "scaled")
        model, sizes, kinds = task_of(work, device, tiny)
        self.model = model.to(self.device)
        initialize(self.model, device)
        self.x = numbers(sizes, 101, device)
        self.y = (numbers((sizes[0], 1), 102, device) if kinds is None
                  else torch.arange(sizes[0], device=device) % kinds)
        self.criterion = nn.functional.mse_loss if kinds is None else nn.functional.cross_entropy
        fused = {"fused": True} if self.device.type == "cuda" else {}
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.01, **fused)
        self.scaler = None
        if scaled:
            kind = getattr(torch.amp, "GradScaler", None)
            self.scaler = kind(self.device.type) if kind else torch.cuda.amp.GradScaler()
        self.forward = torch.compile(self.loss_of) if mode == "compile" else self.loss_of
        self.loss = None

    def loss_of(self, x, y):
        if self.fast is None:
            return self.criterion(self.model(x), y)
        with torch.autocast(self.device.type, dtype=self.fast):
            return self.criterion(self.model(x), y)

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.loss = self.forward(self.x, self.y)
        if self.scaler is None:
            self.loss.backward()
            self.optimizer.step()
        else:
            self.scaler.scale(self.loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()


class Job:
    """A piece of work that is set up."""

    def __init__(self, step, device, precision, values=(), peak=0, training=None):
        self.step, self.device, self.precision = step, torch.device(device), precision
        self.values, self.peak = list(values), peak
        self.training = training  # its tensors are the graph's

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def timed(self, steps, seconds):
        """As in worker.h."""
        set_precision(self.precision)
        host, step, start = [], [], time.perf_counter()
        call = self.step
        while len(step) < 3 or time.perf_counter() - start < seconds:
            self.wait()
            turn = time.perf_counter()
            for _ in range(steps):
                call()
            host.append((time.perf_counter() - turn) / steps)
            self.wait()
            step.append((time.perf_counter() - turn) / steps)
        answer = {"host": host, "step": step}
        if self.training is not None:
            answer["loss"] = self.training.loss.item()
        return answer


def set_precision(precision):
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def graph_of(training, values):
    """Captures the step, after three steps without a graph on a separate stream."""
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            training.step()
            values.append(training.loss.item())
    torch.cuda.current_stream().wait_stream(stream)
    training.optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        training.step()
    while len(values) < CHECKED_STEPS:
        graph.replay()
        values.append(training.loss.item())
    return graph


def train(device, work, precision, mode, tiny):
    on_gpu = device.startswith("cuda")
    if mode == "graph" and not on_gpu:
        raise ValueError("PyTorch has graphs on cuda only")
    if mode == "compile" and not hasattr(torch, "compile"):
        raise ValueError(f"PyTorch {torch.__version__} has no torch.compile")
    set_precision(precision)
    if on_gpu:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated() if on_gpu else 0
    training, values, step = Training(device, work, precision, mode, tiny), [], None
    if mode == "graph":
        graph = graph_of(training, values)
        step = graph.replay
    while len(values) < CHECKED_STEPS:
        training.step()
        values.append(training.loss.item())
    peak = torch.cuda.max_memory_allocated() - before if on_gpu else 0
    return Job(step or training.step, device, precision, values, peak, training)


def operation(device, work, precision):
    a, b = numbers((16, 16), 1, device), numbers((16, 16), 2, device)
    a.requires_grad_(work in ("add_recorded", "linear"))
    call = {"mm": lambda: torch.mm(a, b),
            "linear": lambda: torch.relu(nn.functional.linear(b, a))}.get(work, lambda: a + b)
    return Job(call, device, precision, [call().detach().abs().sum().item()])


def copy(device, work, precision, tiny):
    to_host, pinned = work.startswith("to_host"), not work.endswith("pageable")
    host = numbers((1 << 10 if tiny else 64 << 20,), 1)
    there, side = host.to(device), 32 if tiny else 4096
    square = numbers((side, side), 2, device)
    on_gpu = device.startswith("cuda")
    memory = host.pin_memory() if pinned and on_gpu else host
    stream = torch.cuda.Stream() if on_gpu else None
    target, source = (memory, there) if to_host else (there, memory)

    def step():
        if work in ("overlap", "product"):
            torch.mm(square, square)
        if work != "product":
            with torch.cuda.stream(stream):
                target.copy_(source, non_blocking=pinned)

    step()
    job = Job(step, device, precision)
    job.wait()
    job.values = [(there[7] + memory[7].item()).item()]
    return job


def setup(device, work, precision, mode, size):
    torch.backends.cudnn.benchmark = True
    if work in TRAINING:
        return train(device, work, precision, mode, size == "tiny")
    if work in ("add", "add_recorded", "mm", "linear"):
        return operation(device, work, precision)
    return copy(device, work, precision, size == "tiny")


def obey(line, jobs):
    verb, name, *words = line.split()
    if verb == "setup":
        job = jobs[name] = setup(*words)
        return {"values": job.values, "peak_bytes": job.peak, "version": torch.__version__}
    return jobs[name].timed(int(words[0]), float(words[1]))


def main():
    jobs = {}
    for line in sys.stdin:
        try:
            answer = obey(line, jobs)
        except Exception as error:  # any error: the driver shows it in the cell
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
