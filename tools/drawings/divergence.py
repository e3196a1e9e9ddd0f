"""A warp that takes both branches, and warps that take one each: chapters/12_kernels_cooperation/pictures/divergence.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

LANES, SIZE, LEFT, STEPS = 8, 19, 90, 2


def warp(picture, left, top, takes_a):
    """Lanes from left to right, steps of time from top to bottom; returns the number of steps."""
    branches = [(color, [lane for lane in range(LANES) if takes_a(lane) == is_a])
                for color, is_a in ((BLUE, True), (GREEN, False))]
    y = top
    for color, lanes in branches:
        for _ in range(STEPS if lanes else 0):
            for lane in range(LANES):
                picture.box(left + SIZE * lane, y, SIZE - 3, SIZE - 3, color if lane in lanes else None, "grid")
            y += SIZE
    return (y - top) // SIZE


def draw(_=""):
    """On top `t % 2` splits both warps; below `t < 8` gives each warp one branch. A warp has eight lanes here."""
    picture = Picture()
    picture.legend(8, 18, [(BLUE, "runs a()", 110), (GREEN, "runs b()", 110), (None, "waits", 0)])
    top, counts = 66, []
    for words, test in [("if (t % 2 == 0) a(); else b();", lambda t: t % 2 == 0), ("if (t < 8) a(); else b();", lambda t: t < LANES)]:
        picture.text(8, top - 22, words, size=14, bold=True)
        for w in (0, 1):
            left = LEFT + w * (LANES * SIZE + 24)
            picture.text(left, top - 5, f"warp {w}", size=14)
            steps = warp(picture, left, top, lambda lane, first=LANES * w: test(first + lane))
            counts.append(steps)
        picture.text(8, top + 14, f"{counts[-1]} steps", size=14)
        top += SIZE * counts[-1] + 62
    assert counts == [2 * STEPS, 2 * STEPS, STEPS, STEPS]
    return picture.finish(top - 50, "A warp that takes both branches needs as many steps as both together")
