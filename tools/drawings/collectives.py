"""What four collectives do with the tensors of three ranks: chapters/06_nccl_ddp/pictures/collectives.svg.

Called by tools/pictures.py. Invariant: the results are computed from the tensors that the ranks pass.
"""

from .frame import BLUE, GREEN, Picture

LEFT, CELL, ROW, TO, SIZE = 64, 40, 26, 270, 14
ONE = [[1], [20], [300]]  # one tensor per rank
PARTS = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]


def sums(tensors):
    return [sum(column) for column in zip(*tensors)]


def bands():
    """(title, what the ranks pass, what they get, the color of the results)."""
    return [("broadcast from rank 0: copies its tensor", [ONE[0], [], []], [ONE[0]] * 3, BLUE),
            ("all-reduce: the sum, on all ranks", ONE, [sums(ONE)] * 3, GREEN),
            ("all-gather: all tensors, on all ranks", ONE, [[x for tensor in ONE for x in tensor]] * 3, BLUE),
            ("reduce-scatter: one part of the sum per rank", PARTS, [[x] for x in sums(PARTS)], GREEN)]


def draw(_=""):
    """One band per collective: what each rank passes on the left, what it gets on the right."""
    picture, y = Picture(), 18
    for title, passed, got, color in bands():
        picture.text(8, y, title, size=SIZE, bold=True)
        for rank in range(3):
            top = y + 10 + rank * ROW
            picture.text(8, top + 17, f"rank {rank}", size=SIZE)
            for x, values, fill in ((LEFT, passed[rank], None), (TO, got[rank], color)):
                for index, value in enumerate(values):
                    picture.cell(x + index * CELL, top, CELL - 4, ROW - 4, str(value), fill, SIZE)
        middle = y + 10 + 1.5 * ROW - 2
        picture.arrow(LEFT + 3 * CELL + 12, middle, TO - 16, middle)
        y += 3 * ROW + 44
    picture.legend(8, y - 4, [(BLUE, "copied", 110), (GREEN, "added", 110)])
    return picture.finish(y + 10, "Four collectives of three ranks: what each rank passes and what it gets")
