#!/usr/bin/python3
"""PyTorch's worker of `./course time --against pytorch`: the requests and answers of work/worker.h.

Started by the driver. It measures the cases of work/cases.def that PyTorch has (cpu and cuda), from the
same weights and batches as td, so that losses can be compared. Works with PyTorch 1.13 and later.
Invariant: nothing but answers goes to standard output.
"""
import ast
import ctypes
import json
import math
import os
import pathlib
import re
import signal
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench"))
from compare_gpu_torch import cifar_net, initialize, lenet, mlp, numbers  # noqa: E402

CORES = len(os.sched_getaffinity(0))
FAST = {"bfloat16": torch.bfloat16, "float16": torch.float16}
MOST_DEVICES, CHECKED_STEPS, EAGER_STEPS = 8, 5, 3
TURNS, LEAST_TURNS = 10, 2  # as in work/measure.cpp
USUAL_SECONDS = 0.4


class Case:
    """What a name says; see work/cases.def."""

    def __init__(self, name, workloads):
        self.name = name
        self.workload, place, *settings = name.split("/")
        self.title, self.unit, self.batch, self.size, self.core_seconds = workloads[self.workload]
        self.per_step = {"bytes": 8 * self.size, "flops": 2 * self.size**3}.get(self.unit, self.batch)
        self.device, _, count = place.partition(":")
        self.devices = int(count or 1)
        self.method = next((s for s in settings if s in ("data_parallel", "ddp")), "single")
        self.amp = next((s[4:] for s in settings if s.startswith("amp:")), "off")
        self.pinned, self.graph = "pinned" in settings, "graph" in settings
        self.threads = 1 if "1thread" in settings else CORES

    def describe(self):
        step = self.core_seconds / (self.threads if self.device == "cpu" else 1)
        fields = ("name", "workload", "title", "device", "devices", "method", "threads", "amp", "pinned",
                  "graph", "unit", "per_step", "batch")
        return {**{field: getattr(self, field) for field in fields},
                "estimate": max(USUAL_SECONDS, 4 * step) + 4 * step}


def sized(name, title, unit, batch, size, core_seconds):
    """A workload as TD_TIME_SIZE asks; see work/cases.cpp."""
    if os.environ.get("TD_TIME_SIZE") != "tiny":
        return title, unit, batch, size, core_seconds
    return f"{title} (tiny)", unit, min(batch, 8), 64 if name in ("copy", "matmul", "mlp") else size, 0.001


def available(device):
    """How many devices there may be in a case; processes stand for devices on the cpu."""
    return {"cpu": max(2, CORES), "cuda": torch.cuda.device_count()}.get(device, 0)


def cases_here():
    """All cases of cases.def that this machine and PyTorch can measure, by name."""
    text = (HERE / "work/cases.def").read_text()
    workloads, cases = {}, {}
    for kind, words in re.findall(r"^(WORKLOAD|CASES)\((.*?)\)$", text, re.M | re.S):
        name, *rest = ast.literal_eval(f"({words})")
        if kind == "WORKLOAD":
            workloads[name] = sized(name, *rest)
            continue
        for configuration in rest:
            most = available(re.split("[:/]", configuration)[0])
            counts = [n for n in (2, 4, 8) if n <= min(most, MOST_DEVICES)]
            alike = configuration == "cpu/1thread" and CORES == 1
            if ":N" not in configuration:
                counts = [1] if most and not alike else []
            for n in counts:
                one = f"{name}/{configuration.replace(':N', f':{n}')}"
                cases[one] = Case(one, workloads)
    return cases


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
    """A network on one device, by DataParallel, or as one rank of DDP."""

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
        self.scaler = torch.cuda.amp.GradScaler() if case.amp == "float16" else None
        self.model, self.loss = model, None

    @staticmethod
    def has_fused_sgd():
        return "fused" in torch.optim.SGD.__init__.__code__.co_varnames

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
    """The same step, captured on a stream of its own and replayed."""

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


class Kind:
    """Turns of steps of one kind, as in work/measure.cpp."""

    def __init__(self, job, step, largest, total):
        self.job, self.step, self.largest, self.total = job, step, largest, total
        self.steps, self.times, self.processor = 1, [], []

    def turn(self):
        self.job.wait()
        cpu, begin, step = time.process_time(), time.perf_counter(), self.step
        for _ in range(self.steps):
            step()
        self.job.wait()
        passed, processor = time.perf_counter() - begin, time.process_time() - cpu
        self.processor.append(self.total(processor / self.steps))
        self.times.append(self.largest(passed / self.steps))
        return self.times[-1]

    def warm_up(self, seconds):
        self.turn()
        self.steps = max(1, min(1000000, round(seconds / max(self.turn(), 1e-9))))
        self.times, self.processor = [], []

    def seconds(self):
        return sum(self.times) * self.steps


def measure(job, seconds, largest=float, total=float):
    resident = Kind(job, job.step, largest, total)
    transfers = Kind(job, job.step_with_transfers, largest, total)
    for kind in (resident, transfers):
        kind.warm_up(seconds / TURNS)
    while len(resident.times) < LEAST_TURNS or resident.seconds() + transfers.seconds() < seconds:
        resident.turn()
        transfers.turn()
    last = job.value()
    if not math.isfinite(last):
        raise ValueError(f"the loss is {last} after the last step")
    return {"steps": resident.steps * len(resident.times),
            "seconds_per_step": statistics.median(resident.times),
            "with_transfers": statistics.median(transfers.times),
            "cpu_seconds_per_step": statistics.median(resident.processor)}


class Jobs:
    """The jobs of a process, which are set up when they are first asked for."""

    def __init__(self, rank=0, ranks=1):
        self.cases, self.ready, self.rank, self.ranks = cases_here(), {}, rank, ranks

    def run(self, name, seconds, largest=float, total=float):
        case = self.cases[name]
        torch.set_num_threads(max(1, case.threads // self.ranks))
        if name not in self.ready:
            job = make_job(case, self.rank, self.ranks)
            self.ready[name] = job, total(job.checked_value()) / self.ranks
        job, loss = self.ready[name]
        return {"name": name, **measure(job, seconds, largest, total), "loss": loss}


def be_a_rank(device, port, rank, ranks, requests, worker):
    """The main of a rank of DDP, a process of its own: runs what comes through the pipe."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it does not outlive the worker
    if os.getppid() != worker:  # which has ended while this process was starting
        return
    if device == "cuda":
        torch.cuda.set_device(rank)
    store = dist.TCPStore("127.0.0.1", port, ranks, False)
    dist.init_process_group("nccl" if device == "cuda" else "gloo", store=store, rank=rank,
                            world_size=ranks)
    jobs, place = Jobs(rank, ranks), f"cuda:{rank}" if device == "cuda" else "cpu"

    def reduced(value, operation):
        tensor = torch.tensor([value], dtype=torch.float64, device=place)
        dist.all_reduce(tensor, operation)
        return tensor.item()

    while True:
        try:
            name, seconds = requests.recv()
        except EOFError:
            return
        try:
            answer = jobs.run(name, seconds, lambda x: reduced(x, dist.ReduceOp.MAX),
                              lambda x: reduced(x, dist.ReduceOp.SUM))
        except Exception as error:  # the worker tells it, and ends all ranks
            answer = {"error": said(error)}
        requests.send(answer)


class Ranks:
    """The processes of one kind of DDP; they wait for requests until the worker ends."""

    def __init__(self, device, ranks):
        context = torch.multiprocessing.get_context("spawn")
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        self.store = dist.TCPStore("127.0.0.1", 0, ranks, True, wait_for_workers=False)
        self.pipes, self.processes = [], []
        for rank in range(ranks):
            ours, theirs = context.Pipe()
            process = context.Process(target=be_a_rank, daemon=True,
                                      args=(device, self.store.port, rank, ranks, theirs, os.getpid()))
            process.start()
            theirs.close()
            self.pipes.append(ours)
            self.processes.append(process)

    def run(self, name, seconds):
        try:
            for pipe in self.pipes:
                pipe.send((name, seconds))
            answers = [pipe.recv() for pipe in self.pipes]
        except (EOFError, OSError) as error:
            raise RuntimeError("a rank ended before it had answered") from error
        for answer in answers:
            if "error" in answer:
                raise RuntimeError(answer["error"])
        return answers[0]

    def stop(self):
        for process in self.processes:
            process.kill()
            process.join()


def said(error):
    """An error as one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


class Worker:
    """Answers requests."""

    def __init__(self):
        self.jobs, self.ranks = Jobs(), {}

    def list(self):
        gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        dnn = re.search(r"MKL-DNN v(\S+)", torch.__config__.show())
        libraries = {"oneDNN": dnn and dnn.group(1), "CUDA": torch.version.cuda}
        missing = [{"what": "sim", "why": "PyTorch has no software accelerator"}]
        if not gpus:
            missing.append({"what": "cuda", "why": "this PyTorch sees no GPU"})
        text = pathlib.Path("/proc/cpuinfo").read_text()
        processor = re.search(r"^model name\s*: (.*)$", text, re.M)
        return {"framework": f"PyTorch {torch.__version__}",
                "context": {"processor": processor.group(1) if processor else "", "cores": CORES,
                            "gpus": gpus, "libraries": {k: v for k, v in libraries.items() if v}},
                "cases": [case.describe() for case in self.jobs.cases.values()], "not_here": missing}

    def run(self, name, seconds):
        case = self.jobs.cases.get(name)
        if case is None:
            raise ValueError(f'there is no case "{name}" in PyTorch on this machine; list names them all')
        if case.method != "ddp":
            return self.jobs.run(name, seconds)
        key = case.device, case.devices
        if key not in self.ranks:
            self.ranks[key] = Ranks(*key)
        try:
            return self.ranks[key].run(name, seconds)
        except RuntimeError:
            self.ranks.pop(key).stop()
            raise

    def obey(self, line):
        words = line.split()
        if words == ["list"]:
            return self.list()
        try:
            if len(words) == 2 and words[0] == "explain":
                raise ValueError("PyTorch's worker explains nothing; ask td's")
            if len(words) != 3 or words[0] != "run" or not float(words[2]) >= 0:
                raise ValueError(f'"{line}" is no request; expected list, run NAME SECONDS or quit')
            return self.run(words[1], float(words[2]))
        except Exception as error:  # whatever it is, the driver shows it with the case
            return {"name": words[1] if len(words) > 1 else "", "error": said(error)}


def main():
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # as td
    torch.backends.cudnn.benchmark = True
    worker = Worker()
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        print(json.dumps(worker.obey(line.rstrip("\n"))), flush=True)
    for ranks in worker.ranks.values():
        ranks.stop()


if __name__ == "__main__":
    main()
