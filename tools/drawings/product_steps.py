"""The steps of a product on the roofline of an H100: chapters/13_kernels_speed/pictures/product_steps.svg.

Called by tools/pictures.py. The counts are those of a block: see the functions.
"""

import math

from .frame import BLUE, GREEN, ORANGE, PURPLE, Picture

PEAK, BANDWIDTH = 66.9e3, 3350  # GFLOP/s of float32 and GB/s, by the data sheet
LEFT, RIGHT, TOP, BOTTOM = 58, 456, 30, 268
X, Y = (0.1, 100), (100, 100e3)  # FLOP per byte, GFLOP/s


def position(intensity, rate):
    def along(value, low, high):
        return math.log(value / low) / math.log(high / low)
    return LEFT + along(intensity, *X) * (RIGHT - LEFT), BOTTOM - along(rate, *Y) * (BOTTOM - TOP)


def steps():
    """Per step: FLOP per byte asked for, and passes of shared memory and L1 for 32 products of a warp."""
    yield "naive", 64 / (32 + 128), 2, ORANGE  # a sector of A and four of B
    for name, tile, sums, color in ("tiles", 16, 1, BLUE), ("registers", 64, 4, GREEN):
        loads = 2 * sums / sums**2                          # of shared memory, per product
        copies = 2 * 2 * tile * 16 / (tile * tile * 16)     # a load and a store per element of both tiles
        yield name, tile / 4, loads + copies, color


def draw(_=""):
    """The roof, and the steps below it: each as high as memory and shared memory permit."""
    picture = Picture()
    for power in range(-1, 3):
        x, _y = position(10.0**power, Y[0])
        picture.line(x, TOP, x, BOTTOM, look="grid")
        picture.text(x, BOTTOM + 18, f"{10.0**power:g}", "middle", 14)
    for power in range(2, 6):
        _x, y = position(X[0], 10.0**power)
        picture.line(LEFT, y, RIGHT, y, look="grid")
        picture.text(LEFT - 6, y + 5, f"{10**(power - 3):g}" if power >= 3 else "0.1", "end", 14)
    ridge = PEAK / BANDWIDTH
    (x1, y1), (x2, y2), (x3, y3) = position(X[0], X[0] * BANDWIDTH), position(ridge, PEAK), position(X[1], PEAK)
    picture.line(x1, y1, x2, y2, PURPLE)
    picture.line(x2, y2, x3, y3, PURPLE)
    for name, intensity, passes, color in steps():
        x, y = position(intensity, min(PEAK / (4 * passes), intensity * BANDWIDTH))
        picture.dot(x, y, color, 6)
        picture.text(x + 11, y + 18, name, size=14, bold=True)
    picture.text(LEFT, 18, "TFLOP/s", size=14)
    picture.text(RIGHT, BOTTOM + 38, "FLOP per byte that the kernel asks for", "end", 14)
    return picture.finish(BOTTOM + 48, "Naive product, tiles and register tiles below the roofline of an H100")
