#!/usr/bin/env python3
"""Which lines of the core's device code the tests on the SIMT machine run: device_code_coverage.py.

Builds the core in a directory of its own, where gcov counts lines instead of observers watching accesses,
and runs the tests labelled device_code. Device code is what only a GPU runs: the files *_cuda.h, and the
parts of other files between #ifdef TD_DEVICE_CODE and its #endif. Prints the lines that no test runs,
and how many there are of all. A line of a template counts as run when one of its instances runs it.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|else|elif|endif)\b(.*)")


def device_lines(path):
    """The numbers of the lines that only a GPU runs."""
    text = path.read_text().splitlines()
    if path.name.endswith("_cuda.h"):
        return set(range(1, len(text) + 1))
    lines, open_conditions = set(), []
    for number, line in enumerate(text, 1):
        if match := CONDITION.match(line):
            word, rest = match.groups()
            if word.startswith("if"):
                open_conditions.append("TD_DEVICE_CODE" in rest and word == "ifdef")
            elif word == "endif":
                open_conditions.pop()
            else:  # what stands instead of device code
                open_conditions[-1] = False
        elif any(open_conditions):
            lines.add(number)
    return lines


def build_and_run(folder):
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DTD_CUDA=OFF", "-DTD_DEVICE_CODE_COVERAGE=ON"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "td_device_code", "test_ops", "test_nn",
                    "test_optim", "test_amp", "test_device_code"], check=True,
                   stdout=sys.stderr)
    for old in folder.rglob("*.gcda"):
        old.unlink()
    subprocess.run(["ctest", "--test-dir", folder, "-L", "device_code"], check=True,
                   stdout=sys.stderr)


def count_runs(folder):
    """How often each line of common/td ran, by file and line, over all instances."""
    counts = collections.Counter()
    text = subprocess.run(["gcov", "--json-format", "--stdout", *folder.rglob("*.gcda")],
                          check=True, capture_output=True, text=True).stdout
    for unit in map(json.loads, text.splitlines()):
        for file in unit["files"]:
            path = (pathlib.Path(unit["current_working_directory"]) / file["file"]).resolve()
            if path.is_relative_to(ROOT / "common" / "td"):
                for line in file["lines"]:
                    counts[path, line["line_number"]] += line["count"]
    return counts


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "device_code",
                         help="the directory to build in")
    folder = options.parse_args().build.resolve()
    build_and_run(folder)
    counts = count_runs(folder)
    of_gpu = {path: device_lines(path) for path in {path for path, _ in counts}}
    measured = sorted((path, line) for path, line in counts if line in of_gpu[path])
    missed = [(path, line) for path, line in measured if counts[path, line] == 0]
    for path, line in missed:
        source = path.read_text().splitlines()[line - 1].strip()
        print(f"{path.relative_to(ROOT)}:{line}: {source}")
    print(f"{len(measured) - len(missed)} of {len(measured)} lines of device code run")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(str(error))
