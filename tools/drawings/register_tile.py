"""The 4 x 4 sums of one thread: chapters/13_kernels_speed/pictures/register_tile.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, Picture

SIDE, SIZE = 4, 44


def draw(_=""):
    """Four elements of A at the left, four of B above, and the 16 products where they meet."""
    picture = Picture()
    left, top = 230, 84
    for i in range(SIDE):
        picture.cell(left + i * SIZE, top - SIZE - 14, SIZE - 4, SIZE - 4, f"b{i}", ORANGE, 14)
        picture.cell(left - SIZE - 14, top + i * SIZE, SIZE - 4, SIZE - 4, f"a{i}", BLUE, 14)
        for j in range(SIDE):
            picture.cell(left + j * SIZE, top + i * SIZE, SIZE - 4, SIZE - 4, f"a{i}b{j}", GREEN, 14)
    for line, words in enumerate(["For each p, a thread", f"loads {SIDE} elements of A", f"and {SIDE} elements of B,",
                                  f"and adds {SIDE * SIDE} products", f"to {SIDE * SIDE} sums.", "",
                                  "Loads per product:", f"{2 * SIDE / SIDE**2:g} instead of 2."]):
        picture.text(8, top + 4 + 21 * line, words, size=14, bold=line > 5)
    return picture.finish(top + SIDE * SIZE + 6,
                          "A thread loads four elements of A and four of B and adds their 16 products")
