"""When a copy costs time: chapters/15_which_device/pictures/losses.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, Picture

LEFT, UNIT, ROW = 86, 19, 30
COMPUTING, COPIES, STEP = [(3, 9), (11, 18)], [(0, 3), (5, 8)], 20


def draw(_=""):
    """Two rows of what happens; below them, what the report counts at each moment."""
    picture = Picture()
    def row(y, name, spans):
        picture.text(8, y + 17, name, size=14)
        picture.box(LEFT, y, UNIT * STEP, ROW - 6, stroke="grid")
        for start, end, words, color in spans:
            picture.cell(LEFT + UNIT * start + 1, y, UNIT * (end - start) - 2, ROW - 6, words, color, 13)
    row(8, "copies", [(start, end, "copy", ORANGE) for start, end in COPIES])
    row(8 + ROW, "kernels", [(start, end, "computing", GREEN) for start, end in COMPUTING])
    picture.line(8, 80, 472, 80, look="grid")
    row(92, "counted", [(0, 3, "copies", ORANGE), (3, 9, "computing", GREEN), (9, 11, "", BLUE),
                        (11, 18, "computing", GREEN), (18, 20, "", BLUE)])
    picture.text(LEFT, 142, "The second copy costs nothing.", size=14)
    picture.legend(LEFT, 166, [(BLUE, "lost to launches or to waiting", 0)])
    return picture.finish(178, "The first copy delays the device; the second one runs while it computes")
