#!/usr/bin/env python3
"""Counts the files of common/ that a reader opens to follow one training step.

    reading_path.py            the files and lines that one training step on cpu runs through
    reading_path.py --linear   the changes of folder within one call of Linear without gradients

The step is zero_grad, forward, loss, backward, optimizer.step() and the release of the graph, for
Sequential(Linear, ReLU, Linear) with mse_loss and plain SGD, in tools/bench/reading_path.cpp. A
file counts if gcov counted at least four of its lines in that step: one run does some steps, a
second run does one more, and the difference is the step. Fewer lines are accessors, which explain
themselves where they are called. Declarations and what the compiler computes never run. Each file
is shown with the lines that ran and all its lines.

A change of folder is a call from a function in one folder to a function in another folder. Those
that count are on the way from Linear's forward to the product of matrices: the functions that have
not returned when the library is called. Their other calls, such as for a size, a check or an
allocation, is listed by pairs of folders, each with the lines where the two functions of its first
call begin. Functions in files that the step above does not open, and those outside common/, such as
the standard library's, are skipped: their calls count as calls of their callers.

The build is a separate one, with g++ without optimization, and loops run on one thread. What runs
also depends on whether oneDNN and OpenBLAS were found.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMMON = ROOT / "common"
OPENED = 4  # lines that run in a file before a reader opens it
LIBRARIES = "libs"  # the folder whose functions call oneDNN and OpenBLAS
WARM_UP = 5  # steps until caches and lists of free blocks are filled
FLAGS = ("--coverage -fprofile-update=atomic "
         "-finstrument-functions -finstrument-functions-exclude-file-list=/usr/")
# OPENBLAS_... would choose kernels, GCOV_... would put the counts elsewhere.
ENVIRONMENT = {**{name: value for name, value in os.environ.items()
                  if not name.startswith(("OPENBLAS_", "GCOV_"))}, "OMP_NUM_THREADS": "1"}


def build(folder):
    """The program, with every line and every call counted."""
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_CXX_COMPILER=g++", "-DTD_CUDA=OFF", "-DTD_WERROR=OFF",
                    f"-DCMAKE_CXX_FLAGS={FLAGS}", "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "bench_reading_path",
                    "--parallel", str(len(os.sched_getaffinity(0)))],
                   check=True, stdout=sys.stderr)
    return folder / "tools" / "bench" / "bench_reading_path"


def run(program, *words):
    return subprocess.run([program, *words], check=True, env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE).stdout


def within_common(path):
    """The path as seen from the root, or None where the file is not one of common/."""
    path = pathlib.Path(os.path.normpath(path))
    return path.relative_to(ROOT) if path.is_relative_to(COMMON) else None


def count_lines(folder, program, steps):
    """How often every line of common/ ran in a run of so many steps, by file and line."""
    for old in folder.rglob("*.gcda"):
        old.unlink()
    run(program, "steps", str(steps))
    text = subprocess.run(["gcov", "--json-format", "--stdout", *folder.rglob("*.gcda")],
                          check=True, capture_output=True, text=True).stdout
    counts = collections.Counter()
    for unit in map(json.loads, text.splitlines()):
        for file in unit["files"]:
            path = within_common(os.path.join(unit["current_working_directory"], file["file"]))
            for line in file["lines"] if path else ():
                counts[path, line["line_number"]] += line["count"]
    return counts


def opened_files(folder, program):
    """The files that a reader opens to follow one step, each with the number of lines that ran."""
    before = count_lines(folder, program, WARM_UP)
    step = count_lines(folder, program, WARM_UP + 1) - before
    executed = collections.Counter(path for path, line in step)
    return {path: count for path, count in executed.items() if count >= OPENED}


def show_files(executed):
    """Prints the files of one step; how many there are, and how many lines they have."""
    lines = {path: len((ROOT / path).read_bytes().splitlines()) for path in executed}
    for name in sorted({path.parent for path in executed}):
        paths = sorted(path for path in executed if path.parent == name)
        for path in paths:
            print(f"{executed[path]:4}/{lines[path]:<4} {path}")
        print(f"  {name}: files {len(paths)}, lines {sum(lines[path] for path in paths)}\n")
    print(f"{len(lines)} files, {sum(lines.values())} lines")
    return len(lines), sum(lines.values())


def locate(events, opened):
    """The folder, and the file with the line, where each function begins; None in other files."""
    places = {}
    for library in {event.partition(" ")[2] for event in events if event != "-"}:
        wanted = sorted({event for event in events if event.endswith(f" {library}")})
        found = subprocess.run(["addr2line", "-e", library], check=True, capture_output=True,
                               text=True, input="\n".join(event.split()[0] for event in wanted))
        for event, place in zip(wanted, found.stdout.splitlines()):
            path, _, line = place.partition(" ")[0].rpartition(":")
            path = within_common(path)
            path = path if path in opened else None
            # Most folders are in td/, which is therefore left out.
            places[event] = path and (path.relative_to("common").parent.as_posix()
                                      .removeprefix("td/"), f"{path}:{line}")
    return places


def show_changes(program, opened):
    """Prints the changes of folder within one call of Linear; how many there are on its way."""
    events = run(program, "linear").splitlines()
    places = locate(events, opened)
    stack, changes, way = [None], {}, []
    for event in events:
        if event == "-":
            stack.pop()
            continue
        caller, callee = stack[-1], places[event] or stack[-1]
        stack.append(callee)
        if caller and caller[0] != callee[0]:
            changes.setdefault((caller[0], callee[0]), f"{caller[1]} calls {callee[1]}")
            if callee[0] == LIBRARIES and not way:
                way = [folder for folder, _ in itertools.groupby(place[0] for place in stack[1:] if place)]
    for (source, target), first in changes.items():
        print(f"{source + ' -> ' + target:24} {first}")
    print(f"{len(changes)} pairs of folders, with everything that is called on the way")
    print(f"{len(way) - 1} folder changes: {' -> '.join(way)}")
    return len(way) - 1


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--linear", action="store_true", help="count changes of folder, not files")
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "reading_path",
                         help="the folder to build in")
    for name in "files", "lines", "changes":
        options.add_argument(f"--max-{name}", type=int, metavar="N",
                             help=f"count {name} and fail where there are more than N")
    arguments = options.parse_args()
    folder, counts = arguments.build.resolve(), []
    program = build(folder)
    opened = opened_files(folder, program)
    if not arguments.linear or (arguments.max_files, arguments.max_lines) != (None, None):
        files, lines = show_files(opened)
        counts += [(files, "files", arguments.max_files), (lines, "lines", arguments.max_lines)]
    if arguments.linear or arguments.max_changes is not None:
        counts += [(show_changes(program, opened), "folder changes", arguments.max_changes)]
    excesses = [f"{count} {name} where {most} are allowed" for count, name, most in counts
                if most is not None and count > most]
    if excesses:
        sys.exit(f"The reading path is too long: {' and '.join(excesses)}.")


if __name__ == "__main__":
    try:
        main()
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        sys.exit(str(error))
