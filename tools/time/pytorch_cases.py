"""The cases of work/cases.def that PyTorch can measure on this machine. pytorch.py lists and runs them.

Invariant: a case has the same name and the same description as in work/cases.cpp.
"""
import ast
import os
import pathlib
import re

import torch

CORES = len(os.sched_getaffinity(0))
MOST_DEVICES = 8
USUAL_SECONDS = 0.4  # of a run, for the estimates of the list


class Case:
    """The parts of a name; see work/cases.def."""

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
    """A workload of the size in TD_TIME_SIZE; see work/cases.cpp."""
    if os.environ.get("TD_TIME_SIZE") != "tiny":
        return title, unit, batch, size, core_seconds
    return f"{title} (tiny)", unit, min(batch, 8), 64 if name in ("copy", "matmul", "mlp") else size, 0.001


def available(device):
    """The largest number of devices in a case; on the cpu, processes count as devices."""
    return {"cpu": max(2, CORES), "cuda": torch.cuda.device_count()}.get(device, 0)


def cases_here():
    """All cases of cases.def that this machine and PyTorch can measure, by name."""
    text = (pathlib.Path(__file__).parent / "work/cases.def").read_text()
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
