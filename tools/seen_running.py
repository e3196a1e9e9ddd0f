#!/usr/bin/env python3
"""Records where each chapter's program was last seen running, and on which bare systems.

    tools/seen_running.py run [--build DIR] [--out FILE] [--kinds cpu,sim,cuda,xla] [CHAPTER...]
                                         runs the built programs on every device of this machine
    tools/seen_running.py write [FILE...]   adds the rows of other machines' FILEs, and writes the tables
    tools/seen_running.py check             tells where a page differs from the records; CTest calls it
    tools/seen_running.py machine ...       adds a command on a bare system; tools/fresh_machine.sh calls it

The record is docs/measurements/seen_running.json. `tools/gpu_check.py` calls `run` on a machine with a
GPU, and `write` adds the file that comes back. Invariant: only a program that ran writes a row, and a row
stays until a newer run of the same chapter on the same kind of device. Exit codes: 0, 1 where a program
failed or a page differs, 2 wrong usage.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib

import fresh_machines
import gpu_report
from marked_text import replaced, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs/measurements/seen_running.json"
README = ROOT / "README.md"
KINDS = ["cpu", "sim", "cuda", "xla"]
CANNOT_RUN_HERE = 77  # a program's exit code on a machine that lacks what it needs
PATIENCE = 600
SAID = re.compile(r"\b(?:devices?|plugin): .*$", re.M)


def chapters():
    return tomllib.loads((ROOT / "chapters/course.toml").read_text())["chapter"]


def kinds_of(chapter):
    """Chapter 8 copies between the memories of host and device, and chapters 11 to 13 launch CUDA kernels: both
    need a device that is not the cpu. Chapter 10 passes whole programs to a plugin."""
    return {8: ["sim", "cuda"], 10: ["xla"], **dict.fromkeys((11, 12, 13), ["sim", "cuda"])}.get(chapter["number"], ["cpu", "sim", "cuda"])


def takes_epochs(program):
    return any("--epochs" in line for line in gpu_report.said_by(str(program), "--help"))


def command(chapter, kind, build, gpus):
    """The words that start the program, and what a reader types instead. One epoch shows that it runs.
    The chapters on DDP are two ranks, but NCCL takes one rank per GPU."""
    program = build / "chapters" / f"ch{chapter['folder']}"
    options = []
    if kind != "xla":
        ranks_choose = chapter.get("ranks")
        options = ["--device", "cuda:0" if kind == "cuda" and not ranks_choose else kind]
        options += ["--epochs", "1"] if takes_epochs(program) else []
    if not chapter.get("ranks"):
        return [str(program), *options], " ".join(["./course run", str(chapter["number"]), *options])
    ranks = str(min(2, gpus) if kind == "cuda" else 2)
    return ([str(build / "tools/course/course-tool"), "launch", "-n", ranks, str(program), *options],
            " ".join(["./course launch -n", ranks, str(chapter["number"]), *options]))


def device_of(kind, machine):
    """The device of the row: for a GPU its name, driver and toolkit."""
    if kind == "cuda":
        gpu = machine["gpus"][0]
        return f"{gpu['name']}, driver {gpu['driver_version']}, CUDA {machine['toolkit']}"
    if kind == "xla":
        plugin = pathlib.Path(os.environ["PJRT_PLUGIN"]).resolve()
        pinned = re.search(r"^([\w-]+==[\w.]+)", (ROOT / "tools/xla_plugin.txt").read_text(), re.M).group(1)
        return pinned.replace("==", " ") if plugin.parent == ROOT / "build/xla" else plugin.name
    return machine["cpu"]


def available(machine):
    """The kinds of devices that this machine has. The stand-in for CUDA is a test double, not a GPU."""
    kinds = ["cpu", "sim"]
    if machine["gpus"] and "cuda_stand_in" not in os.environ.get("LD_LIBRARY_PATH", ""):
        kinds.append("cuda")
    if pathlib.Path(os.environ.get("PJRT_PLUGIN", "")).is_file():
        kinds.append("xla")
    return kinds


def run_one(chapter, kind, build, machine):
    """One row, or None if the program reports that it cannot run here."""
    words, typed = command(chapter, kind, build, len(machine["gpus"]))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
    # Nothing is timed here, and on a busy machine threads that spin would take cores from those that work.
    environment["OMP_WAIT_POLICY"] = "passive"
    start = time.monotonic()
    try:
        done = subprocess.run(words,
                              cwd=ROOT,
                              env=environment,
                              timeout=PATIENCE,
                              text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              check=False)
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        code, output = 124, f"it took more than {PATIENCE} s"
    seconds = time.monotonic() - start
    last = output.strip().splitlines()[-1:] or [""]
    print(f"{typed}: exit code {code}, {seconds:.1f} s{'' if code == 0 else ': ' + last[0]}",
          flush=True)
    if code == CANNOT_RUN_HERE:
        return None
    said = SAID.search(output)
    return {
        "exit_code": code,
        "device": device_of(kind, machine),
        "said": said.group() if said else "",
        "command": typed,
        "commit": gpu_report.commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    }


def merged(record, other):
    """The newer row of each chapter and kind."""
    for folder, rows in other.items():
        for kind, row in rows.items():
            known = record.setdefault(folder, {}).get(kind)
            if known is None or known["date"] <= row["date"]:
                record[folder][kind] = row
    return {
        folder: {
            kind: record[folder][kind]
            for kind in KINDS if kind in record[folder]
        }
        for folder in sorted(record)
    }


def load(path):
    return json.loads(path.read_text()) if path.exists() else {}


def save(path, record):
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def run(options):
    build = options.build.resolve()
    machine = gpu_report.machine(build)
    kinds = [kind for kind in available(machine) if kind in options.kinds.split(",")]
    fresh = {}
    for chapter in chapters():
        if options.words and str(chapter["number"]) not in options.words:
            continue
        for kind in (kind for kind in kinds_of(chapter) if kind in kinds):
            row = run_one(chapter, kind, build, machine)
            if row:
                fresh.setdefault(chapter["folder"], {})[kind] = row
                save(options.out, merged(load(options.out), fresh))  # at once, so that Ctrl-C loses nothing
    failed = [
        f"{folder} on {kind}" for folder, rows in fresh.items() for kind, row in rows.items()
        if row["exit_code"]
    ]
    count = sum(len(rows) for rows in fresh.values())
    print(f"{count} programs ran, {len(failed)} failed{': ' + ', '.join(failed) if failed else ''}")
    return 1 if failed or not count else 0


def cell(chapter, kind, rows):
    if kind not in kinds_of(chapter):
        return "–"
    row = rows.get(kind)
    if row is None:
        return "not seen yet"
    day = row["date"][:10]
    if row["exit_code"]:
        return f"**failed** {day}: exit code {row['exit_code']}"
    return f"{row['device']}, {day}" if kind == "xla" else day


def prerequisites(chapter):
    """The devices named on the chapter's page, and the needs of a machine from course.toml."""
    page = (ROOT / "chapters" / chapter["folder"] / "README.md").read_text()
    found = re.search(r"Prerequisites: (.+?)\. ", page).group(1)
    return found + ("; an XLA plugin, which `./course` fetches" if "needs" in chapter else "")


def written(record):
    """README.md's table, and the machines behind its dates."""
    rows = [[
        f"{chapter['number']:02}", chapter["minutes"],
        prerequisites(chapter), *(cell(chapter, kind, record.get(chapter["folder"], {})) for kind in KINDS)
    ] for chapter in chapters()]
    def devices(*kinds):
        return "; ".join(sorted({rows[kind]["device"] for rows in record.values() for kind in kinds if kind in rows}))

    text = table(["#", "minutes", "prerequisites", "`cpu`", "`sim`", "`cuda` (GPU)", "XLA plugin"], rows)
    return text + (f"\n`cpu` and `sim`: {devices('cpu', 'sim') or 'no machine yet'}. `cuda`: {devices('cuda') or 'no GPU yet'}. "
                   "Commands and commits are in [the record](docs/measurements/seen_running.json); a dash means that the chapter is not for "
                   "this kind of device.\n")


def faults():
    """Everything that is wrong with the record and with the page."""
    record, found = load(RECORD), []
    known = {chapter["folder"]: chapter for chapter in chapters()}
    found += [f"{folder}: there is no such chapter" for folder in record if folder not in known]
    for folder, chapter in known.items():
        rows = record.get(folder, {})
        for kind in kinds_of(chapter):
            if kind != "cuda" and kind not in rows:
                found.append(
                    f"{folder}: was never seen running on {kind}; "
                    f"type  tools/seen_running.py run {chapter['number']}"
                )
        for kind, row in rows.items():
            if row["exit_code"]:
                found.append(
                    f"{folder}: failed on {kind} on {row['date'][:10]} with exit code {row['exit_code']}")
            if kind not in kinds_of(chapter):
                found.append(f"{folder}: is not for {kind}, so it has no row of it")
            if kind == "cuda" and "driver" not in row["device"]:
                found.append(f"{folder}: the row of cuda names no driver, so it is not from a GPU")
    for page, name, text, file in tables(record):
        if replaced(page.read_text(), name, text) != page.read_text():
            found.append(f"{page.name}: its table is not that of docs/measurements/{file.name}; "
                         "type  tools/seen_running.py write")
    return found + fresh_machines.faults()


def tables(record):
    """What this script writes: the page, the name of the marks, the text, and the record that it is from."""
    return [(README, "seen running", written(record), RECORD),
            (fresh_machines.PAGE, "fresh machines", fresh_machines.written(), fresh_machines.RECORD)]


def write(files):
    record = load(RECORD)
    for file in files:
        if not file.exists():
            sys.exit(f"seen_running: there is no {file}; tools/seen_running.py run --out {file}  makes it")
        record = merged(record, load(file))
    save(RECORD, record)
    for page, name, text, _ in tables(record):
        page.write_text(replaced(page.read_text(), name, text))
    return 0


def main():
    parser = argparse.ArgumentParser(
        description="Records where each chapter's program was last seen running.")
    parser.add_argument("action", choices=["run", "write", "check", "machine"])
    parser.add_argument("words", nargs="*", help="run: chapters' numbers; write: files of other machines")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--out", type=pathlib.Path, default=RECORD)
    parser.add_argument("--kinds", default=",".join(KINDS))
    about_machine = parser.add_argument_group("machine")
    for name in ("system", "compiler", "user", "typed", "log", "commit"):
        about_machine.add_argument(f"--{name}")
    about_machine.add_argument("--seconds", type=int)
    about_machine.add_argument("--first-epoch", default="", help="seconds; empty where nothing was trained")
    about_machine.add_argument("--exit-code", type=int)
    about_machine.add_argument("--load", type=float)
    options = parser.parse_args()
    if options.action == "machine":
        fresh_machines.add(options, gpu_report.machine(options.build)["cpu"])
        return 0
    if options.action == "run":
        return run(options)
    if options.action == "write":
        return write([pathlib.Path(word) for word in options.words])
    found = faults()
    print(*found, f"{len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
