"""The cost of a step on two devices: chapters/15_which_device/pictures/lines.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, Picture

CPU, DEVICE = (20, 4), (300, 1)  # microseconds: fixed, per sample
LEFT, BOTTOM, SAMPLE, MICROSECOND, LAST = 58, 262, 2.6, 0.36, 150


def draw(_=""):
    """Two lines over the batch size; a dashed one marks where they cross."""
    def at(batch, time):
        return LEFT + SAMPLE * batch, BOTTOM - MICROSECOND * time
    picture = Picture()
    picture.text(8, 18, "us per step", size=14)
    picture.arrow(LEFT, BOTTOM, LEFT, 28)
    picture.arrow(LEFT, BOTTOM, 470, BOTTOM)
    for time in range(0, 601, 200):
        x, y = at(0, time)
        picture.line(x - 4, y, x, y)
        picture.text(x - 8, y + 5, str(time), "end", 14)
    for batch in range(50, LAST + 1, 50):
        x, y = at(batch, 0)
        picture.line(x, y, x, y + 4)
        picture.text(x, y + 20, str(batch), "middle", 14)
    picture.text(470, BOTTOM + 38, "samples in the batch", "end", 14)
    for (fixed, slope), color in [(CPU, BLUE), (DEVICE, GREEN)]:
        picture.line(*at(0, fixed), *at(LAST, fixed + slope * LAST), color)
    picture.text(470, at(0, 285)[1], "device: 300 + 1 per sample", "end", 14)
    picture.text(*at(42, 90), "cpu: 20 + 4 per sample", size=14)
    crossing = (DEVICE[0] - CPU[0]) / (CPU[1] - DEVICE[1])
    x, y = at(crossing, DEVICE[0] + DEVICE[1] * crossing)
    picture.dot(x, y, "#b35900", 6)
    picture.text(x - 10, y - 20, f"crossover: {crossing:.1f}", "end", 14)
    return picture.finish(BOTTOM + 48, "The time of a step on the CPU and on a device over the batch size")
