"""A maximum for all lanes by shuffles: chapters/12_kernels_cooperation/pictures/butterfly.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

VALUES = [3, 1, 7, 0, 4, 9, 6, 2]
LEFT, PITCH, ROW = 104, 46, 74


def draw(_=""):
    """A row of registers after each step; two arrows lead to each value: from its own lane and from its partner."""
    picture, values, y, step = Picture(), list(VALUES), 30, len(VALUES) // 2
    def row(words):
        picture.text(8, y + 19, words, size=14)
        for lane, value in enumerate(values):
            done = value == max(VALUES)
            picture.cell(LEFT + PITCH * lane, y, PITCH - 10, 28, str(value), GREEN if done else BLUE, 14)
    for lane in range(len(VALUES)):
        picture.text(LEFT + PITCH * lane + 18, 18, f"lane {lane}" if lane == 0 else str(lane), "middle", 14)
    row("loaded")
    while step:
        for lane in range(len(VALUES)):
            for source in (lane, lane ^ step):
                end = LEFT + PITCH * lane + 18 + (0 if source == lane else 5 if source > lane else -5)
                picture.arrow(LEFT + PITCH * source + 18, y + 29, end, y + ROW - 2)
        values = [max(value, values[lane ^ step]) for lane, value in enumerate(values)]
        y += ROW
        row(f"step = {step}")
        step //= 2
    assert values == [max(VALUES)] * len(VALUES)
    return picture.finish(y + 40, "Eight lanes exchange values with partners 4, 2 and 1 away; then all have the maximum")
