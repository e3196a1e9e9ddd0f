"""The bits of four formats side by side: chapters/07_amp/pictures/bits.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, WIDTH, Picture

FORMATS = [("float32", 8, 23, 0), ("TF32", 8, 10, 13), ("bfloat16", 8, 7, 0), ("float16", 5, 10, 0)]
PITCH, LEFT = 14.5, 8


def draw(_=""):
    """A box for each bit: its color tells what the bit means."""
    picture = Picture()
    picture.legend(LEFT, 18, [(ORANGE, "sign", 70), (GREEN, "exponent: the range", 180), (BLUE, "fraction: the precision", 0)])
    y = 50
    for name, exponent, fraction, unused in FORMATS:
        picture.text(LEFT, y, name, size=14, bold=True)
        words = f"{exponent} exponent bits, {fraction} fraction bits"
        picture.text(LEFT + 75, y, words + (", the rest unused" if unused else ""), size=14)
        colors = [ORANGE] + [GREEN] * exponent + [BLUE] * fraction + [None] * unused
        for bit, color in enumerate(colors):
            picture.box(LEFT + PITCH * bit, y + 8, PITCH - 2.5, 22, color, "axis")
        y += 60
    assert LEFT + PITCH * 32 <= WIDTH
    return picture.finish(y - 20, "The bits of float32, TF32, bfloat16 and float16")
