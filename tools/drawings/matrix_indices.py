"""The blocks of a grid of two dimensions on a matrix: chapters/11_kernels_threads/pictures/indices.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, ORANGE, Picture

ROWS, COLS, BLOCK_X, BLOCK_Y = 5, 10, 4, 3
SIZE, LEFT, TOP = 28, 74, 52
R, C = 4, 6  # the thread that is explained


def draw(_=""):
    """The matrix with its blocks; threads outside of it are not filled, and one thread is explained."""
    picture = Picture()
    wide, high = (COLS + BLOCK_X - 1) // BLOCK_X, (ROWS + BLOCK_Y - 1) // BLOCK_Y
    for x in range(wide):
        picture.text(LEFT + (x + 0.5) * BLOCK_X * SIZE, 42, f"blockIdx.x = {x}", "middle", 14)
    for y in range(high):
        picture.text(6, TOP + (y + 0.5) * BLOCK_Y * SIZE, "blockIdx.y", size=13)
        picture.text(6, TOP + (y + 0.5) * BLOCK_Y * SIZE + 17, f"= {y}", size=13)
    for r in range(high * BLOCK_Y):
        for c in range(wide * BLOCK_X):
            color = None if r >= ROWS or c >= COLS else ORANGE if (r, c) == (R, C) else BLUE
            picture.box(LEFT + c * SIZE + 1, TOP + r * SIZE + 1, SIZE - 3, SIZE - 3, color, "grid")
    for x in range(wide + 1):
        picture.line(LEFT + x * BLOCK_X * SIZE, TOP, LEFT + x * BLOCK_X * SIZE, TOP + high * BLOCK_Y * SIZE)
    for y in range(high + 1):
        picture.line(LEFT, TOP + y * BLOCK_Y * SIZE, LEFT + wide * BLOCK_X * SIZE, TOP + y * BLOCK_Y * SIZE)
    picture.text(8, 18, f"{ROWS} rows and {COLS} columns, blocks of ({BLOCK_X}, {BLOCK_Y}) threads", size=14, bold=True)
    y = TOP + high * BLOCK_Y * SIZE + 26
    block_x, block_y = C // BLOCK_X, R // BLOCK_Y
    picture.legend(8, y, [(ORANGE, f"c = {block_x} * {BLOCK_X} + {C % BLOCK_X} = {C},  r = {block_y} * {BLOCK_Y} + "
                                   f"{R % BLOCK_Y} = {R},  element {R} * {COLS} + {C} = {R * COLS + C}", 0)])
    idle = wide * BLOCK_X * high * BLOCK_Y - ROWS * COLS
    picture.legend(8, y + 24, [(None, f"{idle} threads have no element", 0)])
    return picture.finish(y + 38, "A matrix that six blocks of threads cover; some threads have no element")
