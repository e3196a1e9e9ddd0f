"""The numbers of two formats around 2048: chapters/07_amp/pictures/spacing.svg.

Called by tools/pictures.py.
"""

import math

from .frame import BLUE, GREEN, ORANGE, Picture

FIRST, LAST, LEFT, UNIT = 2032, 2072, 20, 11


def neighbors(fraction_bits):
    """All numbers from FIRST to LAST that have this many bits after the leading 1."""
    found, number = [], FIRST
    while number <= LAST:
        found.append(number)
        number += 2 ** (int(math.log2(number)) - fraction_bits)
    return found


def draw(_=""):
    """Two number lines with a tick for each number, and 2049 between them."""
    def x(number):
        return LEFT + UNIT * (number - FIRST)
    picture = Picture()
    picture.text(x(2049) + 6, 18, "2049 is in neither format", size=14)
    picture.line(x(2049), 6, x(2049), 148, ORANGE)
    for y, name, bits, color, words in [(70, "float16", 10, GREEN, "a step of 1, then of 2"),
                                        (135, "bfloat16", 7, BLUE, "a step of 8, then of 16")]:
        picture.text(LEFT, y - 18, name, size=14, bold=True)
        picture.text(470, y - 18, words, "end", size=14)
        picture.line(LEFT, y, x(LAST), y)
        for number in neighbors(bits):
            picture.line(x(number), y - 9, x(number), y + 9, color)
    for number in range(FIRST, LAST + 1, 8):
        picture.text(x(number), 170, str(number), "middle", 14)
    return picture.finish(180, "The numbers of float16 and bfloat16 around 2048")
