"""The ring all-reduce of three ranks, round by round: chapters/14_ddp_inside/pictures/ring.svg.

Called by tools/pictures.py. Invariant: the values are computed by the rounds that the exercise `ring_all_reduce`
describes; draw() throws where they do not end in the sums.
"""

from .frame import BLUE, GREEN, Picture

START = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]  # one line per rank, one number per slice
CELL, ROW, GAP, LEFT, SIZE = 36, 26, 32, 62, 14


def rounds(start):
    """[(values, received), ...] after each round; received: the slice that each rank has just got, or None."""
    size = len(start)
    states = [([list(values) for values in start], [None] * size)]
    for number in range(2 * (size - 1)):
        before = states[-1][0]
        after, received = [list(values) for values in before], []
        for rank in range(size):
            left, part = (rank - 1) % size, (rank - number - 1) % size
            after[rank][part] = before[left][part] + (before[rank][part] if number < size - 1 else 0)
            received.append(part)
        states.append((after, received))
    return states


def draw(_=""):
    """Returns the picture. @throws ValueError if a rank ends without the sums."""
    size, sums = len(START), [sum(column) for column in zip(*START)]
    states = rounds(START)
    if states[-1][0] != [sums] * size:
        raise ValueError(f"the rounds end with {states[-1][0]}, expected {sums} on each rank")
    picture = Picture()
    block = size * CELL
    top = 44
    for index, (values, received) in enumerate(states):
        row, column = (0, index) if index < size else (1, index - size + 1)
        x, y = LEFT + column * (block + GAP), top + row * (size * ROW + 76)
        picture.text(x + block / 2, y - 8, f"round {index}" if index else "start", "middle", SIZE)
        for rank in range(size):
            if column == 0 or index == size:
                picture.text(x - (LEFT - 8 if column == 0 else GAP + 44), y + rank * ROW + 18, f"rank {rank}", size=SIZE)
            for part, value in enumerate(values[rank]):
                color = GREEN if value == sums[part] else BLUE if part == received[rank] else None
                picture.box(x + part * CELL + 1, y + rank * ROW + 1, CELL - 2, ROW - 2, color, None if color else "axis")
                picture.text(x + part * CELL + CELL / 2, y + rank * ROW + 18, str(value), "middle", SIZE,
                             "#ffffff" if color else None)
            if index not in (size - 1, len(states) - 1):
                picture.arrow(x + block + 3, y + (rank + 0.5) * ROW, x + block + GAP - 4,
                              y + ((rank + 1) % size + 0.5) * ROW)
    picture.text(8, 18, "reduce-scatter: add what arrives", size=SIZE, bold=True)
    picture.text(8, top + size * ROW + 42, "all-gather: copy what arrives", size=SIZE, bold=True)
    y = top + size * ROW + 76 + size * ROW + 14
    for x, color, words in ((8, BLUE, "just received and added"), (240, GREEN, "the whole sum of a slice")):
        picture.box(x, y, 16, 16, color)
        picture.text(x + 24, y + 13, words, size=SIZE)
    title = "<title>A ring all-reduce of three ranks, round by round</title>"
    return picture.finish(y + 28).replace("<svg ", '<svg role="img" ', 1).replace("<style>", f"{title}\n<style>", 1)
