"""What the tests of `./course time` share: runs of the program with a worker whose times are known.

Imported by driver_test.py and reports_test.py. A case is a function with the decorator `case`; it gets an
empty directory. A fault names the command and what was expected. Invariant: nothing here depends on how
fast the machine is.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
FAKE = pathlib.Path(__file__).resolve().parent / "fake_worker.py"
UNWANTED = ("NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE")
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in UNWANTED and not name.startswith("FAKE_")}
ENVIRONMENT.update(LANG="C.UTF-8", COLUMNS="100")
PATIENCE = 60  # seconds; a busy machine is no fault
faults = []
cases = []


def case(function):
    cases.append(function)
    return function


def expect(condition, what):
    if not condition:
        faults.append(f"{sys._getframe(1).f_code.co_name}: {what}")


def command(folder, arguments, samples=True):
    """The words that start the program; `samples`: with short ones."""
    quick = ["--seconds", "0.001"] if samples else []
    if samples and "--rounds" not in arguments:
        quick += ["--rounds", "3"]
    words = [PROGRAM, *quick, "--worker-program", FAKE, "--out", folder / "out", *arguments]
    return list(map(str, words))


def course_time(folder, *arguments, samples=True, **environment):
    """One run: exit code and output of both kinds."""
    environment.setdefault("FAKE_LOG", str(folder / "log"))
    done = subprocess.run(command(folder, arguments, samples), text=True, timeout=PATIENCE, cwd=folder,
                          env={**ENVIRONMENT, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


def expect_run(code, texts, folder, *arguments, **environment):
    """Runs and compares; line breaks and padding do not count. Returns the output."""
    got, output = course_time(folder, *arguments, **environment)
    shown = " ".join(map(str, arguments))
    if got != code:
        faults.append(f"{shown}: exit code {got}, expected {code}:\n{output}")
    for text in texts:
        if " ".join(text.split()) not in " ".join(output.split()):
            faults.append(f"{shown}: expected \"{text}\" in:\n{output}")
    return output


def requests(folder):
    """What the workers were asked: "todevice run lenet/sim 0.001"."""
    return (folder / "log").read_text().splitlines()


def ran(folder):
    return [line.split()[2] for line in requests(folder) if " run " in line]


def benchmarks(folder):
    return json.loads((folder / "out/time.json").read_text())["benchmarks"]


def main():
    """Runs all cases, or those whose names follow the program; returns the exit code."""
    wanted = sys.argv[2:]
    for function in cases:
        if wanted and function.__name__ not in wanted:
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(pathlib.Path(folder))
            except (OSError, ValueError, StopIteration, subprocess.SubprocessError) as error:
                faults.append(f"{function.__name__}: {type(error).__name__}: {error}")
        print(f"{time.monotonic() - start:5.1f} s  {function.__name__}")
    print(*faults, f"{len(faults)} faults", sep="\n")
    return 1 if faults else 0
