"""How scatter divides a batch and gather joins the outputs: chapters/05_data_parallel/scatter.svg.

Called by tools/pictures.py with what `./course run 5 parts` prints. Invariant: the sizes of the parts are
the program's.
"""

import re

from .frame import BLUE, GREEN, ORANGE, PURPLE, WIDTH, Picture

PARTS = re.compile(r"^(\d+) rows on (\d+) devices: ([\d ]+)$", re.M)
COLORS = [BLUE, PURPLE, GREEN, ORANGE]
ROW_HEIGHT, ROW_WIDTH = 16, 70


def rows(picture, x, y, first, count, color):
    """`count` rows of a batch, numbered from `first`."""
    for i in range(count):
        picture.box(x, y + ROW_HEIGHT * i, ROW_WIDTH, ROW_HEIGHT - 2, color)
        picture.text(x + ROW_WIDTH / 2, y + ROW_HEIGHT * i + 11, f"row {first + i}", "middle", 11, "#ffffff")


def draw(printed):
    """Returns the picture of the first line of parts. @throws ValueError where there is none."""
    found = PARTS.search(printed)
    if not found:
        raise ValueError(f"expected a line such as \"10 rows on 4 devices: 3 3 3 1\" in:\n{printed}")
    total, parts = int(found.group(1)), [int(part) for part in found.group(3).split()]
    if sum(parts) != total or len(parts) > len(COLORS):
        raise ValueError(f"the parts {parts} are not {total} rows on at most {len(COLORS)} devices")
    picture = Picture()
    gap, top = 26, 44
    left, middle, right = 8, (WIDTH - ROW_WIDTH) / 2, WIDTH - ROW_WIDTH - 8
    whole = top + gap * (len(parts) - 1) / 2  # the batch is centered on its parts
    picture.text(left, 18, "batch", bold=True)
    picture.text(WIDTH / 2, 18, "parts on the devices", "middle", bold=True)
    picture.text(WIDTH - 8, 18, "output", "end", bold=True)
    first, y = 0, top
    for index, (count, color) in enumerate(zip(parts, COLORS)):
        here, height = whole + ROW_HEIGHT * first, ROW_HEIGHT * count
        for x in (left, right):
            rows(picture, x, here, first, count, color)
        rows(picture, middle, y, first, count, color)
        picture.text(middle + ROW_WIDTH / 2, y - 5, f"device {index}", "middle", 11)
        picture.arrow(left + ROW_WIDTH + 4, here + height / 2, middle - 4, y + height / 2)
        picture.arrow(middle + ROW_WIDTH + 4, y + height / 2, right - 4, here + height / 2)
        first, y = first + count, y + height + gap
    end = top + ROW_HEIGHT * total + gap * (len(parts) - 1)
    picture.text((left + ROW_WIDTH + middle) / 2, end + 14, "scatter", "middle")
    picture.text((middle + ROW_WIDTH + right) / 2, end + 14, "gather", "middle")
    picture.text(WIDTH / 2, end + 14, "forward", "middle")
    return picture.finish(end + 26)
