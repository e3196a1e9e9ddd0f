"""The ranges of three formats on one line: chapters/07_amp/pictures/ranges.svg.

Called by tools/pictures.py.
"""

import math

from .frame import GREEN, ORANGE, Picture

LEFT, DECADE, LOW = 14, 5.3, -46


def draw(_=""):
    """A bar per format on a logarithmic axis: subnormal and normal numbers."""
    def x(number):
        return LEFT + DECADE * (math.log10(number) - LOW)
    picture = Picture()
    picture.legend(8, 18, [(GREEN, "normal numbers", 150), (ORANGE, "subnormal: fewer bits", 0)])
    y = 34
    for name, exponent, fraction in [("float32", 8, 23), ("bfloat16", 8, 7), ("float16", 5, 10)]:
        bias = 2 ** (exponent - 1) - 1
        normal = 2.0 ** (1 - bias)
        largest = (2 - 2.0 ** -fraction) * 2.0 ** bias
        smallest = normal * 2.0 ** -fraction
        picture.box(x(smallest), y, x(normal) - x(smallest), 22, ORANGE)
        picture.box(x(normal), y, x(largest) - x(normal), 22, GREEN)
        if exponent == 8:
            picture.text(x(1), y + 16, name, "middle", 14, "#ffffff")
        else:
            picture.text(x(smallest) - 6, y + 16, "becomes 0", "end", 14)
            picture.text((x(smallest) + x(largest)) / 2, y + 38, name, "middle", 14)
            picture.text(x(largest) + 6, y + 16, "becomes infinite", size=14)
        y += 30
    y += 24
    picture.line(LEFT, y, 466, y)
    for power in range(-40, 31, 10):
        picture.line(x(10.0 ** power), y, x(10.0 ** power), y + 5)
        picture.text(x(10.0 ** power), y + 20, f"1e{power}" if power else "1", "middle", 14)
    return picture.finish(y + 30, "The ranges of float32, bfloat16 and float16")
