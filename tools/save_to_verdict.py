#!/usr/bin/env python3
"""Times how long a learner waits from saving a file to the verdict, for every exercise.

    tools/save_to_verdict.py [--watch] [CHAPTER...]

on an otherwise idle machine, in a clone whose exercises are untouched. For each exercise the solution is
saved as the learner's file, `./course check` runs it twice, the second time after a change, and the original
file is restored. The second time counts, because the first one may build the chapter's checker.
With --watch, `./course watch` runs in a terminal and notices both saves by itself.
Invariant: the working tree is as before, also after Ctrl-C.
"""

import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/course"))
from terminal import Terminal  # pylint: disable=wrong-import-position

LONGEST_BUILD = 1200  # seconds
# As the screen shows it; the beginning of a check erases it.
VERDICT = re.compile(rb"(pass|fail|skipped|not done yet)  \(")


def check(name):
    """Seconds of one check, which must pass or be skipped."""
    start = time.monotonic()
    done = subprocess.run(["./course", "check", name], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    seconds = time.monotonic() - start
    if done.returncode:
        sys.exit(f"{name} does not pass:\n{done.stdout}")
    return seconds


class Watch(Terminal):
    """`./course watch` on a screen; called, it returns the seconds until the verdict on the last save."""

    def __init__(self, name):
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        super().__init__(["./course", "watch", name], environment, cwd=ROOT)
        self.verdict(name)

    def verdict(self, name):
        """The next verdict and the seconds until it."""
        self.output = b""
        seconds = self.wait_until(lambda: VERDICT.search(self.output) or self.process.poll() is not None,
                                  LONGEST_BUILD)
        if seconds is None or self.process.poll() is not None:
            sys.exit(f"{name}: no verdict:\n{self.output.decode(errors='replace')}")
        return VERDICT.search(self.output).group(1), seconds

    def __call__(self, name):
        word, seconds = self.verdict(name)
        if word not in (b"pass", b"skipped"):
            sys.exit(f"{name} does not pass in ./course watch")
        return seconds


def measure(folder, name, check):
    solution = next((ROOT / "solutions" / folder).glob(name + ".c*"))
    mine = ROOT / "chapters" / folder / solution.name
    before = mine.read_text()
    # The marks of the solution are comments, so it compiles as it is.
    try:
        mine.write_text(solution.read_text())
        check(f"{int(folder[:2])}.{name}")
        # A different text each time, which is in no compiler cache.
        mine.write_text(solution.read_text() + f"\nint saved_{int(time.time())};\n")
        return check(f"{int(folder[:2])}.{name}")
    finally:
        mine.write_text(before)


def chosen_exercises(numbers):
    """(number of the chapter, its folder, name) of every exercise of these chapters, or of all."""
    chapters = tomllib.loads((ROOT / "chapters/course.toml").read_text())["chapter"]
    return [(chapter["number"], chapter["folder"], exercise["name"])
            for chapter in chapters if not numbers or str(chapter["number"]) in numbers
            for exercise in chapter.get("exercise", [])]


def main():
    exercises = chosen_exercises([word for word in sys.argv[1:] if word != "--watch"])
    if not exercises:
        sys.exit("no such chapter: tools/save_to_verdict.py [--watch] [CHAPTER...]")
    progress = ROOT / ".course/progress.txt"
    before = progress.read_text() if progress.exists() else None
    times = {}
    try:
        watching = "--watch" in sys.argv
        with Watch("{0}.{2}".format(*exercises[0])) if watching else contextlib.nullcontext(check) as look:
            for number, folder, name in exercises:
                times[f"{number}.{name}"] = seconds = measure(folder, name, look)
                print(f"{number}.{name}: {seconds:.2f} s", flush=True)
                if watching:
                    look.verdict(name)  # of the original file, which is restored
    finally:
        if before is not None:
            progress.write_text(before)
        else:
            progress.unlink(missing_ok=True)
    slowest = max(times, key=times.get)
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
    print(f"{len(times)} exercises: median {statistics.median(times.values()):.2f} s, "
          f"largest {times[slowest]:.2f} s ({slowest}); {model}")


if __name__ == "__main__":
    main()
