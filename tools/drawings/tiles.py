"""The tiles of a matrix product: chapters/13_kernels_speed/pictures/tiles.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, Picture

TILES, SIZE = 4, 34


def draw(_=""):
    """A at the left, B above, C where they meet: one block's tile of C and the tiles that it reads."""
    picture = Picture()
    a, top, c, bottom = 60, 28, 250, 200
    def matrix(left, y, name, colored):
        for row in range(TILES):
            for column in range(TILES):
                words, color = colored(row, column)
                picture.cell(left + SIZE * column, y + SIZE * row, SIZE - 3, SIZE - 3, words, color, 14)
        picture.text(left - 10, y + SIZE * TILES / 2, name, "end", 14, bold=True)
    matrix(c, top, "B", lambda row, column: (str(row), ORANGE) if column == 2 else ("", None))
    matrix(a, bottom, "A", lambda row, column: (str(column), BLUE) if row == 1 else ("", None))
    matrix(c, bottom, "C", lambda row, column: ("", GREEN) if (row, column) == (1, 2) else ("", None))
    picture.text(8, 46, "One block computes", size=14)
    picture.text(8, 66, "the green tile of C.", size=14)
    picture.text(8, 96, "In step p it loads tile p", size=14)
    picture.text(8, 116, "of A and tile p of B,", size=14)
    picture.text(8, 136, "and adds their product.", size=14)
    return picture.finish(bottom + SIZE * TILES + 8,
                          "A block computes a tile of C from a row of tiles of A and a column of tiles of B")
