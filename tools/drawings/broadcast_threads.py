"""What the threads of a broadcast read: chapters/11_kernels_threads/pictures/broadcast.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, PURPLE, Picture

COLUMN, ROW = [10, 20, 30], [1, 2, 3, 4, 5]
SIZE, LEFT, TOP = 52, 130, 76


def draw(_=""):
    """The column at the left, the row above, and the sums between them."""
    picture = Picture()
    picture.text(8, 18, "one thread per element: column[r] + row[c]", size=14, bold=True)
    picture.text(LEFT, 40, "row", size=14)
    picture.text(8, TOP + 26, "column", size=14)
    for c, value in enumerate(ROW):
        picture.cell(LEFT + c * SIZE, 46, SIZE - 4, 24, str(value), GREEN, 14)
    for r, left in enumerate(COLUMN):
        picture.cell(LEFT - SIZE - 8, TOP + 6 + r * 36, SIZE - 4, 30, str(left), PURPLE, 14)
        for c, value in enumerate(ROW):
            picture.cell(LEFT + c * SIZE, TOP + 6 + r * 36, SIZE - 4, 30, str(left + value), BLUE if r == 1 else None, 14)
    y = TOP + 6 + len(COLUMN) * 36 + 18
    picture.text(8, y, f"The {len(ROW)} blue threads load {len(ROW)} neighbors of the row,", size=14)
    picture.text(8, y + 20, "and all of them one element of the column.", size=14)
    return picture.finish(y + 32, "A column of three and a row of five elements, and the matrix of their sums")
