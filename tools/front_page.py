#!/usr/bin/env python3
"""Fills README.md with what was measured: the first two commands, and the speed next to PyTorch.

    tools/front_page.py measure [--only run|test] [--with-compiler-cache]
                                 types the two commands in a fresh clone, on an otherwise idle machine
    tools/front_page.py write    fills README.md
    tools/front_page.py check    tells where README.md differs; CTest calls it

`measure` writes docs/measurements/first_run.json. The speed is that of docs/measurements/comparison.md,
which tools/bench/compare.py writes. Invariant: README.md has no number of a measurement that is not in
one of the two files.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import gpu_report
from marked_text import replaced, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
FIRST_RUN = ROOT / "docs/measurements/first_run.json"
COMPARISON = ROOT / "docs/measurements/comparison.md"
COMMANDS = {"run": "./course run 4", "test": "./course test"}
# A reader who uses PyTorch knows these; the page of the comparison has all of them.
SHOWN = [
    "a + b, 1 float", "SimpleModel step, batch 100", "MLP step, Adam", "LeNet step", "CIFAR-10 CNN step",
    "CIFAR-10 CNN step, channels last", "CIFAR-10 CNN inference"
]
ROW = re.compile(r"^\| ([^|]+?) \| (td \*\*.*?) \|", re.M)
IN_NS = {"ns": 1, "us": 1e3, "ms": 1e6}
HEAD_LINES, TAIL_LINES = 9, 6


def typed(words, folder, environment):
    """One command as a user types it: seconds, and the lines that it printed."""
    start = time.monotonic()
    done = subprocess.run(words.split(),
                          cwd=folder,
                          env=environment,
                          text=True,
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          check=False)
    seconds = time.monotonic() - start
    if done.returncode:
        sys.exit(f"{words}: exit code {done.returncode}\n{done.stdout}")
    # The clone is anywhere; a reader's is called todevice.
    return {"seconds": round(seconds), "output": done.stdout.replace(folder, "todevice").splitlines()}


def measure(only, with_cache):
    """Both commands in one clone, in the order of the page."""
    state = json.loads(FIRST_RUN.read_text()) if FIRST_RUN.exists() else {}
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "CCACHE_", "OPENBLAS_"))}
    if not with_cache:
        environment["CCACHE_DISABLE"] = "1"
    machine = gpu_report.machine(ROOT / "build/release")
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), name + "/todevice"], check=True)
        for key in [only] if only else COMMANDS:
            load = os.getloadavg()[0]
            found = typed(COMMANDS[key], name + "/todevice", environment)
            state[key] = {
                **found, "machine": machine["cpu"],
                "gpus": [gpu["name"] for gpu in machine["gpus"]],
                "date": datetime.date.today().isoformat(),
                "compiler_cache": with_cache,
                "load_before": round(load, 2),
                "commit": gpu_report.said_by("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")[0]
            }
    FIRST_RUN.write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n")


def duration(seconds):
    return f"{seconds} s" if seconds < 100 else f"{seconds // 60} min {seconds % 60} s"


def shortened(lines):
    """The first and the last lines; the progress of the build is not news after its first line."""
    progress = re.compile(r"build: (?:\[|starting)|building \[")
    lines = [
        line.rstrip() for i, line in enumerate(lines)
        if not (progress.match(line) and i and progress.match(lines[i - 1]))
    ]
    if len(lines) > HEAD_LINES + TAIL_LINES + 1:
        lines = [*lines[:HEAD_LINES], "…", *lines[-TAIL_LINES:]]
    return lines


def first_run():
    """The two commands with what they printed."""
    state, parts = json.loads(FIRST_RUN.read_text()) if FIRST_RUN.exists() else {}, []
    for key, command in COMMANDS.items():
        if key not in state:
            parts.append(f"`{command}`: not measured.\n")
            continue
        about = state[key]
        cache = "with a filled compiler cache" if about["compiler_cache"] else "without a compiler cache"
        parts.append(
            f"`{command}` took **{duration(about['seconds'])}** in a fresh clone, "
            f"packages installed, {cache} "
            f"({about['machine']}, {about['date']}, commit {about['commit']}, "
            f"load before {about['load_before']}):\n\n"
            "```\n" + "".join(line + "\n" for line in shortened(about["output"])) + "```\n")
    return "\n".join(parts)


def speed():
    """The rows of the comparison that a reader of PyTorch knows, and the machine."""
    page = COMPARISON.read_text()
    cells = dict(ROW.findall(page))
    rows = []
    for work in SHOWN:
        if work not in cells:
            raise ValueError(f"docs/measurements/comparison.md has no row \"{work}\"")
        times = {}
        for name, number, unit in re.findall(r"(?:^|<br>)([^*]+?) \*\*([\d.]+) (ns|us|ms)\*\*", cells[work]):
            times[name] = (float(number) * IN_NS[unit], f"{number} {unit.replace('us', 'µs')}")
        rivals = [name for name in times if name == "clean" or name.startswith("best")]
        best = min(rivals, key=lambda name: times[name][0])
        clean = times["clean"][1] if "clean" in times else "not measured"
        rows.append([work, times["td"][1], clean, times[best][1], f"{times[best][0] / times['td'][0]:.1f} x"])
    machine = re.search(r"^(.*?), (\d+ cores);.*?(libtorch1\.13 [\d.]+).*?; commit (\w+)", page, re.M)
    # The date of the commit that was measured; a clone without its history has none.
    date = gpu_report.said_by("git", "-C", str(ROOT), "show", "-s", "--format=%cs", machine[4])
    day = date[0] if date else (re.search(r"commit " + machine[4] + r" of ([\d-]+)", README.read_text())
                                or ["", "unknown"])[1]
    return (
        table(["one thread", "`td`", "libtorch as installed", "libtorch's best setting", "`td` is faster by"],
              rows) +
        f"\nMedians, interleaved: {machine[1]}, {machine[2]}, {machine[3].replace('1.13 ', ' ')}, "
        f"commit {machine[4]} of {day}.\n")


def filled(page):
    return replaced(replaced(page, "first run", first_run()), "speed", speed())


def main():
    parser = argparse.ArgumentParser(description="Fills README.md with what was measured.")
    parser.add_argument("action", choices=["measure", "write", "check"])
    parser.add_argument("--only", choices=list(COMMANDS))
    parser.add_argument("--with-compiler-cache", action="store_true")
    options = parser.parse_args()
    if options.action == "measure":
        measure(options.only, options.with_compiler_cache)
        return 0
    before = README.read_text()
    after = filled(before)
    if options.action == "write":
        README.write_text(after)
    elif before != after:
        print("README.md is not what was measured; type  tools/front_page.py write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
