"""The banks of a tile with and without a column of padding: chapters/12_kernels_cooperation/pictures/banks.svg.

Called by tools/pictures.py.
"""

from .frame import GREEN, ORANGE, Picture

BANKS, SHOWN, SIZE = 32, 7, 31


def draw(_=""):
    """The corner of both tiles: each box has the number of its bank, and the first column is filled."""
    picture = Picture()
    for left, width, words in [(8, 32, "tile[32][32]"), (250, 33, "tile[32][33]")]:
        color = ORANGE if width == BANKS else GREEN
        picture.text(left, 18, words, size=14, bold=True)
        for row in range(SHOWN):
            for column in range(SHOWN):
                bank = (row * width + column) % BANKS
                x, y = left + SIZE * column, 28 + SIZE * row
                picture.cell(x, y, SIZE - 3, SIZE - 3, str(bank), None if column else color, 14)
        column = [(row * width) % BANKS for row in range(BANKS)]
        passes = max(column.count(bank) for bank in column)
        picture.text(left, 28 + SIZE * SHOWN + 18, f"a column: {passes} pass{'es' if passes > 1 else ''}", size=14)
    return picture.finish(28 + SIZE * SHOWN + 30, "The bank of each element in a corner of a tile of 32 and of 33 columns")
