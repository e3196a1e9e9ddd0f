"""A row and a column of a matrix in sectors: chapters/11_kernels_threads/pictures/sectors.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

FLOATS = 8  # of a sector of 32 bytes
SIZE = 13


def matrix(picture, left, top, rows, used):
    """Rows of two sectors; used(row, column) tells which floats the lanes access."""
    for row in range(rows):
        for sector in (0, 1):
            columns = range(FLOATS * sector, FLOATS * (sector + 1))
            touched = any(used(row, column) for column in columns)
            for column in columns:
                color = GREEN if used(row, column) else BLUE if touched else None
                x = left + SIZE * column + 6 * sector
                picture.box(x, top + SIZE * row, SIZE - 2, SIZE - 2, color, "grid")


def draw(_=""):
    """The same matrix twice, with eight lanes along a row and along a column."""
    picture = Picture()
    picture.legend(8, 18, [(GREEN, "accessed", 110), (BLUE, "transferred, not used", 0)])
    for left, words, used, sectors in [(8, "8 lanes along a row", lambda row, column: row == 0 and column < FLOATS,
                                        "1 sector"),
                                       (258, "8 lanes along a column", lambda row, column: column == 0, "8 sectors")]:
        picture.text(left, 48, words, size=14, bold=True)
        matrix(picture, left, 58, 8, used)
        picture.text(left, 182, sectors, size=14)
    return picture.finish(192, "Eight lanes access a row of a matrix, in one sector, and a column, in eight sectors")
