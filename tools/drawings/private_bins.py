"""A histogram with bins of its own for each block: chapters/12_kernels_cooperation/pictures/private_bins.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

BYTES = [[2, 0, 2, 2, 1, 2], [0, 3, 2, 0, 2, 2]]
BINS = 4


def draw(_=""):
    """Each block counts its bytes in shared memory; then both add their bins to those in global memory."""
    picture, total, top = Picture(), [0] * BINS, 48
    picture.legend(8, 18, [(BLUE, "bytes", 80), (None, "bins in shared memory", 186), (GREEN, "bins in global memory", 0)])
    for block, values in enumerate(BYTES):
        left, counts = 8 + 240 * block, [values.count(b) for b in range(BINS)]
        total = [a + b for a, b in zip(total, counts)]
        picture.text(left, top, f"block {block}", size=14, bold=True)
        for i, value in enumerate(values):
            picture.cell(left + 37 * i, top + 10, 32, 26, str(value), BLUE, 14)
            picture.arrow(left + 37 * i + 16, top + 37, left + 42 + 52 * value, top + 78)
        for b, count in enumerate(counts):
            picture.cell(left + 20 + 52 * b, top + 80, 44, 28, str(count), None, 14)
            picture.arrow(left + 42 + 52 * b, top + 109, 155 + 56 * b + 12 * block, top + 158)
    for b, count in enumerate(total):
        picture.cell(137 + 56 * b, top + 160, 48, 28, str(count), GREEN, 14)
        picture.text(161 + 56 * b, top + 206, f"bins[{b}]", "middle", 14)
    assert sum(total) == sum(map(len, BYTES))
    return picture.finish(top + 216, "Two blocks count in bins of their own; then they add these to the bins in global memory")
