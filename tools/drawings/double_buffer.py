"""Copies and products on a time line, with one buffer and with two: chapters/13_kernels_speed/pictures/double_buffer.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

TILES, COPY, COMPUTE, UNIT, LEFT = 4, 1, 1, 47, 92


def row(picture, y, name, pieces, color):
    picture.text(8, y + 20, name, size=14)
    for tile, begin, length in pieces:
        picture.cell(LEFT + begin * UNIT, y, length * UNIT - 2, 28, str(tile), color, 14)


def draw(_=""):
    """Above, each tile is copied and then used; below, the next tile is copied meanwhile."""
    picture = Picture()
    alone, together = [], []
    for tile in range(TILES):
        alone.append((tile, tile * (COPY + COMPUTE)))
        together.append((tile, 0 if tile == 0 else COPY + (tile - 1) * max(COPY, COMPUTE)))
    y = 24
    for words, starts in ("One buffer", alone), ("Two buffers", together):
        picture.text(8, y, words, size=14, bold=True)
        products = [(tile, max(begin + COPY, 0 if tile == 0 else COPY + tile * COMPUTE), COMPUTE) for tile, begin in starts]
        row(picture, y + 10, "copies", [(tile, begin, COPY) for tile, begin in starts], BLUE)
        row(picture, y + 44, "products", products, GREEN)
        end = products[-1][1] + COMPUTE
        picture.text(LEFT + end * UNIT + (6 if end < 7 else -2), y + (34 if end < 7 else 0), f"{end} steps",
                     "start" if end < 7 else "end", 14, bold=True)
        y += 112
    picture.arrow(LEFT, y - 20, LEFT + 8 * UNIT, y - 20)
    picture.text(LEFT + 8 * UNIT, y - 2, "time", "end", 14)
    return picture.finish(y + 8, "With two buffers the copy of the next tile lasts while the present one is multiplied")
