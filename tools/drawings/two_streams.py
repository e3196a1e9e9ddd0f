"""The same work in one stream and in two: chapters/11_kernels_threads/pictures/streams.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, PURPLE, Picture

STEPS = [("to GPU", BLUE), ("kernel", GREEN), ("back", PURPLE)]
WIDTH, LEFT = 68, 56


def row(picture, y, name, start, half):
    if name:
        picture.text(8, y + 21, name, size=14)
    for index, (step, color) in enumerate(STEPS):
        picture.cell(LEFT + (start + index) * WIDTH, y, WIDTH - 3, 32, f"{step} {half}", color, 13)


def draw(_=""):
    """Each step of a half takes one unit of time; in two streams the second half begins one unit later."""
    picture = Picture()
    steps = len(STEPS)
    picture.text(8, 18, f"one stream: {2 * steps} units of time", size=14, bold=True)
    row(picture, 28, "s", 0, 0)
    row(picture, 28, "", steps, 1)
    picture.text(8, 92, f"two streams: {1 + steps} units of time", size=14, bold=True)
    row(picture, 102, "s[0]", 0, 0)
    row(picture, 140, "s[1]", 1, 1)
    picture.arrow(LEFT, 188, 466, 188)
    picture.text(466, 206, "time", "end", 14)
    return picture.finish(214, "Two halves in one stream, one after another, and in two streams, which overlap")
