#!/usr/bin/env python3
"""Counts the instructions of small operations and compares them with those on record.

    count_instructions.py            build, count, compare with instructions.json
    count_instructions.py --update   build, count, and put the counts on record
    count_instructions.py --program PATH   count a bench_steps that is built

Instructions are the same on a busy and on an idle machine, where times differ by half. They depend
on the compiler, so the record names it. The build is a separate one, because valgrind knows no AVX-512.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = pathlib.Path(__file__).with_name("instructions.json")
BUILD = ROOT / "build" / "callgrind"
ROUNDS = 100  # kCounted in steps.cpp
TOLERANCE = 0.05


def build():
    """The program, compiled for a processor that valgrind can emulate."""
    subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DTD_CUDA=OFF", "-DTD_NATIVE=OFF", "-DLLD_PROGRAM=OFF",
                    "-DCMAKE_CXX_FLAGS=-g1 -march=haswell"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", "bench_steps"], check=True)
    return BUILD / "tools" / "bench" / "bench_steps"


def count(program, workloads=""):
    """Instructions of one round of every workload, by name."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
        environment["OMP_NUM_THREADS"] = "1"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                        program, workloads], check=True, env=environment,
                       stderr=subprocess.DEVNULL)
        counts = {}
        for path in sorted(pathlib.Path(folder).glob("out.*"), key=lambda p: int(p.suffix[1:])):
            text = path.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (\S+)", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if name and total:
                counts[name[1]] = round(int(total[1]) / ROUNDS)
        return counts


def compiler():
    text = subprocess.run(["g++", "--version"], check=True, capture_output=True, text=True).stdout
    return text.splitlines()[0]


def compare(counts, record):
    """Prints both columns; how many counts are above the record by more than the tolerance."""
    worse = 0
    for name, now in counts.items():
        before = record["counts"].get(name)
        if before is None:
            print(f"{name:20} {now:8}  (not on record)")
            continue
        change = now / before - 1
        verdict = "" if abs(change) <= TOLERANCE else " better" if change < 0 else " WORSE"
        worse += change > TOLERANCE
        print(f"{name:20} {now:8}  on record {before:8}  {change:+7.1%}{verdict}")
    return worse


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--update", action="store_true", help="put the counts on record")
    options.add_argument("--program", help="a program that is built already")
    options.add_argument("workloads", nargs="?", default="", help="only those that begin so")
    arguments = options.parse_args()
    counts = count(arguments.program or build(), arguments.workloads)
    if arguments.update:
        RECORD.write_text(json.dumps({"compiler": compiler(), "counts": counts}, indent=2) + "\n")
        print(f"{RECORD}: {len(counts)} counts")
        return 0
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"counts": {}}
    if record.get("compiler", compiler()) != compiler():
        print(f"on record are counts of {record['compiler']}; this is {compiler()}")
    worse = compare(counts, record)
    if worse:
        print(f"{worse} above the record by more than {TOLERANCE:.0%}: find out why, or put the new "
              "counts on record with --update")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
