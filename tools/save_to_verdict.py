#!/usr/bin/env python3
"""Times how long a learner waits from saving a file to the verdict, for every exercise.

    tools/save_to_verdict.py [CHAPTER...]     on an otherwise idle machine, in a clone whose exercises are untouched

For each exercise the solution is saved as the learner's file, `./course check` runs it twice, the second time after a
change, and the original file is restored. The second time counts: the first one may build the chapter's checker.
Invariant: the working tree is as before, also after Ctrl-C.
"""

import pathlib
import re
import statistics
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def check(name):
    """Seconds of one check, which must pass or be skipped."""
    start = time.monotonic()
    done = subprocess.run(["./course", "check", name], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    seconds = time.monotonic() - start
    if done.returncode:
        sys.exit(f"{name} does not pass:\n{done.stdout}")
    return seconds


def measure(folder, name):
    solution = next((ROOT / "solutions" / folder).glob(name + ".c*"))
    mine = ROOT / "chapters" / folder / solution.name
    before = mine.read_text()
    # The marks of the solution are comments, so it compiles as it is.
    try:
        mine.write_text(solution.read_text())
        check(f"{int(folder[:2])}.{name}")
        mine.write_text(solution.read_text() + f"\nint saved_{int(time.time())};\n")  # no answer of a compiler cache
        return check(f"{int(folder[:2])}.{name}")
    finally:
        mine.write_text(before)


def main():
    chapters = tomllib.loads((ROOT / "chapters/course.toml").read_text())["chapter"]
    progress = ROOT / ".course/progress.txt"
    before = progress.read_text() if progress.exists() else None
    times = {}
    try:
        for chapter in chapters:
            if sys.argv[1:] and str(chapter["number"]) not in sys.argv[1:]:
                continue
            for exercise in chapter.get("exercise", []):
                seconds = measure(chapter["folder"], exercise["name"])
                times[f"{chapter['number']}.{exercise['name']}"] = seconds
                print(f"{chapter['number']}.{exercise['name']}: {seconds:.2f} s", flush=True)
    finally:
        if before is not None:
            progress.write_text(before)
        else:
            progress.unlink(missing_ok=True)
    slowest = max(times, key=times.get)
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
    print(f"{len(times)} exercises: median {statistics.median(times.values()):.2f} s, largest {times[slowest]:.2f} s "
          f"({slowest}); {model}")


if __name__ == "__main__":
    main()
