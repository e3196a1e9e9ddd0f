#!/usr/bin/env python3
"""Prepares the course's Markdown for Doxygen: pages.py SOURCE_ROOT PAGES_FOLDER.

Called by the target `docs`. README.md becomes the front page, the chapters' READMEs pages in reading
order, docs/*.md pages after them. Invariant: a relative link either leads to a page, or to a file that
is there; a dead link ends the build.
"""

import os
import pathlib
import re
import shutil
import sys

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^(#{1,4}) +(.*?)\s*#*\s*$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)\)")
COMMENT = re.compile(r"<!--.*?-->")
# Doxygen 1.9.4 would close a folded answer at its first blank line, so it gets these tags as they are.
FOLDED = re.compile(r"^( *)(<details>(?:<summary>.*</summary>)?|</details>)$")
CODE = re.compile(r"(`+[^`]+`+)")
PICTURES = (".png", ".svg", ".jpg", ".gif")


def slug(heading):
    """The anchor that code forges give a heading."""
    text = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower())
    return text.strip().replace(" ", "-")


def page_name(path):
    """Chapter folders name their page; README.md at the root is the front page."""
    if path == pathlib.Path("README.md"):
        return "index"
    stem = path.parent.name if path.name == "README.md" else path.stem
    return re.sub(r"\W", "_", f"page_{stem}")


class Pages:
    """All pages, so that a link can be checked against any of them."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.chapters = sorted(p.relative_to(root) for p in root.glob("chapters/[0-9]*/README.md"))
        self.about = sorted(p.relative_to(root) for p in root.glob("docs/**/*.md"))
        self.names = {p: page_name(p) for p in
                      [pathlib.Path("README.md"), *self.chapters, *self.about]}
        self.faults = []

    def link(self, page, match, line_number):
        """One link, rewritten for the page's new place."""
        picture, text, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        file = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
        if not (self.root / file).exists():
            self.faults.append(f"{page}:{line_number}: nothing is at {target}")
            return text
        if file in self.names:
            name = self.names[file]
            return f"[{text}](@ref {name}_{anchor})" if anchor else f"[{text}](@ref {name})"
        if picture and file.suffix in PICTURES:
            shutil.copy(self.root / file, self.folder / file.name)
            return f"![{text}]({file.name})"
        away = os.path.relpath(self.root / file, self.folder.parent / "html")
        return f'<a href="{away}">{text}</a>'

    def line(self, page, text, number):
        """One line of prose; what stands in backquotes is left as it is."""
        text = "".join(COMMENT.sub("", part) if i % 2 == 0 else part for i, part in enumerate(CODE.split(text)))
        folded = FOLDED.match(text)
        if folded:
            return f"{folded[1]}\\htmlonly[block]{folded[2]}\\endhtmlonly"
        heading = HEADING.match(text)
        if heading:
            marks, title = heading.groups()
            name = self.names[page]
            label = name if marks == "#" else f"{name}_{slug(title)}"
            return f"{marks} {title} {{#{'mainpage' if label == 'index' else label}}}"
        # A link may hold code in its text, so links are found first, in the whole line.
        masked = CODE.sub(lambda m: "\0" * len(m.group(0)), text)
        parts, at = [], 0
        for match in LINK.finditer(text):
            if "\0" in masked[match.start() : match.start() + 1]:
                continue
            parts += [escape(text[at : match.start()]), self.link(page, match, number)]
            at = match.end()
        return "".join(parts) + escape(text[at:])

    def convert(self, page):
        """Writes one page."""
        lines, fenced = [], False
        for number, text in enumerate((self.root / page).read_text().splitlines(), 1):
            if FENCE.match(text):
                fenced = not fenced
            elif not fenced:
                text = self.line(page, text, number)
            lines.append(text)
        (self.folder / f"{self.names[page]}.md").write_text("\n".join(lines) + "\n")

    def contents(self, name, title, pages):
        """A page that puts others in order; Doxygen's tree follows it."""
        lines = [f"# {title} {{#{name}}}", "", *(f"- @subpage {self.names[p]}" for p in pages)]
        (self.folder / f"{name}.md").write_text("\n".join(lines) + "\n")


def escape(prose):
    """Doxygen reads @, \\ and <name> in prose as commands; the course means what it writes."""
    pieces = CODE.split(prose)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"@(?=\w)", r"\\@", pieces[i])
        pieces[i] = re.sub(r"<(?=[A-Za-z_]+[>: ,])", r"\\<", pieces[i])
    return "".join(pieces)


def main():
    root, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = Pages(root, folder)
    for page in pages.names:
        pages.convert(page)
    pages.contents("page_chapters", "The chapters", pages.chapters)
    if pages.about:
        pages.contents("page_about", "How it is made", pages.about)
    print(*pages.faults, sep="\n", end="\n" if pages.faults else "")
    if pages.faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
