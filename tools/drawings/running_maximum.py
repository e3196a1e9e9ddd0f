"""The running maximum and sum of an online softmax: chapters/13_kernels_speed/pictures/running_maximum.svg.

Called by tools/pictures.py.
"""

import math

from .frame import BLUE, GREEN, ORANGE, Picture

SCORES = (1, 3, 2, 5)


def states():
    """Per score: the maximum so far, what the old sum is multiplied by, the weight of the score, and the sum."""
    largest, total = -math.inf, 0.0
    for score in SCORES:
        before, largest = largest, max(largest, score)
        shrink, weight = math.exp(before - largest), math.exp(score - largest)
        total = total * shrink + weight
        yield score, largest, shrink, weight, total
    direct = sum(math.exp(score - max(SCORES)) for score in SCORES)
    assert abs(direct - total) < 1e-12


def draw(_=""):
    """A column per score, with what the loop has after it."""
    picture = Picture()
    left, width, top, height = 168, 76, 12, 34
    names = ["score", "maximum so far", "old sum times", "plus exp(score - max)", "sum"]
    for line, name in enumerate(names):
        picture.text(left - 10, top + line * (height + 8) + 22, name, "end", 14, bold=line in (1, 4))
    for column, (score, largest, shrink, weight, total) in enumerate(states()):
        changed = shrink < 1 and column > 0
        for line, (words, color) in enumerate([(str(score), None), (str(largest), BLUE),
                                               (f"{shrink:.3f}", ORANGE if changed else None),
                                               (f"{weight:.3f}", None), (f"{total:.3f}", GREEN)]):
            picture.cell(left + column * width, top + line * (height + 8), width - 6, height, words, color, 14)
    y = top + 5 * (height + 8) + 14
    picture.text(8, y, "A new maximum (orange) rescales what was added before it.", size=14)
    return picture.finish(y + 12, "Four scores one after another, with the maximum and the rescaled sum after each")
