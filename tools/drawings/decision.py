"""Three questions that choose a device: chapters/15_which_device/pictures/decision.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, PURPLE, Picture

QUESTIONS = [("Is a GPU faster at your batch size?", "no", "CPU", BLUE),
             ("Does the model fit in its memory?", "no", "several GPUs", PURPLE),
             ("Static shapes, for days, on many chips?", "yes", "TPUs", ORANGE)]


def draw(_=""):
    """A question per row; one answer leads to the right, the other one down."""
    picture, y = Picture(), 8
    for question, answer, device, color in QUESTIONS:
        picture.cell(8, y, 300, 36, question, None, 14)
        picture.cell(356, y, 116, 36, device, color, 14)
        picture.arrow(310, y + 18, 353, y + 18)
        picture.text(330, y + 12, answer, "middle", 14)
        picture.arrow(158, y + 37, 158, y + 63)
        picture.text(168, y + 55, "no" if answer == "yes" else "yes", size=14)
        y += 66
    picture.cell(98, y, 120, 36, "one GPU", GREEN, 14)
    return picture.finish(y + 46, "Three questions lead to a CPU, one GPU, several GPUs or TPUs")
