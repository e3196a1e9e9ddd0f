"""Calls that are recorded as a graph: chapters/10_xla_and_tpu/pictures/lazy.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, ORANGE, PURPLE, Picture


def draw(_=""):
    """Left, the calls of Python; right, the node that each one records; below, what sync() does."""
    picture = Picture()
    picture.text(8, 18, "the program", size=14, bold=True)
    picture.text(370, 18, "the recorded graph", "middle", 14, bold=True)
    for x, name in [(300, "x"), (390, "w")]:
        picture.cell(x, 28, 50, 28, name, PURPLE, 14)
    for row, (call, node) in enumerate([("h = x @ w", "matmul"), ("h = torch.relu(h)", "relu"), ("loss = h.sum()", "sum")]):
        y = 78 + 50 * row
        picture.text(8, y + 19, call, size=14)
        picture.line(150, y + 14, 308, y + 14, look="grid")
        picture.cell(310, y, 120, 28, node, BLUE, 14)
        if row:
            picture.arrow(370, y - 22, 370, y - 2)
    picture.arrow(325, 56, 345, 76)
    picture.arrow(415, 56, 395, 76)
    picture.text(8, 48, "nothing runs yet", size=14)
    picture.line(8, 222, 472, 222, look="grid")
    picture.text(8, 255, "torch_xla.sync()", size=14)
    picture.cell(176, 236, 136, 30, "compile if new", ORANGE, 14)
    picture.cell(356, 236, 106, 30, "run", GREEN, 14)
    picture.arrow(140, 251, 173, 251)
    picture.arrow(314, 251, 353, 251)
    return picture.finish(278, "Three calls record three nodes; sync compiles the graph if it is new, and runs it")
