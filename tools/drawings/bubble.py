"""A step on two devices: chapters/09_cpu_and_gpu_together/pictures/bubble.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, ORANGE, Picture

LEFT, UNIT, ROW, WHOLE = 74, 16.6, 28, 4


def spans(parts):
    """(device, start, length, part, color) of each forward pass and of each backward pass, twice as long."""
    forward, backward = WHOLE / parts, 2 * WHOLE / parts
    middle = forward * (parts + 1)  # the last forward pass of device 1 ends
    for part in range(parts):
        for device in (0, 1):
            yield device, forward * (part + device), forward, part, BLUE
            yield device, middle + backward * (part + 1 - device), backward, part, ORANGE


def draw(_=""):
    """Above the whole batch, below four micro-batches; what stays empty is the bubble."""
    picture = Picture()
    picture.legend(8, 18, [(BLUE, "forward pass", 130), (ORANGE, "backward pass", 140), (None, "idle: the bubble", 0)])
    y = 48
    for parts, words in [(1, "the whole batch: idle for half of the time"),
                         (4, "four micro-batches: idle for a fifth of the time")]:
        picture.text(8, y, words, size=14, bold=True)
        found = list(spans(parts))
        end = max(start + length for _, start, length, _, _ in found)
        busy = sum(length for _, _, length, _, _ in found)
        assert abs(1 - busy / (2 * end) - 1 / (parts + 1)) < 1e-9
        for device in (0, 1):
            top = y + 10 + ROW * device
            picture.text(8, top + 17, f"device {device}", size=14)
            picture.box(LEFT, top, UNIT * end, ROW - 4, stroke="axis")
        for device, start, length, part, color in found:
            picture.cell(LEFT + UNIT * start + 1, y + 11 + ROW * device, UNIT * length - 2, ROW - 6, str(part), color, 13)
        y += 100
    return picture.finish(y - 20, "A step on two devices with the whole batch and with four micro-batches")
