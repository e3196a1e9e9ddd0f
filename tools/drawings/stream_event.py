"""Two streams and an event between them: chapters/08_pinned_memory/pictures/event.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, Picture


def draw(_=""):
    """Each stream is a row of entries; an arrow leads from the recorded event to the wait."""
    picture = Picture()
    for y, name in [(18, "stream copies"), (118, "stream compute")]:
        picture.text(8, y, name, size=14, bold=True)
        picture.arrow(8, y + 56, 466, y + 56)
    picture.text(466, 18, "runs from left to right", "end", 14)
    picture.cell(8, 28, 124, 36, "copy batch 1", BLUE, 14)
    picture.cell(138, 28, 128, 36, "e.record(copies)", ORANGE, 14)
    picture.cell(272, 28, 124, 36, "copy batch 2", BLUE, 14)
    picture.cell(8, 128, 140, 36, "work on batch 0", GREEN, 14)
    picture.cell(154, 128, 136, 36, "e.block(compute)", ORANGE, 14)
    picture.cell(296, 128, 140, 36, "work on batch 1", GREEN, 14)
    picture.arrow(202, 66, 218, 125)
    picture.text(224, 98, "waits for batch 1", size=14)
    return picture.finish(186, "Two streams; an event makes the second one wait for a point in the first one")
