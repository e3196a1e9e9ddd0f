"""The steps of a scan: chapters/12_kernels_cooperation/pictures/scan.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]
LEFT, PITCH, ROW = 124, 44, 62


def draw(_=""):
    """A row of shared memory after each step; an arrow leads from each element to the one that adds it."""
    picture, values, d, y = Picture(), list(VALUES), 1, 30
    def row(words, done):
        picture.text(8, y + 19, words, size=14)
        for index, value in enumerate(values):
            picture.cell(LEFT + PITCH * index, y, PITCH - 8, 28, str(value), GREEN if index < done else BLUE, 14)
    for index in range(len(VALUES)):
        picture.text(LEFT + PITCH * index + 18, 18, f"s[{index}]", "middle", 14)
    row("loaded", 1)
    while d < len(values):
        for index in range(d, len(values)):
            picture.arrow(LEFT + PITCH * (index - d) + 18, y + 29, LEFT + PITCH * index + 18, y + ROW - 2)
        values = [value + (values[index - d] if index >= d else 0) for index, value in enumerate(values)]
        y += ROW
        row(f"d = {d}", 2 * d)
        d *= 2
    assert values == [sum(VALUES[:index + 1]) for index in range(len(VALUES))]
    return picture.finish(y + 38, "Eight running sums are computed in three steps")
