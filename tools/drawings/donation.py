"""The memory of the weights with and without donation: chapters/10_xla_and_tpu/pictures/donation.svg.

Called by tools/pictures.py.
"""

from .frame import GREEN, ORANGE, PURPLE, Picture


def draw(_=""):
    """Above, the step reads one buffer and writes another one; below, it writes to the same memory."""
    picture = Picture()
    picture.text(8, 18, "without donation: two buffers exist", size=14, bold=True)
    picture.cell(8, 32, 130, 40, "old weights", PURPLE, 14)
    picture.cell(190, 32, 80, 40, "step", ORANGE, 14)
    picture.cell(322, 32, 150, 40, "new weights", GREEN, 14)
    picture.arrow(140, 52, 187, 52)
    picture.arrow(272, 52, 319, 52)
    picture.text(8, 112, "with donation: one piece of memory", size=14, bold=True)
    picture.cell(8, 126, 130, 40, "old weights", PURPLE, 14)
    picture.cell(190, 126, 80, 40, "step", ORANGE, 14)
    picture.cell(8, 196, 130, 40, "new weights", GREEN, 14)
    picture.box(3, 121, 140, 120, stroke="axis")
    picture.arrow(145, 146, 187, 146)
    picture.arrow(230, 168, 146, 214)
    picture.text(73, 186, "same memory", "middle", 14)
    picture.text(216, 206, "The old buffer is deleted.", size=14)
    picture.text(216, 226, "Using it is an error.", size=14)
    return picture.finish(250, "A step with separate buffers for old and new weights, and one that donates the old buffer")
