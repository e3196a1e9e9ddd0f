#!/usr/bin/env python3
"""Which lines of the cuda half run on the stand-in for CUDA: cuda_coverage.py [--build DIR] [--jobs N] [--no-run].

Builds the stand-in's libraries in a separate directory, where gcov counts lines, and runs the tests labelled cuda_stand_in.
What counts: the backend in common/td/backends/cuda, with the wrappers of NVIDIA's libraries; the device code of the kernels, which
is the files *_cuda.h and the code between #ifdef TD_DEVICE_CODE and its #endif; the spans of GPU work in common/trace/cuda; and
NCCL's transport in common/distributed.
Prints the lines that no test runs, then how many of all ran, file by file. A line of a template ran when one of its instances
ran it. Kernels run without observers, because gcov also adds accesses to memory to them.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BACKEND = ROOT / "common" / "td" / "backends" / "cuda"
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|else|elif|endif)\b(.*)")


def device_lines(path):
    """The numbers of the lines of a kernel file that only a GPU runs."""
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
            else:  # the replacement of device code
                open_conditions[-1] = False
        elif any(open_conditions):
            lines.add(number)
    return lines


def counted_lines(path):
    """Which lines of a file count; None: all of them."""
    if path.is_relative_to(BACKEND) or path.is_relative_to(ROOT / "common" / "trace" / "cuda") or (
            path.is_relative_to(ROOT / "common" / "distributed") and "nccl" in path.name):
        return None
    return device_lines(path) if path.is_relative_to(ROOT / "common" / "td") else set()


def run(*command, **how):
    subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr, **how)


def targets_of_tests(folder):
    """The programs that the tests run, and those of the chapters, which scripts run."""
    tests = (folder / "tests" / "CTestTestfile.cmake").read_text()  # ctest itself lists no program that is not built yet
    programs = {pathlib.Path(path).name for path in re.findall(r'^add_test\(\[*=*\[?on_stand_in_\S+ "([^"]+)"', tests, re.M)}
    chapters = {f"ch{path.parent.name}" for path in ROOT.glob("chapters/*/main.cpp")}
    return sorted(chapters | {name for name in programs if name.startswith(("test_", "check_"))})


def build_and_run(folder, jobs):
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTD_CUDA=ON",
        "-DTD_STAND_IN_COVERAGE=ON", "-DTD_TEST_TIMEOUT=1800")
    run("cmake", "--build", folder, "--target", "td_cuda_stand_in_launch", "td_cuda_stand_in_libs", "bench_compare_gpu",
        *targets_of_tests(folder))
    for old in folder.rglob("*.gcda"):
        old.unlink()
    environment = {**os.environ, "TD_STAND_IN_OBSERVE": "0"}
    tests = subprocess.run(["ctest", "--test-dir", str(folder), "-L", "cuda_stand_in", "-j", str(jobs)],
                           stdout=sys.stderr, env=environment, check=False)
    if tests.returncode != 0:
        print("cuda_coverage: some tests failed; lines that only they run are missing", file=sys.stderr)


def count_runs(folder):
    """How often each counted line ran, by file and line, over all instances."""
    counts = collections.Counter()
    for notes in folder.rglob("*.gcno"):  # also of code that never ran
        text = subprocess.run(["gcov", "--json-format", "--stdout", notes], check=True, capture_output=True, text=True).stdout
        for unit in map(json.loads, text.splitlines()):
            for file in unit["files"]:
                path = (pathlib.Path(unit["current_working_directory"]) / file["file"]).resolve()
                if path.is_relative_to(ROOT / "common"):
                    for line in file["lines"]:
                        counts[path, line["line_number"]] += line["count"]
    return counts


def report(counts):
    """Prints what did not run, and the sums."""
    wanted = {path: counted_lines(path) for path in {path for path, _ in counts}}
    of_file = collections.defaultdict(list)
    for path, line in sorted(counts):
        if wanted[path] is None or line in wanted[path]:
            of_file[path].append(line)
    for path, lines in sorted(of_file.items()):
        text = path.read_text().splitlines()
        for line in lines:
            if counts[path, line] == 0:
                print(f"{path.relative_to(ROOT)}:{line}: {text[line - 1].strip()}")
    everything = executed = 0
    for path, lines in sorted(of_file.items()):
        ran = sum(counts[path, line] > 0 for line in lines)
        everything, executed = everything + len(lines), executed + ran
        print(f"{ran:5} of {len(lines):5}  {path.relative_to(ROOT)}")
    print(f"{executed} of {everything} lines ran, {100 * executed / everything:.1f} %")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "cuda_coverage", help="the directory to build in")
    options.add_argument("--jobs", type=int, default=2, help="tests at a time")
    options.add_argument("--no-run", action="store_true", help="only report what was counted before")
    chosen = options.parse_args()
    folder = chosen.build.resolve()
    if not chosen.no_run:
        build_and_run(folder, chosen.jobs)
    report(count_runs(folder))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(str(error))
