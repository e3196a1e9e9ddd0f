"""A copy from pageable and from pinned memory: chapters/08_pinned_memory/pictures/staging.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, PURPLE, Picture


def draw(_=""):
    """Above, the two copies by way of the staging buffer; below, the single copy."""
    picture = Picture()
    picture.box(8, 26, 300, 238, stroke="grid")
    picture.box(352, 26, 120, 238, stroke="grid")
    picture.text(158, 18, "host memory", "middle", 14, bold=True)
    picture.text(412, 18, "device memory", "middle", 14, bold=True)
    picture.cell(18, 40, 110, 40, "pageable", ORANGE, 14)
    picture.cell(188, 40, 110, 40, "staging buffer", PURPLE, 14)
    picture.cell(362, 40, 100, 40, "copy", BLUE, 14)
    for x1, x2, number in [(130, 185, "1"), (300, 359, "2")]:
        picture.arrow(x1, 60, x2, 60)
        picture.text((x1 + x2) / 2, 53, number, "middle", 14, bold=True)
    picture.text(18, 106, "1  The host copies, piece by piece.", size=14)
    picture.text(18, 126, "2  The copy engine copies each piece.", size=14)
    picture.text(18, 146, "The host is busy until the last piece.", size=14)
    picture.line(8, 162, 472, 162, look="grid")
    picture.cell(18, 176, 110, 40, "pinned", GREEN, 14)
    picture.cell(362, 176, 100, 40, "copy", BLUE, 14)
    picture.arrow(130, 196, 359, 196)
    picture.text(18, 236, "The copy engine copies everything.", size=14)
    picture.text(18, 254, "The host continues.", size=14)
    return picture.finish(272, "A copy from pageable memory by way of a staging buffer, and one from pinned memory")
