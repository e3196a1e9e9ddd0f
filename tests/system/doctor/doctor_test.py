#!/usr/bin/env python3
"""Provokes every finding of ./course doctor on made-up machines. Called by CTest: doctor_test.py SOURCE.

cases.py and cases_cuda.py say which findings a machine must yield: level, words, and what to do. Invariant: a
finding that no case provokes is a failure, so none can be added without one.
"""

import concurrent.futures
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

from cases import CASES, bare
from cases_cuda import GPU
from machine import Machine, nvidia_smi

SOURCE = pathlib.Path(sys.argv[1]).resolve()


def examine(one):
    """Runs one case; returns (its faults, the ids that came)."""
    name, change, expected = one
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        machine = Machine(folder, SOURCE)
        code, report = machine.findings(**(change(machine) or {}))
    found = {finding["id"]: finding for finding in reversed(report["findings"])}
    runs = expected.get("runs", True)
    if code != (0 if runs else 1) or report["course_runs"] != runs:
        faults.append(f"{name}: exit code {code}, course_runs {report['course_runs']}, expected {runs}")
    for key, (level, *words) in ((key, value) for key, value in expected.items() if key != "runs"):
        finding = found.get(key)
        if not finding:
            faults.append(f"{name}: no {key}; there are {', '.join(found)}")
            continue
        said = " ".join([finding["found"], finding["meaning"]])
        if finding["level"] != level or (words and words[0] not in said):
            faults.append(f"{name}: {key}: expected {level} with {words[:1]}, got {finding}")
        for step in words[1:]:
            if step not in "\n".join(finding["do"]):
                faults.append(f"{name}: {key}: what to do lacks {step!r}: {finding['do']}")
        if level in ("warning", "error") and not finding["meaning"]:
            faults.append(f"{name}: {key} does not say what it means")
    unexpected = [
        key for key, finding in found.items() if finding["level"] == "error" and key not in expected
    ]
    if unexpected and name != "mac":
        faults.append(f"{name}: errors that nothing caused: {unexpected}")
    return faults, set(found)


def ids_in_scripts():
    text = "".join(path.read_text() for path in (SOURCE / "tools/shell").glob("doctor*.sh"))
    return set(re.findall(r'finding (?:ok|note|warning|error|"\$\(.*?\)") ([a-z0-9_]+)', text))


def check_summary(machine, faults):
    """What the summary says of a machine with one GPU and no NCCL, and of one with no gloo."""
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.toolkit("13.0", "cublas")
    machine.file("/usr/include/gloo", None)
    chapters = {chapter["number"]: chapter for chapter in machine.findings()[1]["chapters"]}
    expected = {
        1: (["cpu", "sim", "cuda"], []),
        4: (["cpu", "sim", "cuda"], ["convolutions on cuda (no cuDNN)"]),
        6: ([], ["ranks on cpu and sim (no gloo)", "ranks on cuda (no NCCL)", "several GPUs (there is one)"]),
        10: (["XLA's plugin"], []),
        11: (["sim", "cuda"], []),
    }
    for number, (runs_on, skipped) in expected.items():
        chapter = chapters.get(number, {})
        if (chapter.get("runs_on"), chapter.get("skipped")) != (runs_on, skipped):
            faults.append(f"summary of chapter {number}: {chapter}")
    numbers = [
        int(n) for n in re.findall(r"^number = (\d+)", (SOURCE / "chapters/course.toml").read_text(), re.M)
    ]
    if sorted(chapters) != numbers:
        faults.append(f"the summary has the chapters {sorted(chapters)}, course.toml has {numbers}")


def check_text(machine, faults):
    """Lines fit into the terminal, commands can be copied, and the last lines say what to do next."""
    said = machine.run("doctor").stdout
    if not said.endswith("The course runs here, on cpu and sim. Warnings: 0. Next:\n  ./course run 1\n"):
        faults.append("the end of a good report: " + said[-200:])
    bare(machine)
    for columns in ("40", "80", "200"):
        machine.environment.update(COLUMNS=columns, LC_ALL="C")
        done = machine.run("doctor")
        wide = [
            line for line in done.stdout.splitlines() if len(line) > int(columns) and len(line.split()) > 2
        ]
        if wide or not done.stdout.isascii() or "\033" in done.stdout:
            faults.append(f"at {columns} columns: {wide} or not plain text")
        # A command that was broken over lines still works in a shell.
        joined = re.sub(r" \\\n +", " ", done.stdout)
        if "sudo apt-get install libopenblas-openmp-dev\n" not in joined:
            faults.append(f"at {columns} columns no command to copy: {done.stdout}")
        if done.returncode != 1 or not done.stdout.endswith("./course setup\n"):
            faults.append(f"at {columns} columns: exit code {done.returncode}: {done.stdout[-200:]}")


def check_terminal(machine, faults):
    """In a terminal levels have colors, unless NO_COLOR says otherwise, and its size counts."""
    for no_color in ("", "1"):
        ours, theirs = pty.openpty()
        subprocess.run(["stty", "cols", "50"], stdin=theirs, check=True)
        environment = {
            "PATH": str(machine.bin),
            "DOCTOR_ROOT": str(machine.root),
            "TERM": "xterm",
            "NO_COLOR": no_color,
        }
        with subprocess.Popen(
            ["./course", "doctor"], cwd=machine.course, env=environment, stdin=theirs, stdout=theirs
        ) as run:
            os.close(theirs)
            said = b""
            try:
                while chunk := os.read(ours, 65536):
                    said += chunk
            except OSError:  # what Linux reports when the other end is closed
                pass
            run.wait()
        os.close(ours)
        said = said.decode()
        plain = re.sub(r"\033\[\d+m", "", said)
        if ("\033[32mok" in said) != (no_color == "") or max(map(len, plain.splitlines())) > 50:
            faults.append(f"in a terminal with NO_COLOR={no_color!r}: {said[:300]!r}")


def check_usage(machine, faults):
    for arguments, code, words in (
        (["--jsn"], 2, "doctor: unknown option --jsn: type  ./course doctor --help"),
        (["--help"], 0, "Example: ./course doctor"),
        (["-h"], 0, "--json"),
    ):
        done = machine.run("doctor", *arguments)
        if done.returncode != code or words not in done.stdout + done.stderr:
            faults.append(f"doctor {arguments}: {done}")


def main():
    faults, came = [], set()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for new_faults, ids in pool.map(examine, CASES):
            faults += new_faults
            came |= ids
    declared = ids_in_scripts()
    faults += [f"no case provokes the finding {key}" for key in sorted(declared - came)]
    # An id that was printed but not found in the scripts was missed by the search.
    faults += [f"the search for ids misses {key}" for key in sorted(came - declared)]
    for check in (check_summary, check_text, check_terminal, check_usage):
        with tempfile.TemporaryDirectory() as folder:
            check(Machine(folder, SOURCE), faults)
    print(*faults, f"{len(declared)} findings, {len(CASES)} machines, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
