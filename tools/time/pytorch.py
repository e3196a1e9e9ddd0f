#!/usr/bin/python3
"""PyTorch's worker of `./course time --against pytorch`: the requests and answers of work/worker.h.

Started by the driver. It measures the cases of work/cases.def that PyTorch has (cpu and cuda), from the
same weights and batches as td, so that losses can be compared. Works with PyTorch 1.13 and later.
Invariant: only answers are written to standard output.
"""
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
from pytorch_cases import CORES, cases_here
from pytorch_jobs import make_job

TURNS, LEAST_TURNS = 10, 2  # as in work/measure.cpp


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
        while True:
            wanted, steps = max(1, min(1e6, seconds / max(self.turn(), 1e-9))), self.steps
            self.steps = round(min(wanted, 10 * steps))
            if wanted <= 2 * steps:
                break
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
    """The jobs of a process, which are set up at their first request."""

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
    """The main of a rank of DDP, a separate process: runs the requests from the pipe."""
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
        except Exception as error:  # the worker reports it, and ends all ranks
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
        except Exception as error:  # any error: the driver shows it with the case
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
