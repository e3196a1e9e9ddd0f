"""Two tiles with a halo, which overlap: chapters/12_kernels_cooperation/pictures/halo.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, Picture

VALUES = [4, 1, 7, 2, 9, 3, 5, 6, 8, 0, 2, 6]
TILE, LEFT, PITCH = 6, 102, 29


def draw(_=""):
    """`in` on top, the tile of each block below it, and the maxima of three at the bottom."""
    picture, n = Picture(), len(VALUES)
    largest = [max(VALUES[max(0, i - 1):i + 2]) for i in range(n)]
    def cell(i, y, words, color=None):
        picture.cell(LEFT + PITCH * i, y, PITCH - 5, 26, words, color, 14)
    picture.legend(8, 18, [(BLUE, "own elements", 140), (ORANGE, "halo", 80), (GREEN, "results", 0)])
    picture.text(8, 56, "in", size=14)
    picture.text(8, 202, "out", size=14)
    for i in range(n):
        cell(i, 38, str(VALUES[i]))
        cell(i, 184, str(largest[i]), GREEN)
    for block, y in enumerate((84, 130)):
        first = block * TILE
        picture.text(8, y + 18, f"block {block}", size=14)
        for i in range(first - 1, first + TILE + 1):
            own = first <= i < first + TILE
            cell(i, y, str(VALUES[i]) if 0 <= i < n else "−∞", BLUE if own else ORANGE)
    return picture.finish(220, "The tiles of two blocks overlap by the elements next to the border between them")
