"""When XLA compiles: chapters/10_xla_and_tpu/pictures/cache.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, Picture

STEPS = [("step 1", 32), ("step 2", 32), ("step 3", 32), ("step 4", 4), ("step 5", 32)]


def draw(_=""):
    """A row per step: its rows, its key, and whether the cache has a program for it."""
    picture, cache = Picture(), set()
    for x, words in [(8, "step"), (130, "key: the sizes"), (300, "in the cache?")]:
        picture.text(x, 18, words, size=14, bold=True)
    for index, (name, rows) in enumerate(STEPS):
        y = 30 + 38 * index
        key = f"{rows} x 10, {rows} x 5"
        picture.text(8, y + 20, name, size=14)
        picture.cell(130, y, 120, 28, key, BLUE, 14)
        picture.arrow(70, y + 14, 127, y + 14)
        picture.arrow(252, y + 14, 297, y + 14)
        there = key in cache
        words, color = ("yes: run", GREEN) if there else ("no: compile, then run", ORANGE)
        picture.cell(300, y, 172, 28, words, color, 14)
        cache.add(key)
    return picture.finish(30 + 38 * len(STEPS), "Five steps: the program is compiled for each new key, and found in the cache otherwise")
