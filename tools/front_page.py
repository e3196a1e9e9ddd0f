#!/usr/bin/env python3
"""Fills README.md with what was measured: the first two commands, and the speed next to PyTorch.

    tools/front_page.py measure [--only run|test] [--with-compiler-cache]
                                 types the two commands in a fresh clone, on an otherwise idle machine
    tools/front_page.py write    fills README.md
    tools/front_page.py check    tells where README.md differs; CTest calls it

`measure` writes docs/measurements/first_run.json. The speed is that of docs/measurements/comparison.json,
which tools/bench/compare.py writes. Invariant: every measured number in README.md is in one of
the two files.
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
from marked_text import in_words, replaced, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
FIRST_RUN = ROOT / "docs/measurements/first_run.json"
COMPARISON = ROOT / "docs/measurements/comparison.json"
COMMANDS = {"run": "./course run 4", "test": "./course test"}
# A reader who uses PyTorch knows these; the page of the comparison has all of them.
SHOWN = [
    "a + b, 1 float", "SimpleModel step, batch 100", "MLP step, Adam", "LeNet step", "CIFAR-10 CNN step",
    "CIFAR-10 CNN step, channels last", "CIFAR-10 CNN inference"
]
# How many lines of the output are shown: the first ones, and the last ones.
SHOWN_LINES = {"run": (5, 2), "test": (1, 3)}


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
    # The clone may have any path; a reader's is called todevice.
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
                "commit": gpu_report.said_by("git", "-C", name + "/todevice", "rev-parse", "--short", "HEAD")[0]
            }
    FIRST_RUN.write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n")


def duration(seconds):
    return f"{seconds} s" if seconds < 100 else f"{seconds // 60} min {seconds % 60} s"


def shortened(lines, first, last):
    """The first and the last lines; of the build's progress only the first line is shown."""
    progress = re.compile(r"build: \[|building(?: \[|$)")
    lines = [
        line.rstrip() for i, line in enumerate(lines)
        if not (progress.match(line) and i and progress.match(lines[i - 1]))
    ]
    if len(lines) > first + last + 1:
        lines = [*lines[:first], "…", *lines[-last:]]
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
            "```\n" + "".join(line + "\n" for line in shortened(about["output"], *SHOWN_LINES[key])) + "```\n")
    return "\n".join(parts)


def speed():
    """The rows of the newest comparison that a reader of PyTorch knows, and the machine."""
    runs = json.loads(COMPARISON.read_text())
    processor = max(runs, key=lambda name: runs[name]["machine"]["date"])
    machine = runs[processor]["machine"]
    times = {result["work"]: result["seconds"] for result in runs[processor]["results"]}
    rows = []
    for work in SHOWN:
        if work not in times:
            raise ValueError(f"{COMPARISON.name} has no work \"{work}\"")
        median = {name: time["median"] for name, time in times[work].items()}
        best = min(time for name, time in median.items() if name.startswith(("clean", "best")))
        clean = in_words(median["clean"]) if "clean" in median else "not measured"
        rows.append(
            [work, in_words(median["td"]), clean, in_words(best), f"{best / median['td']:.1f} x"])
    libtorch = next(name for name in machine["libraries"] if name.startswith("libtorch"))
    return (
        table(["one thread", "`td`", "libtorch as installed", "libtorch's best setting", "`td` is faster by"],
              rows) +
        f"\nMedians, interleaved: {processor}, {machine['cores']} cores, {libtorch.replace('1.13 ', ' ')}, "
        f"commit {machine['commit']} of {machine['date']}.\n")


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
