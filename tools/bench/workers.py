"""The programs that compare_gpu.py runs interleaved, and the rules for that.

A Worker is a program with the protocol of tools/bench/worker.h, a Config one way to do the work in one
of them, a Comparison all of them together. Invariant: a program's results are compared before it is
timed and checked again afterwards; if they are wrong, no time is reported.
"""
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
TOLERANCE = {"float32": 1e-4, "scaled": 1e-4, "tf32": 2e-3, "bfloat16": 1e-2, "float16": 5e-3}


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
            pass  # the answer reports it

    def answer(self, seconds=300.0):
        """The next answer; if none comes in time, the program is ended."""
        try:
            line = self.answers.get(timeout=max(seconds, 0.1))
        except queue.Empty:
            self.end()
            return {"error": "took too long"}
        if line is None:
            self.answers.put(None)  # for the next answer that will not come
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
        self.loss, self.steps = 0.0, 1

    def set_up(self, answer):
        self.error, self.values = answer.get("error"), answer.get("values", [])
        self.peak = answer.get("peak_bytes", 0)

    def run(self, steps, seconds):
        self.worker.send("run", self.name, steps, seconds)
        answer = self.worker.answer()
        self.error = answer.get("error")
        self.loss = answer.get("loss", 0.0)  # null where it is not a number
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
    """The programs, and their results so far."""

    def __init__(self, options):
        self.options, self.workers, self.report, self.failed = options, {}, {}, False
        self.mine = []  # td's configurations
        self.python = python_with_torch(options.python)
        self.commands = {"td": [options.build / "tools/bench/bench_compare_gpu"],
                         "torch": [self.python, "-B", HERE / "compare_gpu_torch.py"]}
        raw = options.build / "tools/bench/bench_raw_cuda"
        if raw.exists() and options.device.startswith("cuda"):
            self.commands["raw"] = [options.raw or raw]
        self.devices = {"td": options.device, "raw": options.device}
        self.devices["torch"] = options.torch_device

    def worker(self, side, name=None):
        """The program of a side; there may be several with different names."""
        name = name or side
        if name not in self.workers:
            self.workers[name] = self.started(side)
        return self.workers[name]

    def started(self, side):
        """A new program. On a host's device one thread is enough to compare losses."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("OPENBLAS_")}
        if not self.devices[side].startswith("cuda"):
            environment["OMP_NUM_THREADS"] = "1"
        return Worker(side, self.commands[side], environment)

    def configs(self, sides, work, precisions, modes, device=None, size=None):
        """Sets up all programs concurrently."""
        made = [(side, Config(self.worker(side), work, precision, mode))
                for side in sides for precision in precisions for mode in modes]
        for side, config in made:
            config.worker.send("setup", config.name, device or self.devices[side], work,
                               config.precision, config.mode, size or self.options.size)
        for _, config in made:
            config.set_up(config.worker.answer())
        self.mine += [config for side, config in made if side == "td"]
        return {(side, config.precision, config.mode): config for side, config in made}

    def compiled(self, work, precisions):
        """torch.compile, one program per precision; the ones that are not ready in time are ended."""
        if not self.devices["torch"].startswith("cuda") or self.options.compile_seconds == 0:
            return {}  # the host's compiler would take longer than everything else
        until = time.monotonic() + self.options.compile_seconds
        made = [Config(self.worker("torch", f"compiled {precision}"), work, precision, "compile")
                for precision in precisions]
        for config in made:
            config.worker.send("setup", config.name, self.devices["torch"], work, config.precision,
                               "compile", self.options.size)
        for config in made:
            config.set_up(config.worker.answer(until - time.monotonic()))
        return {("compiled", config.precision, "compile"): config for config in made}

    def interleave(self, configs):
        """Interleaved rounds, after an uncounted one that determines the number of steps per run."""
        alive = [config for config in configs if not config.error]
        for config in alive:
            first = config.run(1, 0)
            if not config.error:
                config.steps = min(20, max(1, int(0.02 / max(first["step"]))))
        for _ in range(self.options.rounds):
            for config in alive:
                answer = {} if config.error else config.run(config.steps, self.options.seconds)
                config.rounds.append(answer.get("step", []))
                config.host += answer.get("host", [])
        for config in alive:
            highest = 1.001 * max([0, *config.values])
            if not config.error and (config.loss is None or config.loss > highest):
                self.doubt(config, f"the loss is {config.loss} after the steps that were timed")

    def agree(self, configs, tolerance=None):
        """All must compute the same as PyTorch in eager mode, or as td if PyTorch cannot."""
        for (side, precision, _), config in configs.items():
            known = [configs[other, precision, "eager"] for other in ("torch", "td")
                     if (other, precision, "eager") in configs]
            expected = next((other.values for other in known if other.values), config.values)
            if config.error or side == "raw":
                continue
            if len(expected) != len(config.values) or not all(
                    abs(a - b) <= (tolerance or TOLERANCE[precision]) * max(abs(a), abs(b))
                    for a, b in zip(expected, config.values)):
                self.doubt(config, f"{side} computes {config.values}, expected are {expected}")

    def doubt(self, config, text):
        """Reports no times of this one."""
        config.error = text
        self.failed = True
        print(f"wrong result, {config.name}, {text}", flush=True)

    def passed(self):
        """Whether all results were right, and td could do all the work. The host has no graphs."""
        errors = [config.error for config in self.mine
                  if config.error and (config.mode != "graph" or self.devices["td"] != "cpu")]
        print(*(f"td failed, {error}" for error in errors), sep="\n", end="")
        return not self.failed and not errors

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
