"""The folders of common/ and the arrows between them, from the #include lines: docs/layers.svg.

Called by tools/pictures.py. Invariant: an arrow is an existing #include; only the places of the boxes are
chosen here. An arrow that longer ones imply is left out.
"""

import collections
import sys

from .frame import BLUE, ROOT, Picture

sys.path.insert(0, str(ROOT / "tests/system"))
import include_arrows  # noqa: E402  (it is in the folder above)

# Column and row of each folder, from the top left; a fraction is between two columns.
PLACES = {
    "app": (1, 0), "td_more": (3.4, 0),
    "distributed": (0.6, 1), "cuda": (1.7, 1), "launch": (2.75, 1), "parallel": (4.05, 1), "amp": (5.1, 1),
    "data": (1.1, 2), "io": (2.05, 2), "td/nn": (3.15, 2), "td/optim": (4.1, 2), "xla": (5.05, 2),
    "simt": (1.75, 3), "td/ops": (3.6, 3),
    "sim": (1.2, 4), "td/kernels": (3.1, 4), "td/autograd": (4.1, 4),
    "trace": (0, 5), "libs": (2.2, 5), "td/tensor": (3.6, 5), "td/backends": (4.7, 5),
    "os": (1, 6), "td/device": (3.6, 6),
    "td/base": (2.3, 7),
}
COLUMN, ROW, BOX_WIDTH, BOX_HEIGHT = 79, 62, 74, 30
AROUND = "#6e7781"


def arrows(root):
    """Two lists of (folder, folder it includes): those that follow the rule, and the exceptions."""
    regular, exceptions = set(), set()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in include_arrows.SUFFIXES or name in include_arrows.FRONT_DOOR:
            continue
        layer = include_arrows.layer_of(name)
        for target in include_arrows.INCLUDE.findall(path.read_text()):
            below = include_arrows.layer_of(target)
            if below in (None, layer) or target in include_arrows.LEAVES:
                continue
            (regular if below in include_arrows.reachable(layer) else exceptions).add((layer, below))
    return regular, exceptions


def without_implied(pairs):
    """The pairs that no chain of other pairs implies."""
    below = collections.defaultdict(set)
    for upper, lower in pairs:
        below[upper].add(lower)

    def reaches(start, end):
        return any(step == end or reaches(step, end) for step in below[start])

    return sorted((upper, lower) for upper, lower in pairs
                  if not any(reaches(step, lower) for step in below[upper] - {lower}))


def draw(_=None, root=ROOT / "common"):
    """Returns the picture. @throws SystemExit naming a folder that has no place."""
    regular, exceptions = arrows(root)
    folders = {folder for pair in regular for folder in pair}
    for folder in sorted(folders - PLACES.keys()):
        sys.exit(f"{folder} has no place in the picture of the layers: give it one in tools/drawings/layers.py")
    picture = Picture()
    corner = {folder: (4 + COLUMN * column, 8 + ROW * row) for folder, (column, row) in PLACES.items()}
    for upper, lower in without_implied(regular):
        (x1, y1), (x2, y2) = corner[upper], corner[lower]
        picture.arrow(x1 + BOX_WIDTH / 2, y1 + BOX_HEIGHT, x2 + BOX_WIDTH / 2, y2 - 1)
    for folder in sorted(folders):
        x, y = corner[folder]
        picture.box(x, y, BOX_WIDTH, BOX_HEIGHT, BLUE if folder in include_arrows.CORE else AROUND)
        picture.text(x + BOX_WIDTH / 2, y + 19, folder.removeprefix("td/"), "middle", 12, "#ffffff")
    end = 8 + ROW * 7 + BOX_HEIGHT
    for row, (color, words) in enumerate([(BLUE, "the core, common/td"), (AROUND, "around the core, common/")]):
        picture.box(8, end + 16 + 20 * row, 12, 12, color)
        picture.text(26, end + 27 + 20 * row, words)
    picture.text(8, end + 67, f"An arrow is an #include; implied ones and {len(exceptions)} exceptions are left out.", size=11)
    return picture.finish(end + 78)
