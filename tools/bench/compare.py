#!/usr/bin/env python3
"""Compares td, libtorch and a hand-written lower bound, which do the same work interleaved.

Builds the variants, checks that they compute the same numbers, times them round by round, and
prints medians with their spread next to the goal that each piece of work has to reach.
For final results the machine must do nothing else. Takes about four minutes.
"""
import argparse
import datetime
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from comparison_page import PAGE, in_words, record, verdict

ROOT = Path(__file__).resolve().parents[2]

# Large pages and cached blocks: without them large tensors cost libtorch page faults.
KEEP_BLOCKS = ":".join(f"glibc.malloc.{name}" for name in (
    "hugetlb=1", "mmap_threshold=4294967296", "mmap_max=0", "trim_threshold=4294967296",
    "top_pad=268435456"))
ONE_POOL = {"GLIBC_TUNABLES": KEEP_BLOCKS,
            "LD_LIBRARY_PATH": "/usr/lib/x86_64-linux-gnu/openblas-openmp"}


def has_avx512():
    return " avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8")


# Program and environment of each variant. OpenBLAS does not know every processor and then falls
# back to slow code, so libtorch's best is the better of two settings if both can run.
VARIANTS = {
    "td": ("bench_td", {}),
    "floor": ("bench_floor", {}),
    "clean": ("bench_libtorch", {}),
    "best": ("bench_libtorch", ONE_POOL),
    "best, AVX-512 named": ("bench_libtorch", {**ONE_POOL, "OPENBLAS_CORETYPE": "SkylakeX"}),
}
BEST = ["best", "best, AVX-512 named"] if has_avx512() else ["best"]
BESIDE = "td of the other build"


@dataclass
class Runner:
    """One variant at one case with some threads."""
    variant: str
    case: str
    threads: int = 1

    @property
    def name(self):
        return (self.variant + (" around the caches" if self.case.endswith("_around") else "")
                + (f", {self.threads} threads" if self.threads > 1 else ""))


@dataclass
class Line:
    """td's time at least so many times faster than the fastest of `than`, or at most `limit`."""
    title: str
    case: str
    goals: list = field(default_factory=list)  # (text, names of runners, times faster)
    limit: float = math.inf                    # seconds
    threads: int = 1
    others: list = field(default_factory=list)

    def runners(self):
        return [Runner("td", self.case, self.threads)] + self.others


def against(case, *variants):
    return [Runner(variant, case) for variant in variants]


def faster(text, names, factor):
    return text, names, factor


LINES = [
    Line("a + b, 1 float", "add_1", limit=80e-9, others=against("add_1", "clean")),
    Line("a + b, 8 floats", "add_8", limit=80e-9, others=against("add_8", "clean")),
    Line("a + b, 1 float, recorded", "add_1_recorded", limit=150e-9,
         others=against("add_1_recorded", "clean")),
    Line("a + b, 8 floats, recorded", "add_8_recorded", limit=150e-9,
         others=against("add_8_recorded", "clean")),
    Line("SimpleModel step, batch 100", "simple", [faster("9 x libtorch", ["clean"] + BEST, 9)],
         limit=2e-6, others=against("simple", "floor", "clean", *BEST)),
    Line("MLP step, SGD with momentum", "mlp_momentum",
         [faster("1.1 x floor", ["floor"], 1 / 1.1), faster("1.05 x best", BEST, 1.05)],
         others=against("mlp_momentum", "floor", "clean", *BEST)),
    Line("MLP step, Adam", "mlp_adam",
         [faster("1.1 x floor", ["floor"], 1 / 1.1), faster("1.25 x best", BEST, 1.25),
          faster("2.4 x clean", ["clean"], 2.4)],
         others=against("mlp_adam", "floor", "clean", *BEST)),
    Line("LeNet step", "lenet",
         [faster("1.15 x floor", ["floor"], 1 / 1.15), faster("1.7 x clean", ["clean"], 1.7)],
         others=against("lenet", "floor", "clean", "best")),
    Line("CIFAR-10 CNN step", "cifar", [faster("1.2 x best", BEST, 1.2)],
         others=against("cifar", "floor", "clean", *BEST)),
    Line("CIFAR-10 CNN step, channels last", "cifar_channels_last",
         [faster("1.0 x best", BEST, 1.0)], others=against("cifar_channels_last", *BEST)),
    Line("CIFAR-10 CNN inference", "cifar_inference", [faster("1.2 x floor", ["floor"], 1 / 1.2)],
         others=against("cifar_inference", "floor", "clean")),
    Line("LeNet inference", "lenet_inference", [faster("1.6 x floor", ["floor"], 1 / 1.6)],
         others=against("lenet_inference", "floor", "clean")),
    Line("a + b, 10 million floats", "add_1e7",
         [faster("0.9 x triad", ["floor", "floor around the caches"], 0.9)],
         others=against("add_1e7", "floor", "clean") + against("add_1e7_around", "floor")),
    Line("clone of 64 MiB", "clone_64MiB", [faster("0.9 x memcpy", ["floor"], 0.9)],
         others=against("clone_64MiB", "floor", "clean")),
    Line("CNN step, 2 threads", "cifar", [faster("1.8 x one thread", ["td"], 1.8)], threads=2,
         others=against("cifar", "td", "floor") + [Runner("floor", "cifar", 2)]),
    Line("MLP of width 64, 2 threads", "mlp_narrow", [faster("never slower, to 3 %", ["td"], 0.97)],
         threads=2, others=against("mlp_narrow", "td")),
    Line("submit an operation to sim", "sim_submit", limit=2e-6),
]


class Process:
    """A running variant: one answer for each line that it is sent."""

    def __init__(self, runner, folders):
        program, settings = VARIANTS.get(runner.variant, ("bench_td", {}))
        folder = folders["beside" if runner.variant == BESIDE else "own"]
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OPENBLAS_", "GLIBC_", "OMP_"))}
        # libtorch's own setting of threads does not reach OpenBLAS.
        environment.update(settings, OPENBLAS_NUM_THREADS=str(runner.threads))
        self.name = runner.name
        self.child = subprocess.Popen([folder / program, runner.case, str(runner.threads)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      env=environment)
        first = self.answer()
        self.check, self.choices = first["check"], first["choices"]
        self.rounds = []

    def answer(self):
        line = self.child.stdout.readline()
        if not line:
            sys.exit(f"{self.name}: ended with {self.child.wait()} before it answered")
        return json.loads(line)

    def slot(self, seconds, clock):
        self.child.stdin.write(f"{seconds}\n")
        self.child.stdin.flush()
        self.rounds.append(self.answer()[clock])

    def end(self):
        self.child.stdin.close()
        if self.child.wait() != 0:
            sys.exit(f"{self.name}: ended with {self.child.returncode}")


def spread(rounds):
    times = sorted(time for one in rounds for time in one)
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    return {"median": at(0.5), "p10": at(0.1), "p90": at(0.9), "samples": len(times),
            "rounds": [statistics.median(one) for one in rounds]}


def agree(processes):
    """The results of the variants, which must have done the same work."""
    values = {process.name: process.check for process in processes}
    first = processes[0].check
    for name, value in values.items():
        if not abs(value - first) <= 1e-3 * abs(first):
            sys.exit(f"{name} computed {value}, but {processes[0].name} computed {first}")
    return values


def run(line, folders, options):
    """All variants of one line, interleaved."""
    runners = line.runners()
    if "beside" in folders:
        runners.append(Runner(BESIDE, line.case, line.threads))
    processes = [Process(runner, folders) for runner in runners]
    checks = agree(processes)
    for process in processes:  # a first slot that is not counted
        process.slot(options.seconds / 4, options.clock)
        process.rounds.clear()
    for _ in range(options.rounds):
        for process in processes:
            process.slot(options.seconds, options.clock)
    for process in processes:
        process.end()
    times = {process.name: spread(process.rounds) for process in processes}
    return {"work": line.title, "case": line.case, "checks": checks, "seconds": times,
            "goals": verdicts(line, times),
            "choices": next((p.choices for p in processes if p.choices), {})}


def verdicts(line, times):
    mine = times[line.runners()[0].name]
    goals = []
    if line.limit < math.inf:
        goals.append({"line": f"at most {in_words(line.limit)}", "reached": mine["median"] <= line.limit})
    for text, names, factor in line.goals:
        rival = min(names, key=lambda name: times[name]["median"])
        ratio = times[rival]["median"] / mine["median"]
        each = [b / a for a, b in zip(mine["rounds"], times[rival]["rounds"])]
        goals.append({"line": text, "against": rival, "times_faster": ratio, "wanted": factor,
                      "rounds": [min(each), max(each)], "reached": ratio >= factor})
    for name in times:
        if name.startswith(BESIDE):  # the same source by another compiler
            ratio = mine["median"] / times[name]["median"]
            goals.append({"line": f"{name}: at most 5 % slower, takes {1 / ratio:.2f} x",
                          "reached": ratio >= 0.95})
    return goals


def show(result):
    print(f"\n{result['work']}")
    for name, t in result["seconds"].items():
        print(f"  {name:<24}{in_words(t['median']):>10}   "
              f"({in_words(t['p10'])} - {in_words(t['p90'])}, {t['samples']} samples)")
    for shape, library in result["choices"].items():
        print(f"  the floor's product {shape}: {library}")
    for goal in result["goals"]:
        print(f"  -> {verdict(goal)}")
    sys.stdout.flush()


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout.strip()


def machine():
    info = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M))
    # Several processors have the same name, so what distinguishes them is printed with it.
    model = (f"{info.get('model name', platform.machine())}, family {info.get('cpu family')}, "
             f"model {info.get('model')}, {'AVX-512' if has_avx512() else 'AVX2'}")
    packages = output_of("dpkg-query", "-W", "-f", "${Package} ${Version};", "libtorch1.13",
                         "libdnnl2", "libopenblas0-pthread", "libopenblas0-openmp")
    return {"processor": model, "cores": os.cpu_count(), "system": platform.platform(),
            "compiler": output_of("g++", "--version").splitlines()[0],
            "libraries": packages.rstrip(";").split(";"),
            "commit": output_of("git", "describe", "--always", "--dirty"),
            "date": datetime.date.today().isoformat(),
            "load_before": os.getloadavg()}


def build(folder, *targets):
    folder = folder.resolve()
    if not (folder / "build.ninja").exists():
        sys.exit(f"{folder} holds no configured build. Type: cmake --preset release")
    done = subprocess.run(["cmake", "--build", folder, "--target", *targets], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"building {', '.join(targets)} in {folder} failed:\n{done.stdout[-3000:]}")
    return folder / "tools/bench"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="only lines whose case begins so")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="build folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of one variant in one round")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                        help="cpu: the process's own time, where others use the machine too; "
                             "says nothing about threads")
    parser.add_argument("--beside", type=Path,
                        help="another build, as build/cuda: its programs run in the same turns")
    parser.add_argument("--json", type=Path, help="writes everything there")
    parser.add_argument("--record", action="store_true", help=f"puts the figures into {PAGE.name}")
    options = parser.parse_args()
    folders = {"own": build(options.build, "bench_td", "bench_libtorch", "bench_floor")}
    if options.beside:
        folders["beside"] = build(options.beside, "bench_td")
    report = {"machine": machine(), "command": sys.argv, "rounds": options.rounds,
              "seconds_a_slot": options.seconds, "clock": options.clock,
              "settings": {name: settings for name, (_, settings) in VARIANTS.items()},
              "results": []}
    for line in LINES:
        if not options.cases or any(line.case.startswith(case) for case in options.cases):
            report["results"].append(run(line, folders, options))
            show(report["results"][-1])
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if options.record:
        record(report)
    goals = [goal["reached"] for result in report["results"] for goal in result["goals"]]
    print(f"\n{sum(goals)} of {len(goals)} lines reached")


if __name__ == "__main__":
    main()
