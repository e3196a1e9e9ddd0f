#!/usr/bin/env python3
"""Results of tools/gpu_check.sh.

  gpu_report.py collect STATE BUILD gpu.json   what the stages left in STATE, and the machine; called by the script
  gpu_report.py fill PAGE.md gpu.json          writes results into the cells of docs/measurements/gpu.md

A row of the page with a cell `STAGE` gets that stage's counts, one with `STAGE/ITEM` that item's result,
one with `STAGE/ITEM: NAME` the value that the item printed as "NAME: value". Between its marks the page
gets a table of the items that failed on the GPU although the same test passes in CI on the stand-in for
CUDA. Invariant: a value that the file does not have stays "not measured".
"""

import ctypes
import datetime
import json
import pathlib
import re
import subprocess
import sys

STAGES = ["configure", "build-core", "core-tests", "chapters", "sanitize", "measure", "compare"]
TIMED = ("measure", "compare")
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


def library_version(path, function):
    """Version of a library of NVIDIA's, or None if it cannot be opened."""
    number = ctypes.c_int()
    try:
        ask = getattr(ctypes.CDLL(path), function)
        if function == "ncclGetVersion":  # all in one number: 22809
            ask(ctypes.byref(number))
            return f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"
        parts = []
        for part in range(3):
            ask(part, ctypes.byref(number))
            parts.append(str(number.value))
    except (OSError, AttributeError, TypeError):
        return None
    return ".".join(parts)


def machine(build):
    """The machine and the sources of the results."""
    cache = build / "CMakeCache.txt"
    cached = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.M)) if cache.exists() else {}
    fields = ["name", "compute_cap", "memory.total", "driver_version"]
    gpus = said_by("nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader")
    cpus = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    nvcc = re.findall(r"V([0-9.]+)", "\n".join(said_by("nvcc", "--version")))
    compiler = said_by(cached.get("CMAKE_CXX_COMPILER", "c++"), "--version")
    cublas = cached.get("CUDA_cublas_LIBRARY") or cached.get("CUBLAS_LIBRARY")
    return {
        "memory": next((line.split(":")[1].strip() for line in said_by("nvidia-smi", "-q")
                        if "Addressing Mode" in line), None),
        "gpus": [dict(zip(fields, line.split(", "))) for line in gpus],
        "cpu": f"{len(cpus)} x {cpus[0]}" if cpus else None,
        "toolkit": nvcc[0] if nvcc else None,
        "cudnn": library_version(cached.get("CUDNN_LIBRARY"), "cudnnGetProperty"),
        "nccl": library_version(cached.get("NCCL_LIBRARY"), "ncclGetVersion"),
        "cublas": library_version(cublas, "cublasGetProperty"),
        "compiler": compiler[0] if compiler else None,
        "architectures": cached.get("CMAKE_CUDA_ARCHITECTURES"),
    }


def values_of(log):
    """For each item, the "name: value" lines of its last run."""
    values = {}
    for section in re.split(r"^==== ", log, flags=re.M)[1:]:
        head, *lines = section.splitlines()
        found = (VALUE.match(line) for line in lines)
        values[head.split(":")[0]] = {m.group(1).strip(): m.group(2).strip() for m in found if m}
    return values


def stage(state, name):
    """One stage as the script has left it."""
    key = state / f"{name}.key"
    if not key.exists():
        return {"status": "not run"}
    _, commit, date = key.read_text().splitlines()
    log = state / f"{name}.log"
    values = values_of(log.read_text(errors="replace")) if name in TIMED and log.exists() else {}
    items = {}
    for line in (state / f"{name}.tsv").read_text(errors="replace").splitlines():
        item, status, seconds, text = line.split("\t", 3)
        items[item] = {"status": status, "seconds": int(seconds)}
        if text:
            items[item]["text"] = text
        if values.get(item):
            items[item]["values"] = values[item]
    undone = state / f"{name}.undone"
    result = {"status": "finished" if (state / f"{name}.done").exists() else "not finished",
              "commit": commit, "date": date,
              "seconds": sum(item["seconds"] for item in items.values())}
    for status in ("passed", "failed", "skipped"):
        result[status] = sum(item["status"] == status for item in items.values())
    result["failures"] = [n for n, item in items.items() if item["status"] == "failed"]
    result["not_done"] = undone.read_text().split() if undone.exists() else []
    result["items"] = items
    figures = {path.name.split(".")[1]: json.loads(path.read_text())
               for path in sorted(state.glob(f"{name}.*.json"))}
    if figures:
        result["figures"] = figures
    return result


def stand_in_tests(build):
    """What CI runs on the stand-in for CUDA: the names of the tests without `on_stand_in_`."""
    tests = build / "tests/CTestTestfile.cmake"
    found = re.findall(r"add_test\(\W*on_stand_in_(\w+)", tests.read_text()) if tests.exists() else []
    return sorted(set(found))


def collect(state, build, target):
    """Merges all stages into one file."""
    known = state / "machine.json"
    if not known.exists() or not json.loads(known.read_text())["architectures"]:
        known.write_text(json.dumps(machine(build)))
    report = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "dry_run": state.name == "check-dry", "machine": json.loads(known.read_text()),
              "on_stand_in": stand_in_tests(build),
              "stages": {name: stage(state, name) for name in STAGES}}
    target.write_text(json.dumps(report, indent=1) + "\n")


def result(about, item, value):
    """A cell's text from the results of a stage; nothing if there are none."""
    if not about.get("items"):
        return None
    if not item:
        return ", ".join(f"{about[status]} {status}" for status in ("passed", "failed", "skipped"))
    found = about["items"].get(item, {})
    if value:
        return found.get("values", {}).get(value)
    return ", ".join(filter(None, [found.get("status"), found.get("text")]))


def differences(report):
    """The rows of the items that failed, and which the stand-in lets pass in CI."""
    ran = [(name, item, about) for name in ("core-tests", "chapters")
           for item, about in report["stages"].get(name, {}).get("items", {}).items()]
    rows = []
    for name, item, about in ran:
        test = re.sub("^test_", "", item) if item.startswith("test_") else item.split("_")[0]
        if about["status"] == "failed" and test in report.get("on_stand_in", []):
            rows.append(f"| `on_stand_in_{test}` | `{name}/{item}` | "
                        f"{about.get('text', '').replace('|', '/')} |")
    return rows or ["| none | | |" if ran else "| not measured | | |"]


def fill(page, report):
    """Writes results into the page's cells."""
    if report["dry_run"]:
        sys.exit("gpu_report: a dry run has measured nothing")
    gpu = ", ".join(g["name"] for g in report["machine"]["gpus"])

    def cell(match):
        row, name, item, value = match.groups()
        about = report["stages"].get(name, {})
        text = result(about, item, value)
        if not text:
            return match.group(0)
        return f"{row} {text.replace('|', '/')} ({gpu}, {about['commit']}, {about['date'][:10]}) |"

    lines = [ROW.sub(cell, line) for line in page.read_text().splitlines()]
    table = "\n".join(["| passes in CI | fails on the GPU | what it says |", "|---|---|---|",
                       *differences(report), ""])
    page.write_text(DIFFERENCES.sub(lambda marks: marks[1] + table + marks[2], "\n".join(lines) + "\n"))


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "collect":
        collect(*map(pathlib.Path, sys.argv[2:]))
    elif len(sys.argv) == 4 and sys.argv[1] == "fill":
        fill(pathlib.Path(sys.argv[2]), json.loads(pathlib.Path(sys.argv[3]).read_text()))
    else:
        sys.exit(__doc__)
