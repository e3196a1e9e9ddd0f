#!/usr/bin/env python3
"""Results of tools/gpu_check.py: the machine, the values that programs print, and the page.

  gpu_report.py fill PAGE.md gpu.json          writes results into the cells of docs/measurements/gpu.md

A row of the page with a cell `PART` gets the counts of that part, one with `PART/ITEM` that item's result,
one with `PART/AREA` the counts of the items `AREA.…`, one with `PART/ITEM: NAME` the value that the item printed
as "NAME: value". Between its marks the page gets a row for the run, and a table of the items that failed on
the GPU although the same test passes in CI on the stand-in for CUDA. Invariant: a cell changes only where the file
has a result for it.
"""

import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATUSES = ["passed", "failed", "skipped", "not done"]
RUNS = re.compile(r"(<!-- runs -->\n)(.*?)(<!-- end of runs -->)", re.S)
DIFFERENCES = re.compile(r"(<!-- differences -->\n).*?(<!-- end of differences -->)", re.S)
VALUE = re.compile(r"^\s*([^:=|]{3,60}): +(-?[0-9][^|]*)$")
ROW = re.compile(r"^(\|.*\| *`([\w-]+)(?:/([\w.-]+)(?:: ([^`]+))?)?` *\|.*?)[^|]*\|$")


def said_by(*command):
    """The lines that a command prints; none where it is absent."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return result.stdout.splitlines() if result.returncode == 0 else []


def commit():
    """The sources that run. TD_GPU_COMMIT names them where programs were built elsewhere."""
    found = said_by("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    return os.environ.get("TD_GPU_COMMIT") or (found[0] if found else "unknown")


def library_version(cached, name, function, path):
    """Version of a library of NVIDIA's, found as a program would find it; None if it cannot be opened."""
    number = ctypes.c_int()
    places = [str(pathlib.Path(folder) / name) for folder in path.split(":") if folder]
    for place in [*places, cached, name]:
        try:
            ask = getattr(ctypes.CDLL(place), function)
            if function == "ncclGetVersion":  # all in one number: 22809
                ask(ctypes.byref(number))
                return f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"
            parts = []
            for part in range(3):
                ask(part, ctypes.byref(number))
                parts.append(str(number.value))
            return ".".join(parts)
        except (OSError, AttributeError, TypeError):
            continue
    return None


def machine(build, environment=os.environ):
    """The machine on which programs run: its GPUs, processors, tools and libraries."""
    cache = build / "CMakeCache.txt"
    cached = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.M)) if cache.exists() else {}
    fields = ["name", "compute_cap", "memory.total", "driver_version"]
    gpus = said_by("nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader")
    cpus = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    nvcc = re.findall(r"V([0-9.]+)", "\n".join(said_by("nvcc", "--version")))
    compiler = said_by(cached.get("CMAKE_CXX_COMPILER", "c++"), "--version")
    path = environment.get("LD_LIBRARY_PATH", "")
    return {
        "memory": next((line.split(":")[1].strip() for line in said_by("nvidia-smi", "-q")
                        if "Addressing Mode" in line), None),
        "gpus": [dict(zip(fields, line.split(", "))) for line in gpus],
        "cpu": f"{len(cpus)} x {cpus[0]}" if cpus else None,
        "toolkit": nvcc[0] if nvcc else None,
        "cudnn": library_version(cached.get("CUDNN_LIBRARY"), "libcudnn.so.9", "cudnnGetProperty", path),
        "nccl": library_version(cached.get("NCCL_LIBRARY"), "libnccl.so.2", "ncclGetVersion", path),
        "cublas": library_version(cached.get("CUDA_cublas_LIBRARY") or cached.get("CUBLAS_LIBRARY"), "libcublas.so.13",
                                  "cublasGetProperty", path),
        "compiler": compiler[0] if compiler else None,
        "architectures": cached.get("CMAKE_CUDA_ARCHITECTURES"),
    }


def values_of(said):
    """The lines "name: value" that a program prints."""
    found = (VALUE.match(line) for line in said.splitlines())
    return {match.group(1).strip(): match.group(2).strip() for match in found if match}


def counts(part):
    """How many items of a part passed, failed and so on, in words."""
    statuses = [item["status"] for item in part["items"].values()]
    return ", ".join(f"{statuses.count(status)} {status}" for status in STATUSES
                     if status in statuses or status in STATUSES[:3])


def failures(report):
    return [f"{name}/{item}" for name, part in report["parts"].items()
            for item, about in part["items"].items() if about["status"] == "failed"]


def line_of(name, part):
    return f"{name:14} {part['seconds']:5.0f} s  {counts(part)}"


def table_of(report):
    """What happened, for the end of a screen."""
    return "\n".join(["", *(line_of(name, part) for name, part in report["parts"].items()),
                      *(f"failed: {name}" for name in failures(report))])


def stand_in_tests(build):
    """What CI runs on the stand-in for CUDA: the names of the tests without `on_stand_in_`."""
    tests = build / "tests/CTestTestfile.cmake"
    found = re.findall(r"add_test\(\W*on_stand_in_(\w+)", tests.read_text()) if tests.exists() else []
    return sorted(set(found))


def result(part, item, value):
    """A cell's text from the results of a part; nothing if there are none."""
    if not part.get("items"):
        return None
    if not item:
        return counts(part)
    group = {name: about for name, about in part["items"].items() if name.startswith(item + ".")}
    if group and item not in part["items"]:
        return None if value else counts({"items": group})
    found = part["items"].get(item, {})
    if value:
        return found.get("values", {}).get(value)
    return ", ".join(filter(None, [found.get("status"), found.get("text")]))


def stand_in_test(item):
    """The test of CI that does what the item does: "ops" for "ops.norm"."""
    if item.startswith("check_"):
        return item.replace("check_", "solution_").replace(".", "_")
    return item.split(".")[0]


def differences(report):
    """The rows of the items that failed, and which the stand-in lets pass in CI."""
    ran = [(f"{name}/{item}", stand_in_test(item), about) for name, part in report["parts"].items()
           if name in ("start", "backend", "operations", "solutions") for item, about in part["items"].items()]
    rows = [f"| `on_stand_in_{test}` | `{item}` | {about.get('text', '').replace('|', '/')} |"
            for item, test, about in ran
            if about["status"] == "failed" and test in report["on_stand_in"]]
    return rows or ["| none | | |" if ran else "| not measured | | |"]


def with_run(text, report):
    """The page with a row for this run, and the row's number, which cells name."""
    machine = report["machine"]
    gpu = machine["gpus"][0]
    row = " | ".join([report["date"][:16].replace("T", " "), report["commit"], gpu["name"], gpu["driver_version"],
                      *(machine[name] or "none" for name in ("toolkit", "cudnn", "nccl", "cublas", "cpu"))])
    head, known, end = RUNS.search(text).groups()
    rows = re.findall(r"^\| \d+ \| (.*) \|$", known, re.M)
    if row not in rows:
        rows.append(row)
    table = ["| run | date (UTC) | commit | GPU | driver | CUDA | cuDNN | NCCL | cuBLAS | processor |",
             "|---" * 10 + "|", *(f"| {number} | {known_row} |" for number, known_row in enumerate(rows, 1)), ""]
    return RUNS.sub(lambda _: head + "\n".join(table) + end, text), rows.index(row) + 1


def fill(page, report):
    """Writes results into the page's cells."""
    if report["rehearsal"]:
        sys.exit("gpu_report: a rehearsal has measured nothing")
    text, run = with_run(page.read_text(), report)

    def cell(match):
        row, name, item, value = match.groups()
        found = result(report["parts"].get(name, {}), item, value)
        if not found or found.startswith("not done"):
            return match.group(0)
        return f"{row} {found.replace('|', '/')} (run {run}) |"

    lines = [ROW.sub(cell, line) for line in text.splitlines()]
    table = "\n".join(["| passes in CI | fails on the GPU | what it says |", "|---|---|---|",
                       *differences(report), ""])
    page.write_text(DIFFERENCES.sub(lambda marks: marks[1] + table + marks[2], "\n".join(lines) + "\n"))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "fill":
        fill(pathlib.Path(sys.argv[2]), json.loads(pathlib.Path(sys.argv[3]).read_text()))
    else:
        sys.exit(__doc__)
