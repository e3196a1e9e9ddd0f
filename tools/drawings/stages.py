"""Four batches in a loop and in a pipeline: chapters/09_cpu_and_gpu_together/pictures/stages.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, PURPLE, Picture

STAGES = [("host", 2), ("link", 1), ("device", 3)]
COLORS = [BLUE, PURPLE, GREEN, ORANGE]
LEFT, UNIT, ROW = 62, 17, 28


def starts(pipelined):
    """When each stage of each batch starts: [[batch 0's three times], ...]."""
    free, found, end = [0, 0, 0], [], 0
    for _ in COLORS:
        now, times = 0 if pipelined else end, []
        for stage, (_, length) in enumerate(STAGES):
            now = max(now, free[stage])
            times.append(now)
            now = free[stage] = now + length
        end = now
        found.append(times)
    return found, end


def draw(_=""):
    """Twice three rows, one for each part of the machine; a batch keeps its color."""
    picture, y = Picture(), 18
    for pipelined, words in [(False, "a plain loop: a step takes 2 + 1 + 3 = 6"),
                             (True, "a pipeline: a step takes 3, the longest stage")]:
        picture.text(8, y, words, size=14, bold=True)
        found, end = starts(pipelined)
        for stage, (name, length) in enumerate(STAGES):
            top = y + 12 + ROW * stage
            picture.text(8, top + 17, name, size=14)
            picture.box(LEFT, top, UNIT * end, ROW - 4, stroke="grid")
            for batch, times in enumerate(found):
                picture.cell(LEFT + UNIT * times[stage] + 1, top, UNIT * length - 2, ROW - 4, str(batch), COLORS[batch], 14)
        y += 130
    return picture.finish(y - 18, "Four batches pass through three stages, one after another and in a pipeline")
