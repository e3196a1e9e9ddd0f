"""Bars of the speed-ups that the chapters measured: chapters/15_which_device/speed_up.svg.

Called by tools/pictures.py. The numbers are those of docs/measurements/figures.json, which
tools/lesson_figures.py measures. Invariant: one machine and one series of runs, as the pages have.
"""

import json
import re

from .frame import BLUE, ROOT, WIDTH, Picture

# The label of a bar, the command that measured it, and where its output has the speed-up.
BARS = [
    ("DataParallel, CIFAR-10 network (chapter 05)", "./course run 5 train --devices sim:0,sim:1 --epochs 2",
     r"([\d.]+) times as fast"),
    ("4 micro-batches, split model (chapter 09)", "./course run 9 split --device sim",
     r"^ +sim:0 and sim:1 +[\d.]+ +[\d.]+ +([\d.]+)$"),
    ("DataParallel, large MLP (chapter 15)", "./course run 15 report --device sim",
     r"on 2 devices.*\n +speed-up ([\d.]+)"),
]
MOST = 2  # devices, so the most that is possible


def speed_ups(outputs):
    """Returns (what, speed-up) per bar. @throws ValueError naming a command without its number."""
    found = []
    for what, command, expression in BARS:
        match = re.search(expression, "\n".join(outputs.get(command, [])), re.M)
        if not match:
            raise ValueError(f"figures.json has no speed-up of {command}; type tools/lesson_figures.py measure")
        found.append((what, float(match.group(1))))
    return found


def draw(_=None, state=None):
    """Returns the picture."""
    state = state or json.loads((ROOT / "docs/measurements/figures.json").read_text())
    picture = Picture()
    left, unit, top = 8, (WIDTH - 16) / MOST, 50
    bars = speed_ups(state["outputs"])
    bottom = top + 58 * len(bars)
    picture.text(left, 18, "Two sim devices instead of one", bold=True)
    for number in range(MOST + 1):
        x = left + unit * number
        picture.parts.append(f'<path class="grid" d="M{x:g} {top - 8}V{bottom}"/>')
        picture.text(x, top - 14, str(number), ["start", "middle", "end"][min(number, 2)], 11)
    for row, (what, speed_up) in enumerate(bars):
        y = top + 58 * row
        picture.text(left, y + 14, what, size=12)
        picture.box(left, y + 20, unit * speed_up, 24, BLUE)
        picture.text(left + unit * speed_up - 8, y + 37, f"{speed_up:.2f}", "end", 13, "#ffffff")
    picture.text(left, bottom + 18, "speed-up: time on one device / time on two; 2 is the most", size=11)
    return picture.finish(bottom + 30)
