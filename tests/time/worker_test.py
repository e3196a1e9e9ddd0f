#!/usr/bin/env python3
"""Tests the two workers of `./course time`: worker_test.py COURSE_TIME SOURCE.

Called by CTest. Every case that they list runs, with small sizes; both compute the same losses; the parts
that explain a step add up; a slow link is seen as copies; wrong requests get answers; and when a worker
is killed, none of its ranks is left. Without PyTorch its half is left out, in words.
"""
import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TD = [sys.argv[1], "--worker"]
TORCH = ["/usr/bin/python3", "-B", str(pathlib.Path(sys.argv[2]) / "tools/time/pytorch.py")]
MARK = f"TD_TIME_TEST={os.getpid()}"
# Threads that spin at a barrier would take the cores from other tests, and from each other.
SURROUNDINGS = {**os.environ, "TD_TIME_SIZE": "tiny", "OMP_WAIT_POLICY": "passive",
                "TD_SIM_LINK": "12GB/s,10us", **dict([MARK.split("=")])}
PARTS = ("compute", "copy", "wait", "communication", "launch")
FIELDS = {"name": str, "workload": str, "title": str, "device": str, "devices": int, "method": str,
          "threads": int, "amp": str, "pinned": bool, "graph": bool, "unit": str, "per_step": (int, float),
          "batch": int, "estimate": float}
faults = []


def expect(what, condition, *about):
    if not condition:
        faults.append(what)
        print("fail:", what, *about, sep="\n  ")


class Worker:
    """A worker that answers lines."""

    def __init__(self, command, **variables):
        self.process = subprocess.Popen(command, env={**SURROUNDINGS, **variables}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.send(line)
        return json.loads(self.process.stdout.readline())

    def end(self, line=None):
        """Ends it by a line or by the end of its input. Returns its exit code and what it still said."""
        rest, _ = self.process.communicate(line and line + "\n", timeout=10)
        return self.process.returncode, rest


@contextlib.contextmanager
def worker(command, **variables):
    one = Worker(command, **variables)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()


def test_list(td):
    listed = td.ask("list")
    cases = {case["name"]: case for case in listed["cases"]}
    expect("names are unique", len(cases) == len(listed["cases"]))
    for case in listed["cases"]:
        wrong = [k for k, kind in FIELDS.items() if not isinstance(case.get(k), kind)]
        expect(f"{case['name']} is described", not wrong, wrong, case)
        expect(f"{case['name']} has units and an estimate", case["per_step"] > 0 and case["estimate"] > 0)
    expect("sim and cpu are there", {"cpu", "sim"} <= {case["device"] for case in listed["cases"]})
    context = listed["context"]
    expect("the processor is named", context["processor"] and context["cores"] >= 1, context)
    for missing in listed["not_here"]:
        expect("what is missing has a reason", missing["what"] and len(missing["why"]) > 10, missing)
    return cases


def test_full_size_fits():
    """The real sizes: six rounds of all cases on two cores take less than four minutes."""
    with worker(TD, TD_TIME_SIZE="") as full:
        cases = full.ask("list")["cases"]
    if os.cpu_count() == 2 and not any(case["device"] == "cuda" for case in cases):
        expect("35 to 50 cases", 35 <= len(cases) <= 50, len(cases))
        expect("four minutes", 6 * sum(case["estimate"] for case in cases) < 240)
    names = {case["workload"]: (case["per_step"], case["unit"]) for case in cases}
    expect("units per step", names["copy"] == (2 * 64 * 2**20, "bytes") and names["cifar"] == (64, "samples")
           and names["matmul"] == (2 * 1024**3, "flops"), names)


def test_runs(one, cases):
    """Runs all. Returns the losses by name."""
    losses = {}
    for name in cases:
        answer = one.ask(f"run {name} 0.005")
        times = [answer.get(k, -1) for k in ("seconds_per_step", "with_transfers", "cpu_seconds_per_step")]
        expect(f"{name} runs", answer["name"] == name and min(times) > 0 and answer["steps"] >= 2, answer)
        losses[name] = answer.get("loss", math.nan)
    return losses


def tolerance(name):
    return 2e-3 if "/amp" in name else 1e-5


def test_losses_agree(losses):
    """All configurations of a workload compute the same."""
    for name, loss in losses.items():
        first = next(n for n in losses if n.split("/")[0] == name.split("/")[0])
        expect(f"{name} computes what {first} does",
               math.isclose(loss, losses[first], rel_tol=tolerance(name)), loss, losses[first])


def test_explanations(td, cases):
    for name, case in cases.items():
        answer = td.ask(f"explain {name}")
        parts = [answer.get(part, math.nan) for part in PARTS]
        expect(f"{name}: parts are not negative", answer.get("step", 0) > 0 and min(parts) >= 0, answer)
        expect(f"{name}: parts add up", math.isclose(sum(parts), answer.get("step", 0), rel_tol=0.02), answer)
        expect(f"{name}: it computes or copies", answer.get("compute", 0) + answer.get("copy", 0) > 0, answer)
        if case["method"] != "single":
            expect(f"{name}: devices communicate", answer.get("communication", 0) > 0, answer)


def test_slow_link():
    """25 kB at 0.01 GB/s take 2.5 ms, however busy the machine is. No other time is bounded: load lengthens it."""
    with worker(TD, TD_SIM_LINK="0.01GB/s,10us") as slow:
        slowed = slow.ask("explain lenet/sim")
    expect("a slow link is seen as copies", slowed["copy"] > 2e-3, slowed)


def test_wrong_requests(one, examples):
    for line, name, text in examples:
        answer = one.ask(line)
        expect(f'"{line}" is answered', answer.get("name") == name and text in answer.get("error", ""),
               answer)
    answer = one.ask("run matmul/cpu 0")
    expect("the worker goes on", answer.get("steps", 0) >= 2, answer)


def test_replaced_program():
    """Ranks are the program that was started, also when a build has replaced its file."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(TD[0], folder)
        with worker([copy, "--worker"]) as td:
            expect("a copy lists", td.ask("list")["cases"])
            os.remove(copy)
            answer = td.ask("run simple/sim:2/ddp 0")
            expect("its ranks start without the file", answer.get("steps", 0) >= 2, answer)


def test_failing_ranks():
    """What a rank says becomes the answer, and the worker goes on."""
    with worker(TD, TD_TRANSPORT="pigeon") as td:
        answer = td.ask("run simple/sim:2/ddp 0")
        expect("a rank's error is told", "pigeon" in answer.get("error", ""), answer)
        expect("other cases still run", "error" not in td.ask("run simple/sim 0"))


def left_over():
    """Processes of this test, apart from itself."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            marked = MARK.encode() in (folder / "environ").read_bytes().split(b"\0")
            if marked and (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_killed(command, sign, ranks):
    """Ranks end with their worker, even when it is killed while they train."""
    with worker(command) as one:
        one.ask("run lenet/cpu:2/ddp 0")
        one.send("run lenet/cpu:2/ddp 60")
        expect("ranks start", wait_until(lambda: len(left_over()) >= 1 + ranks), left_over())
        one.process.send_signal(sign)
        one.process.wait(10)
    expect(f"{command[0]}: {sign.name} leaves no process",
           wait_until(lambda: not left_over() and not time.sleep(0.1) and not left_over()), left_over())


def test_end():
    for line in ("quit", None):
        with worker(TD) as td:
            expect("a worker ends", td.end(line) == (0, ""))


def test_pytorch(cases, losses):
    with worker(TORCH) as torch:
        listed = torch.ask("list")
        expect("PyTorch is named", listed["framework"].startswith("PyTorch "), listed)
        theirs = {case["name"]: case for case in listed["cases"]}
        ours = [name for name, case in cases.items() if case["device"] != "sim"]
        expect("both have the same cases", set(ours) == set(theirs), ours, list(theirs))
        for name in set(ours) & set(theirs):
            mine, other = ({**case, "estimate": 0} for case in (cases[name], theirs[name]))
            expect(f"both describe {name} alike", mine == other, mine, other)
        for name, loss in test_runs(torch, theirs).items():
            expect(f"{name} computes what td does", math.isclose(loss, losses[name], rel_tol=tolerance(name)),
                   loss, losses[name])
        test_wrong_requests(torch, [
            ("explain lenet/cpu", "lenet/cpu", "explains nothing"),
            ("run lenet/sim 1", "lenet/sim", "list names"),
            ("jump", "", "expected list, run NAME SECONDS")])
    test_killed(TORCH, signal.SIGTERM, 2)


with worker(TD) as td_worker:
    here = test_list(td_worker)
    values = test_runs(td_worker, here)
    test_losses_agree(values)
    test_explanations(td_worker, here)
    test_slow_link()
    test_wrong_requests(td_worker, [
        ("run lenet/tpu 1", "lenet/tpu", 'there is no case "lenet/tpu" on this machine; list names'),
        ("run lenet/cpu", "lenet/cpu", "expected list, run NAME SECONDS"),
        ("run lenet/cpu soon", "lenet/cpu", "expected list, run NAME SECONDS"),
        ("run lenet/cpu -1", "lenet/cpu", "expected list, run NAME SECONDS"),
        ("run lenet/cpu 1 2", "lenet/cpu", "expected list, run NAME SECONDS"),
        ("", "", "expected list, run NAME SECONDS")])
    expect("all ranks are gone", left_over() == [td_worker.process.pid], left_over())
test_full_size_fits()
test_replaced_program()
test_failing_ranks()
test_killed(TD, signal.SIGTERM, 2)
test_killed(TD, signal.SIGKILL, 2)
test_end()
if subprocess.run([*TORCH[:2], "-c", "import torch"], capture_output=True, check=False).returncode:
    print("PyTorch: not installed for /usr/bin/python3, so its worker is not tested")
else:
    test_pytorch(here, values)
print(f"{len(faults)} faults")
sys.exit(bool(faults))
