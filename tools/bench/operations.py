#!/usr/bin/env python3
"""Times every operation of td beside PyTorch's, and prints the ratios, td's slowest first.

    tools/bench/operations.py                     all of them, against Debian's libtorch
    tools/bench/operations.py gelu "sum dim"      those whose name begins so
    tools/bench/operations.py --wheel FOLDER      against the wheel of PyTorch that was unpacked there
    tools/bench/operations.py --check             only whether each operation that td declares is timed

The two programs (operations.cpp) take turns; each uses one thread. A ratio above 1 means that td is faster. For final
results the machine must do nothing else; --clock cpu counts processor time, for a machine that is busy.
A case of which the two compute different results is a fault, and has no time.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from compare import ROOT, build, machine
from comparison_page import in_words

sys.path.insert(0, str(ROOT / "tests/system"))
from operations_have_samples import declared_in  # noqa: E402

# What the list of operations.cpp calls otherwise, or what is no work on elements.
ELSEWHERE = {"leaky_relu_", "manual_seed", "tensor"}


class Program:
    """One of the two programs: an answer for each line."""

    def __init__(self, name, command, environment):
        self.name = name
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      env={**os.environ, **environment})

    def ask(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            sys.exit(f"{self.name} ended with {self.child.wait()} at \"{line}\"")
        return json.loads(answer)


def wheel_program(folder):
    """operations.cpp, compiled with the wheel's headers and libraries, beside them."""
    torch, program = folder / "torch", folder / "bench_operations"
    source = ROOT / "tools/bench/operations.cpp"
    if not (torch / "lib/libtorch_cpu.so").exists():
        sys.exit(f"{folder} holds no unpacked wheel: {torch}/lib/libtorch_cpu.so is missing")
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["g++", "-std=c++20", "-O2", "-w", "-DRACE_LIBTORCH", f"-I{torch}/include",
                        f"-I{torch}/include/torch/csrc/api/include", source, "-o", program, f"-L{torch}/lib",
                        "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch}/lib", "-Wl,--allow-shlib-undefined"], check=True)
    return program


def faults_of_list(names):
    """The operations that td declares and that no case times."""
    timed = {name.split("/")[0].split(" ")[0] for name in names}
    return [f"{name} is declared, but operations.cpp has no case of it"
            for name in sorted(declared_in(ROOT / "common") - timed - ELSEWHERE)]


def race(case, programs, options):
    """The times of one case, or why there are none."""
    checks = {}
    for program in programs:
        answer = program.ask(f"setup {case}")
        if "error" in answer:
            return {"case": case, "fault": f"{program.name}: {answer['error'].splitlines()[0][:150]}"}
        checks[program.name] = answer["check"]
    one, other = checks.values()
    if not abs(one - other) <= 1e-3 * max(abs(one), abs(other), 1e-3):
        return {"case": case, "fault": f"they compute {one} and {other}"}
    times = {program.name: [] for program in programs}
    for _ in range(options.rounds):
        for program in programs:
            times[program.name] += program.ask(f"run {options.seconds}")[options.clock]
    median = {name: statistics.median(samples) for name, samples in times.items()}
    return {"case": case, "seconds": median, "ratio": median["torch"] / median["td"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only cases that begin so")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="build folder")
    parser.add_argument("--wheel", type=Path, help="a folder with an unpacked wheel of PyTorch")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.02, help="of one program in one round")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--json", type=Path, help="writes everything there")
    parser.add_argument("--check", action="store_true", help="only checks the list")
    options = parser.parse_args()
    targets = ["bench_operations_td"] + ([] if options.wheel or options.check else ["bench_operations_libtorch"])
    folder = build(options.build, *targets)
    td = Program("td", [folder / targets[0]], {})
    names = td.ask("cases")
    if options.check:
        faults = faults_of_list(names)
        print("\n".join(faults) or f"{len(names)} cases, all operations that td declares")
        return 1 if faults else 0
    peer = wheel_program(options.wheel.resolve()) if options.wheel else folder / targets[1]
    programs = [td, Program("torch", [peer], {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})]
    results = [race(name, programs, options) for name in names
               if not options.names or any(name.startswith(begin) for begin in options.names)]
    timed = sorted((r for r in results if "ratio" in r), key=lambda r: r["ratio"])
    print("torch/td        td     torch  case")
    for r in timed:
        print(f"{r['ratio']:8.2f}{in_words(r['seconds']['td']):>10}{in_words(r['seconds']['torch']):>10}  {r['case']}")
    for r in results:
        if "fault" in r:
            print(f"fault: {r['case']}: {r['fault']}")
    slow = {size: [r for r in timed if f"/{size}/" in r["case"] and r["ratio"] < limit]
            for size, limit in (("large", 0.8), ("small", 1.0))}
    print(f"{len(timed)} cases; slower than 1.25 x torch at the large shape: {len(slow['large'])}, "
          f"slower than torch at the small one: {len(slow['small'])}")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "command": sys.argv, "results": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
