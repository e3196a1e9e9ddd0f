"""The records of four ranks that hang: chapters/14_ddp_inside/pictures/hang.svg.

Called by tools/pictures.py. Invariant: the first call that does not fit is found by the rule of the exercise
`diagnose_hang`, not written down.
"""

from .frame import BLUE, GREEN, ORANGE, Picture

LEFT, CELL, ROW, SIZE = 62, 102, 34, 14
# The numbers of the first record, and the calls: rank 1 has skipped the sum of a metric.
RECORDS = [(7, ["avg 4160", "avg 704", "sum 1"]), (7, ["avg 4160", "avg 704", "avg 325"]),
           (7, ["avg 4160", "avg 704", "sum 1"]), (6, ["avg 325", "avg 4160", "avg 704"])]


def first_difference(records):
    """The number of the first call that the ranks do not all make alike, and the ranks with another one than most."""
    last = max(first + len(calls) for first, calls in records)
    for number in range(min(first for first, _ in records), last):
        calls = {rank: calls[number - first] for rank, (first, calls) in enumerate(records)
                 if first <= number < first + len(calls)}
        most = max(calls.values(), key=list(calls.values()).count)
        if any(call != most for call in calls.values()):
            return number, [rank for rank, call in calls.items() if call != most]
    raise ValueError("all ranks make the same calls")


def draw(_=""):
    """One row per rank, one column per number; the cell of the rank to look at has a color of its own."""
    number, ranks = first_difference(RECORDS)
    begin = min(first for first, _ in RECORDS)
    picture = Picture()
    picture.text(8, 18, "the latest three calls of each rank, by their number", size=SIZE, bold=True)
    for column in range(4):
        picture.text(LEFT + (column + 0.5) * CELL, 42, f"#{begin + column}", "middle", SIZE)
    for rank, (first, calls) in enumerate(RECORDS):
        top = 52 + rank * ROW
        picture.text(8, top + 20, f"rank {rank}", size=SIZE)
        for index, call in enumerate(calls):
            at = first + index
            color = BLUE if at < number else ORANGE if rank in ranks else GREEN
            picture.cell(LEFT + (at - begin) * CELL, top, CELL - 6, ROW - 6, call, color, SIZE)
    bottom = 52 + len(RECORDS) * ROW
    picture.text(8, bottom + 18, f"Call #{number} is the first one that differs: rank {ranks[0]} has skipped a call.", size=SIZE)
    picture.text(8, bottom + 38, "A list holds three calls. Rank 3 has not made call #9 yet.", size=SIZE)
    return picture.finish(bottom + 52, "The latest collectives of four ranks, matched by their number")
