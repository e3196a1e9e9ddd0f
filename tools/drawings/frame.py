"""The frame of the pictures that Python draws: size, font, colors, and text that stays readable.

Called by the other modules of this folder. Invariant: width and style are those of common/trace/svg.h, where
they are written once, for the pictures that C++ draws and for these.
"""

import pathlib
import re
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SVG_H = (ROOT / "common/trace/svg.h").read_text()
WIDTH = int(re.search(r"kPictureWidth = (\d+);", SVG_H).group(1))
STYLE = re.search(r"<style>.*?</style>", SVG_H, re.S).group()
BLUE, PURPLE, GREEN, ORANGE = "#1f77b4", "#8257b0", "#1f7f1f", "#b35900"


class Picture:
    """Collects shapes; finish() returns the SVG. All positions are in units; a picture is WIDTH units wide."""

    def __init__(self):
        self.parts = []

    def text(self, x, y, words, anchor="start", size=13, color=None, bold=False):
        """A line of text, whose baseline is y."""
        more = f' fill="{color}"' if color else ""
        more += ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{more}>'
                          f"{escape(words)}</text>")

    def box(self, x, y, width, height, color=None, stroke=None):
        """A rectangle: filled with a color, or with the page's; stroke: "axis" or "grid"."""
        look = f'fill="{color}"' if color else f'class="{stroke}"'
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" {look}/>')

    def arrow(self, x1, y1, x2, y2):
        """An arrow from the first point to the second one."""
        self.parts.append(f'<path class="axis" d="M{x1:g} {y1:g}L{x2:g} {y2:g}" marker-end="url(#head)"/>')

    def line(self, x1, y1, x2, y2, color=None, look="axis"):
        """A line: of a color, which is then 3 units wide, or as the class "axis" or "grid"."""
        how = f'stroke="{color}" stroke-width="3"' if color else f'class="{look}"'
        self.parts.append(f'<path {how} d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>')

    def dot(self, x, y, color, radius=5):
        """A filled circle."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{color}"/>')

    def cell(self, x, y, width, height, words, color=None, size=13):
        """A box with a line of text in its middle: white on a color, or in the axis's color without one."""
        self.box(x, y, width, height, color, "axis")
        self.text(x + width / 2, y + height / 2 + size * 0.36, words, "middle", size, "#ffffff" if color else None)

    def legend(self, x, y, names):
        """Squares with their names in one line: [(color, name, width), ...]."""
        for color, name, width in names:
            self.box(x, y - 11, 13, 13, color, "grid")
            self.text(x + 19, y, name, size=14)
            x += width

    def finish(self, height, title=""):
        """The whole picture. Where there is room, a unit is 1.25 pixels, as in svg.h. title: for screen readers."""
        named, role = (f'<title>{escape(title)}</title>\n', ' role="img"') if title else ("", "")
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH * 5 // 4}" '
                f'height="{height * 5 // 4}" font-family="sans-serif" font-size="13"{role}>'
                f'\n{named}{STYLE}\n'
                '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
                '<path class="axis" d="M1 1L7 4L1 7"/></marker></defs>\n'
                f'<rect class="page" width="{WIDTH}" height="{height}"/>\n' + "\n".join(self.parts) + "\n</svg>\n")
