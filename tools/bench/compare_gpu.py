#!/usr/bin/env python3
"""Compares td with PyTorch on a GPU: one piece of work, both sides (and CUDA itself) in turns.

  compare_gpu.py [OPTION...] simple|mlp|large_mlp|lenet|cifar|scaler|host|copies|startup|warm

Starts the programs of tools/bench/worker.h, checks that both sides compute the same losses, on cpu
first, and only then times them in interleaved rounds. Prints each figure as "name: value", which
tools/gpu_report.py writes into docs/measurements/gpu.md, and everything as JSON with --json.
`warm` lets torch.compile fill its cache for all networks. Exit codes: 0, 1 where the sides disagree
or a td program fails, 77 without PyTorch.
"""
import argparse
import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NETWORKS = ["simple", "mlp", "large_mlp", "lenet", "cifar"]
PRECISIONS = ["float32", "tf32", "bfloat16", "float16"]
TOLERANCE = {"float32": 1e-3, "scaled": 1e-3, "tf32": 1e-2, "bfloat16": 3e-2, "float16": 2e-2}
MODES = ["eager", "graph", "compile"]


class Failed(Exception):
    """The comparison cannot be believed."""


class Worker:
    """A program that answers one line of JSON for each line that it is sent."""

    def __init__(self, name, command, environment):
        self.name, self.answers = name, queue.Queue()
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      env=environment)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            self.answers.put(line)
        self.answers.put(None)

    def send(self, *words):
        try:
            self.child.stdin.write(" ".join(map(str, words)) + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says so

    def answer(self, seconds=300.0):
        """The next answer; where none comes in time the program is ended."""
        try:
            line = self.answers.get(timeout=max(seconds, 0.1))
        except queue.Empty:
            self.end()
            return {"error": "took too long"}
        if line is None:
            return {"error": f"{self.name} ended with {self.child.wait()}"}
        return json.loads(line)

    def end(self):
        self.child.kill()
        self.child.wait()


class Config:
    """One way to do the work on one side."""

    def __init__(self, worker, work, precision, mode):
        self.worker, self.work, self.precision, self.mode = worker, work, precision, mode
        self.name = f"{work}/{precision}/{mode}"
        self.error, self.values, self.peak, self.rounds, self.host = None, [], 0, [], []

    def set_up(self, answer):
        self.error, self.values = answer.get("error"), answer.get("values", [])
        self.peak = answer.get("peak_bytes", 0)

    def run(self, steps, seconds):
        self.worker.send("run", self.name, steps, seconds)
        answer = self.worker.answer()
        self.error = answer.get("error")
        loss = answer.get("loss", 0)
        if "loss" in answer and not (loss is not None and loss <= self.values[0]):
            raise Failed(f"{self.worker.name}, {self.name}: the loss went from {self.values[0]} to {loss}")
        return answer

    def figures(self):
        """Medians and spread in seconds, or why there are none."""
        if self.error or not self.rounds:
            return {"error": self.error or "was not run"}
        times = sorted(time for one in self.rounds for time in one)
        return {"median": statistics.median(times), "p10": times[len(times) // 10],
                "p90": times[min(len(times) - 1, len(times) * 9 // 10)], "samples": len(times),
                "host": statistics.median(self.host), "peak_bytes": self.peak}


class Comparison:
    """The programs, and what has been found out."""

    def __init__(self, options):
        self.options, self.workers, self.report = options, {}, {}
        self.python = python_with_torch(options.python)
        self.commands = {"td": [options.build / "tools/bench/bench_compare_gpu"],
                         "torch": [self.python, "-B", HERE / "compare_gpu_torch.py"]}
        self.commands["compiled"] = self.commands["torch"]
        raw = options.build / "tools/bench/bench_raw_cuda"
        if raw.exists() and options.device.startswith("cuda"):
            self.commands["raw"] = [options.raw or raw]
        self.devices = {"td": options.device, "raw": options.device}
        self.devices["torch"] = self.devices["compiled"] = options.torch_device

    def worker(self, side):
        if side not in self.workers:
            self.workers[side] = self.started(side)
        return self.workers[side]

    def started(self, side):
        """A new program. On a host's device one thread is enough to compare losses."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
        if not self.devices[side].startswith("cuda"):
            environment["OMP_NUM_THREADS"] = "1"
        return Worker(side, self.commands[side], environment)

    def configs(self, sides, work, precisions, modes, device=None, size=None):
        """Sets all of them up at the same time, one program beside the other."""
        made = [(side, Config(self.worker(side), work, precision, mode))
                for side in sides for precision in precisions for mode in modes]
        for side, config in made:
            config.worker.send("setup", config.name, device or self.devices[side], work,
                               config.precision, config.mode, size or self.options.size)
        for _, config in made:
            config.set_up(config.worker.answer())
        return {(side, config.precision, config.mode): config for side, config in made}

    def compiled(self, work, precisions):
        """torch.compile, as far as it is ready in time."""
        if self.options.size == "tiny" and not self.options.torch_device.startswith("cuda"):
            return {}  # the host's compiler would take longer than all the rest
        until = time.monotonic() + self.options.compile_seconds
        made = [Config(self.worker("compiled"), work, precision, "compile") for precision in precisions]
        for config in made:
            config.worker.send("setup", config.name, self.options.torch_device, work,
                               config.precision, "compile", self.options.size)
        for config in made:
            config.set_up(config.worker.answer(until - time.monotonic()))
        return {("compiled", config.precision, "compile"): config for config in made}

    def interleave(self, configs):
        """Rounds in turns, after one that does not count and tells how many steps a turn has."""
        alive = [config for config in configs if not config.error]
        for config in alive:
            first = config.run(1, 0)
            config.steps = 1
            if not config.error:
                config.steps = min(20, max(1, int(0.02 / max(first["step"]))))
        for _ in range(self.options.rounds):
            for config in alive:
                answer = {} if config.error else config.run(config.steps, self.options.seconds)
                config.rounds.append(answer.get("step", []))
                config.host += answer.get("host", [])

    def note(self, name, text, **about):
        self.report[name] = {"text": text, **about}
        print(f"{name}: {text}", flush=True)


def python_with_torch(wanted):
    for python in [wanted] if wanted else [sys.executable, "python3", "/usr/bin/python3"]:
        probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
        try:
            if subprocess.run([python, "-c", probe], check=False).returncode == 0:
                return python
        except OSError:
            pass
    print("skipped: PyTorch is the other side of this comparison, and no Python here has it")
    sys.exit(77)


def agree(configs, tolerance=None):
    """Every side's values must be those of td's first configuration of the same precision."""
    for (side, precision, mode), config in configs.items():
        if side == "td" and config.error and mode == "eager":
            raise Failed(f"td, {config.name}: {config.error}")
        mine = next((c for (s, p, _), c in configs.items() if s == "td" and p == precision), None)
        if config.error or side == "raw" or mine is None:
            continue
        limit = tolerance or TOLERANCE[precision]
        if len(mine.values) != len(config.values) or not all(
                abs(a - b) <= limit * max(abs(a), abs(b)) for a, b in zip(mine.values, config.values)):
            raise Failed(f"{side}, {config.name} computes {config.values}, but td {mine.values}")


def in_words(seconds):
    for unit, size in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def against(mine, other, name):
    """How many times faster `mine` is than another side, in words."""
    if other is None or "error" in other:
        return f"{name}: {(other or {}).get('error', 'was not run')}".replace(": ", ", ", 1)
    return f"{name} {in_words(other['median'])} ({other['median'] / mine['median']:.2f} x)"


def figure(compared, name, mine, others, more=""):
    """Prints one figure of td beside others'."""
    mine, others = mine.figures(), {other: config.figures() for other, config in others.items()}
    if "error" in mine:
        print(f"{name}, no figure, because td said: {mine['error']}")
        compared.report[name] = {"error": mine["error"]}
        return
    text = f"{in_words(mine['median'])} ({in_words(mine['p10'])} - {in_words(mine['p90'])})"
    texts = [text] + [against(mine, other, name) for name, other in others.items()] + ([more] if more else [])
    compared.note(name, "; ".join(texts), td=mine, others=others)


def train(compared, work):
    """A network in all precisions, eager and as a graph; losses are compared on cpu first."""
    agree(compared.configs(["td", "torch"], work, ["float32"], ["eager"], "cpu", "tiny"))
    precisions = PRECISIONS if compared.options.device.startswith("cuda") else ["float32", "bfloat16"]
    configs = compared.configs(["td", "torch"], work, precisions, ["eager", "graph"])
    configs.update(compared.compiled(work, precisions))
    raw = {}
    if work == "large_mlp" and "raw" in compared.commands:
        raw = compared.configs(["raw"], work, precisions, ["eager"])
    agree(configs)
    compared.interleave([*configs.values(), *raw.values()])
    for precision in precisions:
        mine, theirs = (configs[side, precision, "eager"] for side in ("td", "torch"))
        others = {"PyTorch": theirs}
        if ("compiled", precision, "compile") in configs:
            others["compiled"] = configs["compiled", precision, "compile"]
        if raw:
            others["its products alone"] = raw["raw", precision, "eager"]
        figure(compared, f"{precision}, eager", mine, others)
        figure(compared, f"{precision}, graph", configs["td", precision, "graph"],
               {"PyTorch": configs["torch", precision, "graph"]})
        if not mine.error and not theirs.error:
            compared.note(f"{precision}, memory", f"{mine.peak / 2**20:.3g} MiB; PyTorch "
                          f"{theirs.peak / 2**20:.3g} MiB")


def scaler(compared, _):
    """A GradScaler's share of a step."""
    ways = ["float32", "scaled"]
    configs = compared.configs(["td", "torch"], "cifar", ways, ["eager", "graph"])
    agree(configs)
    compared.interleave(configs.values())
    for mode in ("eager", "graph"):
        texts = []
        for side, name in (("td", ""), ("torch", "PyTorch ")):
            plain, scaled = (configs[side, way, mode].figures() for way in ways)
            if "error" in plain or "error" in scaled:
                texts.append(name + str(plain.get("error") or scaled.get("error")))
            else:
                texts.append(f"{name}{100 * (scaled['median'] / plain['median'] - 1):.1f} %")
        if texts[0][0] in "-0123456789":
            compared.note(f"share of a step, {mode}", "; ".join(texts))


def host(compared, _):
    """The host's time to enqueue an operation."""
    for work in ("add", "add_recorded", "mm", "linear"):
        configs = compared.configs(["td", "torch"], work, ["float32"], ["eager"])
        agree(configs)
        for _ in range(compared.options.rounds):
            for config in configs.values():
                config.host += config.run(200, compared.options.seconds).get("host", [])
        mine, theirs = (sorted(configs[side, "float32", "eager"].host) for side in ("td", "torch"))
        name = work.replace("_", ", ")
        if mine and theirs:
            a, b = statistics.median(mine), statistics.median(theirs)
            compared.note(f"host, {name}", f"{in_words(a)} ({in_words(mine[len(mine) // 10])} - "
                          f"{in_words(mine[len(mine) * 9 // 10])}); PyTorch {in_words(b)} ({b / a:.2f} x)",
                          td=a, torch=b)


def copies(compared, _):
    """Copies each way, and how much of one hides behind a product."""
    amount = 4 * ((1 << 10) if compared.options.size == "tiny" else 64 << 20)
    sides = ["td", "torch"] + (["raw"] if "raw" in compared.commands else [])
    if not compared.options.torch_device.startswith("cuda"):
        sides.remove("torch")
    works = ["to_device_pageable", "to_device_pinned", "to_host_pageable", "to_host_pinned"]
    for work in works + ["product", "overlap"]:
        wanted = sides if work in works else [side for side in sides if side != "raw"]
        configs = compared.configs(wanted, work, ["float32"], ["eager"])
        agree(configs)
        compared.interleave(configs.values())
        found = {side: config.figures() for (side, _, _), config in configs.items()}
        compared.report[work] = found
        if work in works and "error" not in found["td"]:
            texts = [f"{name}{amount / found[side]['median'] / 1e9:.3g} GB/s" for side, name in
                     (("td", ""), ("torch", "PyTorch "), ("raw", "CUDA alone "))
                     if side in found and "error" not in found[side]]
            compared.note(work.replace("_", " "), "; ".join(texts), **found)
    overlap(compared, sides)


def overlap(compared, sides):
    """How much of the shorter of copy and product is hidden by the longer one."""
    texts = []
    for side in (side for side in ("td", "torch") if side in sides):
        times = [compared.report[work].get(side, {}).get("median")
                 for work in ("to_device_pinned", "product", "overlap")]
        if all(times):
            copy, product, both = times
            texts.append(f"{'PyTorch ' if side == 'torch' else ''}"
                         f"{100 * (copy + product - both) / min(copy, product):.0f} %")
    if texts:
        compared.note("copy hidden by a product", "; ".join(texts))


def startup(compared, _):
    """From the start of a process to the loss of a first step."""
    times = {"td": [], "torch": []}
    for _ in range(compared.options.rounds):
        for side, known in times.items():
            begin = time.perf_counter()
            worker = compared.started(side)
            worker.send("setup", "first", compared.devices[side], "simple", "float32", "eager", "full")
            answer = worker.answer()
            known.append(time.perf_counter() - begin)
            worker.end()
            if "error" in answer:
                raise Failed(f"{side} does not start: {answer['error']}")
    mine, theirs = (statistics.median(times[side]) for side in ("td", "torch"))
    compared.note("start to first result", f"{in_words(mine)}; PyTorch {in_words(theirs)} "
                  f"({theirs / mine:.2f} x)", **times)


def warm(compared, _):
    """One compiling program per network, all at the same time."""
    until = time.monotonic() + compared.options.compile_seconds
    workers = {work: compared.started("compiled") for work in NETWORKS}
    for work, worker in workers.items():
        for precision in PRECISIONS:
            worker.send("setup", precision, compared.options.torch_device, work, precision, "compile",
                        compared.options.size)
    ready = 0
    for worker in workers.values():
        for _ in PRECISIONS:
            ready += "error" not in worker.answer(until - time.monotonic())
        worker.end()
    compared.note("steps that torch.compile made ready", f"{ready} of {len(workers) * len(PRECISIONS)}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=[*NETWORKS, "scaler", "host", "copies", "startup", "warm"])
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--device", default="cuda:0", help="td's")
    parser.add_argument("--torch-device", help="PyTorch's: cuda:0 where td's is cuda, else cpu")
    parser.add_argument("--python", help="the Python that has PyTorch")
    parser.add_argument("--raw", help="another program instead of bench_raw_cuda")
    parser.add_argument("--size", choices=["full", "tiny"], default="full")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="of one side in one round")
    parser.add_argument("--compile-seconds", type=float, default=60, help="for torch.compile")
    parser.add_argument("--json", type=Path, help="writes everything there")
    options = parser.parse_args()
    if not options.torch_device:
        options.torch_device = "cuda:0" if options.device.startswith("cuda") else "cpu"
    return options


def main():
    options = parse()
    compared = Comparison(options)
    do = {"scaler": scaler, "host": host, "copies": copies, "startup": startup, "warm": warm}
    try:
        do.get(options.work, train)(compared, options.work)
    except Failed as failure:
        print(failure)
        sys.exit(1)
    finally:
        for worker in compared.workers.values():
            worker.end()
        if options.json:
            options.json.write_text(json.dumps(compared.report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
