#!/usr/bin/env python3
"""Runs chapter 15's programs: what they conclude must follow from what they print, and what they calculate from the counts.

    advise_program_test.py PROGRAM_FOLDER

Called by CTest. Times are whatever this machine gives; nothing here expects a device to be fast. The network is small, so that
a run takes a second.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from training_program_test import PATIENCE, ends, expect, faults

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
SMALL = ["--width", "16", "--largest", "16"]
SIZES = [1, 2, 3, 4, 8, 12, 16]
NAME = r"(?:cpu, \d+ threads?|sim:0|cuda:0|imagined)"


def advise(program, *arguments, **environment):
    """What one run prints."""
    done = subprocess.run([program, *SMALL, "--runs", "3", *arguments], env={**ENVIRONMENT, **environment}, timeout=120, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, f"{arguments}: exit code {done.returncode}:\n{done.stdout}")
    return done.stdout


def table(text):
    """{name: {batch: microseconds}} of the table of times."""
    lines = text[text.index("\nmicroseconds per step") + 1:].splitlines()
    times = {name: {} for name in re.findall(NAME, lines[1])}
    for line in lines[2:2 + len(SIZES)]:
        batch, *row = re.findall(r"[\d.]+", line)
        for name, value in zip(times, row):
            times[name][int(batch)] = float(value)
    return times


def predictions_follow_from_the_table(text):
    """Each error is that of the straight line between the two sizes beside the one held out."""
    times = table(text)
    block = text[text.index("held out"):text.index("as one line")]
    for name in (n for n in times if n != "imagined"):
        expect(list(times[name]) == SIZES, f"{name}: the sizes are {list(times[name])}")
        printed = re.search(rf"^ *{name}((?: *[+-]?\d+ %)+)$", block, re.M)
        expect(printed, f"{name} has no predictions:\n{block}")
        if not printed:
            continue
        errors = [int(value) for value in re.findall(r"([+-]?\d+) %", printed.group(1))]
        largest = 0
        for held_out, below, above, error in ((3, 2, 4, errors[0]), (12, 8, 16, errors[1])):
            of = times[name]
            line = of[below] + (of[above] - of[below]) * (held_out - below) / (above - below)
            expected = 100 * (line / of[held_out] - 1)
            largest = max(largest, abs(expected))
            expect(abs(error - expected) < 2 + 0.02 * abs(expected),
                   f"{name}, batch {held_out}: the error is said to be {error} %, the table gives {expected:.1f} %")
        expect(abs(errors[2] - largest) < 2 + 0.02 * largest,
               f"{name}: the largest error is said to be {errors[2]} %, the table gives {largest:.1f} %")


def choices_follow_each_other(text):
    """Each batch has one choice, the next choice is another one, and the table marks the same."""
    block = text[text.index("\nUse\n") + 5:].splitlines()
    lines = [re.match(rf"  ({NAME}) (?:up to batch (\d+)|from batch (\d+) (?:to (\d+)|on)|for every batch)", line)
             for line in block]
    choices = [(m.group(1), int(m.group(3) or 1), int(m.group(2) or m.group(4) or SIZES[-1]))
               for m in lines if m and m.group(1) != "imagined"]
    own = choices[:1 + next((i for i, c in enumerate(choices) if c[2] == SIZES[-1]), 0)]
    expect(own and own[0][1] == 1 and own[-1][2] == SIZES[-1], f"not every batch has a choice:\n{text}")
    for (name, _, last), (following, first, _) in zip(own, own[1:]):
        expect(name != following and first == last + 1, f"{name} up to {last}, then {following} from {first}:\n{text}")
    names = list(table(text))
    for line, batch in zip(text[text.index("\nmicroseconds per step"):].splitlines()[3:], SIZES):
        marked = names[re.findall(r"[\d.]+( <)?", line)[1:].index(" <")]
        chosen = [name for name, first, last in own if first <= batch <= last]
        expect(chosen == [marked], f"batch {batch}: {marked} is marked, {chosen} advised:\n{text}")


def picture_shows_the_times(text, path):
    """A line a contender, a dot for each time, a ring for each that was held out."""
    names = list(table(text))
    measured = [name for name in names if name != "imagined"]
    elements = list(xml.etree.ElementTree.parse(path).iter())
    lines = [e for e in elements if e.tag.endswith("polyline")]
    circles = [e for e in elements if e.tag.endswith("circle")]
    rings = [e for e in circles if e.get("fill") == "none"]
    dashed = sum("stroke-dasharray" in e.attrib for e in lines)
    expect(len(lines) == len(names) and dashed == len(names) - len(measured),
           f"{len(lines)} lines for {names}, {dashed} of them dashed")
    expect(len(circles) == 7 * len(measured) and len(rings) == 2 * len(measured),
           f"{len(circles)} dots, {len(rings)} of them rings, for {measured}")


def calculated_from_counts(program):
    """Launches alone, then arithmetic alone."""
    text = advise(program, "--device", "cpu", "--data-sheet", "1000000,1000000,7")
    choices_follow_each_other(text)
    launches = int(re.search(r"A step is (\d+) launches", text).group(1))
    expect(all(us == 7 * launches for us in table(text)["imagined"].values()),
           f"{launches} launches of 7 us:\n{text}")
    text = advise(program, "--device", "cpu", "--data-sheet", "0.0001,1000000,0.0001")
    each = int(re.search(r"A sample adds (\d+) multiply-adds", text).group(1))
    expect(each == 3 * (3 * 16 * 16 + 16 * 10) - 16 * 16, f"{each} multiply-adds a sample")
    for batch, us in table(text)["imagined"].items():
        expected = 2 * each * batch / 0.0001 * 1e-6
        expect(abs(us / expected - 1) < 0.01, f"batch {batch}: {us} us at 0.1 GFLOP/s, not {expected}")


def stops(program):
    """Ctrl-C while it times: the timing in hand is finished, and nothing is concluded from the ones there are."""
    run = subprocess.Popen([program, *SMALL, "--runs", "100000"], env=ENVIRONMENT, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.readline()
    time.sleep(1)  # by now it times
    run.send_signal(signal.SIGINT)
    printed, errors = run.communicate(timeout=PATIENCE)
    expect(run.returncode == 130 and re.search(r"Stopped by Ctrl-C after \d+ timings\.", errors),
           f"Ctrl-C: exit code {run.returncode}, not 130:\n{errors}")
    expect("Use" not in printed, f"advice after Ctrl-C:\n{printed}")


def main():
    programs = pathlib.Path(sys.argv[1])
    advisor, imagine = programs / "ch15-advise", programs / "ch15-imagine"
    predictions_follow_from_the_table(advise(programs / "ch15-predictions"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "advice.svg"
        text = advise(advisor, "--picture", str(path), TD_SIM_LAUNCH_COST="400us")
        choices_follow_each_other(text)
        picture_shows_the_times(text, path)
        expect("  sim:0 for no batch: " in text, f"10 ms of launches a step, and sim is advised:\n{text}")
        text = advise(imagine, "--data-sheet", "1000000,1000000,0.000001", "--picture", str(path))
        choices_follow_each_other(text)
        picture_shows_the_times(text, path)
        expect("  imagined for every batch\n" in text, f"a device that takes no time is not advised:\n{text}")
        for program in (advisor, imagine):
            ends(program, [*SMALL, "--picture", path / "no.svg"], 1, "the picture cannot be written")
    calculated_from_counts(imagine)
    ends(imagine, [*SMALL, "--data-sheet", "82.6,1008"], 2, "expected three positive numbers, as in 82.6,1008,5")
    ends(advisor, ["--largest", 3], 2, "take 4 or more")
    ends(advisor, ["--depth", 0], 2, "must be 1 or more")
    stops(advisor)
    ends(programs / "ch15_which_device", ["--device", "cpu"], 0, "ms on cpu", "1024")
    ends(programs / "ch15-report", ["--device", "cpu"], 2, "take --device sim")
    ends(programs / "ch15-report", ["--device", "sim", "--batch-size", 8], 0, "One step of 8 samples on 2 devices", "the largest loss")
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
