"""Whether a reader can read a picture: on a phone, in a light and in a dark page, and in a page at all.

Called by tools/pictures.py. Text is measured with the widths of a common font, so that the check needs none.
Invariant: it checks only the picture's text, never a time.
"""

import re
import xml.etree.ElementTree as xml

from .frame import WIDTH

SVG = "{http://www.w3.org/2000/svg}"
PHONE = 358  # the width of a page's text on a phone of 390 pixels
LEAST = 6.5  # pixels that a letter must have there
NARROW, USUAL = "fijlt.,:;|!'()[] ", 0.58  # of the font's size, in DejaVu Sans and wider than in Arial
REFERENCE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+\.svg)\)")


def uses(pages, root):
    """The texts with which pages show each picture: {path from the root: [text, ...]}."""
    found = {}
    for page in pages:
        for words, target in REFERENCE.findall(page.read_text()):
            path = (page.parent / target).resolve()
            if path.is_relative_to(root.resolve()):
                found.setdefault(path.relative_to(root.resolve()).as_posix(), []).append(words)
    return found


def width_of(words, size):
    return size * sum(0.34 if letter in NARROW else USUAL for letter in words)


def boxes(root):
    """(text, left, top, right, bottom) of every text."""
    for element in root.iter(f"{SVG}text"):
        words, size = "".join(element.itertext()), float(element.get("font-size", root.get("font-size", 16)))
        x, y, width = float(element.get("x")), float(element.get("y")), width_of(words, size)
        left = x - {"end": width, "middle": width / 2}.get(element.get("text-anchor"), 0)
        yield words, size, left, y - 0.75 * size, left + width, y + 0.1 * size


def faults_of(text, wide=False):
    """The faults that make a picture hard to read. wide: for example a terminal, too wide for a phone."""
    try:
        root = xml.fromstring(text)
    except xml.ParseError as error:
        yield f"it is not well-formed: {error}"
        return
    view = [float(number) for number in root.get("viewBox", "").split()]
    if "prefers-color-scheme: dark" not in text:
        yield "it has no colors for a dark page"
    if wide:
        return
    if root.tag != f"{SVG}svg" or len(view) != 4 or view[2] != WIDTH:
        yield f"it is not a picture of {WIDTH} units: begin it with td::trace::open_svg or drawings.frame"
        return
    placed = list(boxes(root))
    for index, (words, size, left, top, right, bottom) in enumerate(placed):
        if size * PHONE / WIDTH < LEAST:
            yield f"\"{words}\" is {size * PHONE / WIDTH:.1f} pixels high on a phone, at least {LEAST}"
        if left < 0 or top < 0 or right > view[2] or bottom > view[3]:
            yield f"\"{words}\" leaves the picture"
        for other, _, left2, top2, right2, bottom2 in placed[:index]:
            if left < right2 and left2 < right and top < bottom2 and top2 < bottom:
                yield f"\"{words}\" and \"{other}\" overlap"


def faulty(right):
    """Pictures with one fault each, for the self-test."""
    text = re.search(r"<text .*?</text>", right).group()
    return [right.replace("</svg>", ""), right.replace(f"0 0 {WIDTH}", "0 0 900"), right.replace("scheme: dark", "scheme: light"),
            right.replace(text, text.replace('size="13"', 'size="6"')), right.replace(text, text.replace('x="8"', 'x="-1"')),
            right.replace(text, text + text.replace("one", "two"))]
