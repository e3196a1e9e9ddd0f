#!/usr/bin/env python3
"""A worker of `./course time` that measures nothing: its times are a table, so that tests know them.

Started by course-time in place of its own worker (--worker-program) and, under the name of a Python, in
place of PyTorch's. Its behavior comes from the environment:
  FAKE_LOG      a file that gets each request, with the framework before it; always set
  FAKE_FAIL     names of cases that fail
  FAKE_DIE      names of cases at which the worker kills itself, the first time or always (NAME*)
  FAKE_HANG     names of cases that it never answers
  FAKE_SLEEP    seconds that a run takes
  FAKE_SCALE    a factor on all times
  FAKE_GARBAGE  names of cases that it answers with something that is not JSON
Invariant: the n-th run of a case takes the same reported time in every test.
"""

import json
import os
import pathlib
import signal
import sys
import time

PYTORCH = "pytorch.py" in " ".join(sys.argv)
FRAMEWORK = "PyTorch 2.6" if PYTORCH else "todevice"
MILLISECOND = 1e-3
TITLES = {"copy": "64 MiB to the device and back", "matmul": "matrix product, 1024 x 1024",
          "lenet": "LeNet, training step", "mlp": "MLP, training step"}
# name: threads, milliseconds per step, with transfers
CASES = {
    "copy/sim": (1, 40, 40), "copy/sim/pinned": (1, 16, 16),
    "matmul/cpu": (2, 20, 20), "matmul/sim": (1, 38, 44),
    "lenet/cpu/1thread": (1, 20, 20), "lenet/cpu": (2, 12, 12), "lenet/cpu/amp:bfloat16": (2, 9, 9),
    "lenet/cpu:2/ddp": (2, 12.5, 12.5), "lenet/sim": (1, 22, 24), "lenet/sim:2/data_parallel": (2, 14, 16),
    "lenet/sim:2/ddp": (2, 12, 13), "mlp/cpu": (2, 80, 80), "mlp/sim": (1, 150, 160),
    "mlp/sim:2/ddp": (2, 84, 86),
}
GPU = {"lenet/cuda": (2, 0.6, 0.8), "lenet/cuda/graph": (2, 0.3, 0.4), "lenet/cuda:2/ddp": (2, 0.5, 0.6),
       "mlp/cuda": (2, 2, 2.2), "mlp/cuda:2/ddp": (2, 1.1, 1.2)}
SPREAD = (1.0, 0.98, 1.03, 1.01, 0.99)


def asked(what, name):
    return name in os.environ.get("FAKE_" + what, "").split()


def cases():
    return {**CASES, **(GPU if os.environ.get("FAKE_GPU") else {})}


def describe(name):
    workload, device, *rest = name.split("/")
    kind, _, count = device.partition(":")
    amp = next((word[4:] for word in rest if word.startswith("amp:")), "off")
    unit = {"copy": "bytes", "matmul": "flops"}.get(workload, "samples")
    per_step = {"bytes": 2 * 2**26, "flops": 2 * 1024**3, "samples": 64}[unit]
    return {"name": name, "workload": workload, "title": TITLES[workload], "device": kind,
            "devices": int(count or 1), "threads": cases()[name][0], "amp": amp, "pinned": "pinned" in rest,
            "method": next((word for word in rest if word in ("ddp", "data_parallel")), "single"),
            "graph": "graph" in rest, "unit": unit, "per_step": per_step,
            "batch": 64 if unit == "samples" else 0, "estimate": 0.01}


def list_all():
    names = [name for name in cases() if not PYTORCH or "/cpu" in name]
    gpus = ["Imaginary GPU"] if os.environ.get("FAKE_GPU") else []
    return {"framework": FRAMEWORK, "cases": [describe(name) for name in names],
            "context": {"processor": "Fake <Processor>", "cores": 2, "gpus": gpus,
                        "libraries": {"oneDNN": "3.1"}},
            "not_here": [] if gpus else [{"what": "cuda", "why": "this machine has no GPU"}]}


def disturb(name):
    """Does what the environment wants for this case instead of an answer; True when it answered."""
    died = pathlib.Path(os.environ["FAKE_LOG"] + ".died")
    if asked("DIE", name + "*") or asked("DIE", name) and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGSEGV)
    if asked("HANG", name):
        time.sleep(600)
    if asked("GARBAGE", name):
        print("Hello", flush=True)
        return True
    if asked("FAIL", name):
        answer({"name": name, "error": "this case has no <memory> left"})
        return True
    return False


def runs_before(name):
    """How often this report ran the case; the log knows, also of workers that have ended since."""
    mine = [line.split()[1:] for line in pathlib.Path(os.environ["FAKE_LOG"]).read_text().splitlines()
            if line.startswith(FRAMEWORK.split()[0])]
    report = mine[len(mine) - mine[::-1].index(["list"]):]
    return sum(words[:2] == ["run", name] for words in report) - 1  # the log has this run already


def run(name):
    scale = SPREAD[runs_before(name) % len(SPREAD)] * MILLISECOND * float(os.environ.get("FAKE_SCALE", 1))
    _, step, with_transfers = cases()[name]
    slower = 1.5 if PYTORCH else 1.0
    loss = 2.9 if PYTORCH and asked("LOSS", name) else 2.3
    time.sleep(float(os.environ.get("FAKE_SLEEP", 0)))
    return {"name": name, "steps": 10, "seconds_per_step": step * scale * slower,
            "with_transfers": with_transfers * scale * slower, "cpu_seconds_per_step": 2 * step * scale,
            "loss": None if name.startswith("copy") else loss}


def explain(name):
    step = cases()[name][2] * MILLISECOND
    several = describe(name)["devices"] > 1
    shares = {"compute": 0.75, "copy": 0.06, "wait": 0.11, "communication": 0.06, "launch": 0.02}
    if not several:
        shares = {"compute": 0.9, "copy": 0.06, "wait": 0.02, "communication": 0, "launch": 0.02}
    return {"name": name, "step": step, **{part: share * step for part, share in shares.items()}}


def answer(what):
    print(json.dumps(what), flush=True)


def main():
    if "-c" in sys.argv:  # "is there a torch?"
        sys.exit(1 if os.environ.get("FAKE_NO_TORCH") else 0)
    for line in sys.stdin:
        verb, *words = line.split()
        with open(os.environ["FAKE_LOG"], "a") as log:
            log.write(f"{FRAMEWORK.split()[0]} {line}")
        if verb == "quit":
            break
        if verb == "list":
            answer(list_all())
        elif not disturb(words[0]):
            answer(run(words[0]) if verb == "run" else explain(words[0]))


if __name__ == "__main__":
    main()
