"""Who waits for whom to use a slot: chapters/08_pinned_memory/pictures/slot.svg.

Called by tools/pictures.py.
"""

from .frame import BLUE, GREEN, PURPLE, Picture


def draw(_=""):
    """The three users of a slot's memory in a row, with an arrow for each order between them."""
    picture = Picture()
    for x, who, does, color in [(8, "host thread", "fills the", PURPLE), (190, "copy stream", "copies it to", BLUE),
                                (372, "compute stream", "works on", GREEN)]:
        picture.box(x, 40, 100, 44, color)
        for line, word in enumerate(who.split()):
            picture.text(x + 50, 58 + 17 * line, word, "middle", 14, "#ffffff")
        picture.text(x + 50, 104, does, "middle", 14)
    for x, what in [(58, "pinned memory"), (240, "device memory"), (422, "device memory")]:
        picture.text(x, 122, what, "middle", 14)
    picture.arrow(111, 52, 187, 52)
    picture.text(149, 44, "enqueue", "middle", 13)
    picture.arrow(187, 74, 111, 74)
    picture.text(149, 92, "copied", "middle", 13)
    picture.text(149, 109, "rule 1", "middle", 13)
    picture.arrow(293, 52, 369, 52)
    picture.text(331, 27, "rule 3", "middle", 13)
    picture.text(331, 44, "copied", "middle", 13)
    picture.arrow(369, 74, 293, 74)
    picture.text(331, 92, "consumed", "middle", 13)
    picture.text(331, 109, "rules 2, 4", "middle", 13)
    return picture.finish(134, "The host, the copy stream and the compute stream use the memory of a slot in turn")
