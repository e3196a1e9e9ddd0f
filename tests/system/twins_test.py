#!/usr/bin/env python3
"""Runs the PyTorch twin of each chapter on the CPU and compares its numbers with those of the chapter's program.

    twins_test.py PROJECT PROGRAM_FOLDER [CHAPTER...]   checks chapters/*/pytorch.py and chapters/*/programs/*.py, or
                                                        those of some chapters
    twins_test.py --self-test                           checks that planted faults are found

Called by CTest with the python3 that has torch. The docstring of a twin says what is compared:

    Twin of: ./course run 4 --device cpu --model simple        the command of the chapter's program
    Run with: --start {folder}/start.safetensors               the twin's own options, if it has any
    Compared: Epoch (\\d+), Loss: ([\\d.]+)                      a regular expression with groups
    Compared to 1e-2: accuracy ([\\d.]+)                        the same with a tolerance of its own

A twin whose random numbers decide what it prints names the twin that compares the same work instead:

    Compared by: programs/fixed.py

Both outputs are searched for each expression. Invariant: there is at least one match, both outputs have the same
number of matches, and each group agrees: numbers to a relative tolerance of 1e-4, other text exactly. `{folder}` is
one temporary folder for both, so that the program can save what the twin starts from.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import course_command  # noqa: E402

PATIENCE = 300  # seconds; a busy machine is no fault
CANNOT_RUN_HERE = 77


def agree(a, b, tolerance):
    if a == b:  # text, or both nan
        return True
    try:
        x, y = float(a.replace(",", "")), float(b.replace(",", ""))
    except ValueError:
        return False
    return abs(x - y) <= tolerance * max(abs(x), abs(y))


def run(words, environment):
    return subprocess.run(words, env=environment, timeout=PATIENCE, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


def faults_of(twin, programs):
    document = re.match(r'(?:#![^\n]*\n)?"""(.*?)"""', twin.read_text(), re.S)
    lines = document.group(1).splitlines() if document else []
    fields = [re.match(r"\s*(Twin of|Run with|Compared by|Compared(?: to [\d.e-]+)?): (.+)", line) for line in lines]
    fields = [match.groups() for match in fields if match]
    commands = [value for name, value in fields if name == "Twin of"]
    options = [value for name, value in fields if name == "Run with"]
    elsewhere = [twin.parent / value for name, value in fields if name == "Compared by"]
    if commands and elsewhere:
        return [f"there is no {other}" for other in elsewhere if not other.is_file()]
    compared = [(re.search(r"[\d.e-]+$", name), value) for name, value in fields if name.startswith("Compared")]
    if len(commands) != 1 or not compared:
        return ["its docstring needs one line \"Twin of:\" and at least one line \"Compared:\""]
    number = int((twin.parent.parent if twin.parent.name == "programs" else twin.parent).name[:2])
    command = course_command.parsed(commands[0])
    if not command or command.chapter != number:
        return [f"cannot run \"{commands[0]}\": write ./course run {number} OPTIONS"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
    with tempfile.TemporaryDirectory() as folder:
        command.words = [word.replace("{folder}", folder) for word in command.words]
        program = run(command.built(programs), environment | command.settings)
        if program.returncode == CANNOT_RUN_HERE:
            return []
        arguments = " ".join(options).replace("{folder}", folder).split()
        python = run([sys.executable, "-B", twin, *arguments], environment)
    faults = [f"exit code {done.returncode} of {name}:\n{done.stdout}"
              for name, done in (("the program", program), ("the twin", python)) if done.returncode]
    for tolerance, pattern in compared if not faults else []:
        ours, theirs = (re.findall(pattern, done.stdout, re.M) for done in (program, python))
        ours, theirs = ([one if isinstance(one, tuple) else (one,) for one in found] for found in (ours, theirs))
        if not ours or len(ours) != len(theirs):
            faults.append(f"\"{pattern}\": {len(ours)} matches in the program's output, {len(theirs)} in the twin's:\n"
                          f"{program.stdout}\n--- the twin:\n{python.stdout}")
        for a, b in zip(ours, theirs):
            if not all(agree(x, y, float(tolerance.group()) if tolerance else 1e-4) for x, y in zip(a, b)):
                faults.append(f"\"{pattern}\": the program prints {' '.join(a)}, the twin {' '.join(b)}")
    return faults


def self_test():
    document = '"""A twin.\n\nTwin of: ./course run 2 --x\nCompared: loss (\\S+)\nCompared to 0.1: about (\\S+)\n"""\n'
    good = document + "print('loss 1.00001 then\\nloss nan\\nabout 2.1')\n"
    faulty = [good.replace("1.00001", "1.01"), good.replace("loss nan", ""), good.replace("2.1", "2.5"),
              good.replace("run 2", "run 3"), good.replace("Twin of", "Twin"), good.replace("nan", "0"),
              good + "raise SystemExit(1)\n", good.replace("loss (", "gain (")]
    with tempfile.TemporaryDirectory() as folder:
        chapter, programs = pathlib.Path(folder) / "02_x", pathlib.Path(folder) / "chapters"
        chapter.mkdir()
        programs.mkdir()
        (programs / "ch02_x").write_text("#!/bin/sh\necho loss 1.0\necho loss nan\necho about 2.0\n")
        (programs / "ch02_x").chmod(0o755)
        for text, expected in [(good, False), *((text, True) for text in faulty)]:
            (chapter / "pytorch.py").write_text(text)
            found = faults_of(chapter / "pytorch.py", programs)
            if bool(found) != expected:
                sys.exit(f"self-test: expected {'a fault' if expected else 'none'}, found {found} in:\n{text}")
    print(f"{len(faulty) + 1} cases as expected")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: this Python has no torch (Debian package python3-torch)")
        return sys.exit(CANNOT_RUN_HERE)
    root, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    twins = [twin for pattern in ("pytorch.py", "programs/*.py") for twin in sorted(root.glob(f"chapters/[0-9]*/{pattern}"))
             if not sys.argv[3:] or twin.relative_to(root).parts[1][:2] in sys.argv[3:]]
    faults = [f"{twin}: {fault}" for twin in twins for fault in faults_of(twin, programs)]
    print("\n".join([*faults, f"{len(twins)} twins, {len(faults)} faults"]))
    return sys.exit(1 if faults or not twins else 0)


if __name__ == "__main__":
    main()
