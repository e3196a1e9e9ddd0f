"""The tree of a block's sum: chapters/12_kernels_cooperation/pictures/tree.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
LEFT, PITCH, ROW = 124, 44, 56


def draw(_=""):
    """A row of shared memory after each step; an arrow leads from each addend to its sum."""
    picture, values, half, y = Picture(), list(VALUES), len(VALUES) // 2, 30
    def row(words, live):
        picture.text(8, y + 19, words, size=14)
        for index, value in enumerate(values):
            color = None if index >= live else GREEN if live == 1 else BLUE
            picture.cell(LEFT + PITCH * index, y, PITCH - 8, 28, str(value), color, 14)
    for index in range(len(VALUES)):
        picture.text(LEFT + PITCH * index + 18, 18, f"s[{index}]", "middle", 14)
    row("loaded", len(values))
    while half:
        for index in range(half):
            for source in (index, index + half):
                end = LEFT + PITCH * index + (14 if source == index else 24)
                picture.arrow(LEFT + PITCH * source + 18, y + 29, end, y + ROW - 2)
        y += ROW
        for index in range(half):
            values[index] += values[index + half]
        row(f"half = {half}", half)
        half //= 2
    assert values[0] == sum(VALUES)
    return picture.finish(y + 38, "Eight numbers are added in three steps")
