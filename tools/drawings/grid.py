"""A grid, one of its blocks and one of its warps: chapters/11_kernels_threads/pictures/grid.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, PURPLE, Picture

N, BLOCK, WARP = 1000, 256, 32


def draw(_=""):
    """The last block and the last warp with elements are drawn larger than the ones around them."""
    picture = Picture()
    blocks = (N + BLOCK - 1) // BLOCK
    warps = BLOCK // WARP
    first = (blocks - 1) * BLOCK
    last = first + (warps - 1) * WARP
    assert last < N < last + WARP
    picture.text(8, 18, f"the grid: {blocks} blocks, blockIdx.x = 0 to {blocks - 1}", size=14, bold=True)
    for index in range(blocks):
        picture.cell(8 + 117 * index, 28, 113, 30, f"block {index}", BLUE, 14)
    picture.text(8, 100, f"block {blocks - 1}: {BLOCK} threads in {warps} warps", size=14, bold=True)
    for index in range(warps):
        picture.cell(8 + 58.5 * index, 110, 54.5, 30, f"warp {index}", PURPLE, 13)
    picture.text(8, 182, f"warp {warps - 1}: {WARP} threads, i = {last} to {last + WARP - 1}", size=14, bold=True)
    for lane in range(WARP):
        picture.box(8 + 14.5 * lane, 192, 12, 30, GREEN if last + lane < N else None, "axis")
    middle = 8 + 14.5 * (N - last)
    picture.text(8, 242, f"i < {N}", size=14)
    picture.text(middle, 242, f"{last + WARP - N} threads without an element", size=14)
    for x1, x2, y in [(359, 472, 58), (417.5, 472, 140)]:
        picture.line(x1, y + 1, 8, y + 25, look="grid")
        picture.line(x2, y + 1, 472, y + 25, look="grid")
    return picture.finish(252, f"A grid of {blocks} blocks, a block of {warps} warps, a warp of {WARP} threads")
