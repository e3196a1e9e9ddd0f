"""What a loss scale of 65536 does to three gradients: chapters/07_amp/pictures/scale.svg.

Called by tools/pictures.py.
"""

import math

from .frame import GREEN, ORANGE, PURPLE, Picture

GRADIENTS, SCALE = [2e-9, 1e-7, 3e-6], 65536
LEFT, DECADE, LOW, HIGH = 16, 28, -10, 6
ZERO, NORMAL, INFINITE = 2.0 ** -25, 2.0 ** -14, 65520


def x(number):
    return LEFT + DECADE * (math.log10(number) - LOW)


def draw(_=""):
    """The zones of float16 twice: with the gradients as they are, and with the scaled ones."""
    picture = Picture()
    picture.legend(8, 18, [(ORANGE, "0 or infinite", 130), (PURPLE, "subnormal", 120), (GREEN, "normal in float16", 0)])
    for y in (74, 164):
        ends = [10.0 ** LOW, ZERO, NORMAL, INFINITE, 10.0 ** HIGH]
        for low, high, color in zip(ends, ends[1:], [ORANGE, PURPLE, GREEN, ORANGE]):
            picture.box(x(low), y, x(high) - x(low), 24, color)
    picture.text(x(3e-6) + 40, 62, "three gradients", size=14)
    picture.text(x(1), 134, "times 65536", size=14)
    for gradient in GRADIENTS:
        scaled = gradient * SCALE
        picture.text(x(gradient), 62, f"{gradient:.0e}".replace("e-0", "e-"), "middle", 14)
        picture.dot(x(gradient), 86, "#ffffff")
        picture.arrow(x(gradient), 101, x(scaled), 161)
        picture.dot(x(scaled), 176, "#ffffff")
    for power in range(LOW + 2, HIGH + 1, 2):
        picture.text(x(10.0 ** power), 208, f"1e{power}" if power else "1", "middle", 14)
    return picture.finish(220, "Three gradients before and after the multiplication by a scale of 65536")
