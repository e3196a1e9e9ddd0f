#!/usr/bin/env python3
"""The links of a folder of HTML pages: docs/build.py looks for dead ones and drops what nothing leads to.

    links.py --self-test    checks that each kind of planted fault is found; CTest calls this

Invariant: every file and every #anchor that a page names must be there. Addresses with a scheme are
not fetched.
"""

import html.parser
import pathlib
import re
import sys
import tempfile
import urllib.parse


class Reader(html.parser.HTMLParser):
    """Collects what a page names, and the anchors that it offers."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.anchors, self.addresses = {"", "top"}, set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        for name in ("href", "src", "srcset"):
            if values.get(name):
                self.addresses.add(values[name])


class Graph:
    """All pages of a folder with their links."""

    def __init__(self, folder):
        self.folder = folder
        self.pages = {file: Reader(file.read_text()) for file in sorted(folder.rglob("*.html"))}

    def targets(self, file):
        """(address, file, anchor) for every link of a page that stays in the folder."""
        for address in sorted(self.pages[file].addresses):
            if re.match(r"[a-z]+:", address):
                continue
            path, _, anchor = address.partition("#")
            target = (file.parent / urllib.parse.unquote(path)).resolve() if path else file
            yield address, target, urllib.parse.unquote(anchor)

    def faults(self):
        """A line per dead link and missing anchor."""
        result = []
        for file, page in self.pages.items():
            name = file.relative_to(self.folder)
            for address, target, anchor in self.targets(file):
                if not target.is_relative_to(self.folder) or not target.is_file():
                    result.append(f"{name}: nothing is at {address}")
                elif target in self.pages and anchor not in self.pages[target].anchors:
                    result.append(f"{name}: {target.relative_to(self.folder)} has no anchor #{anchor}")
        return result

    def remove_unreachable(self, start, keep):
        """Removes files that no way of links leads to from the page `start`; Doxygen writes many."""
        reached, waiting = set(keep), [self.folder / start]
        while waiting:
            file = waiting.pop()
            if file not in reached:
                reached.add(file)
                waiting += [target for _, target, _ in self.targets(file)] if file in self.pages else []
        for file in self.folder.rglob("*"):
            if file.is_file() and file not in reached:
                file.unlink()
                self.pages.pop(file, None)


def self_test():
    good = {"index.html": '<h1 id="a">A</h1><a href="b/c.html#d">x</a><a href="#a">y</a><img src="p.svg">'
                          '<a href="https://a/b">z</a>',
            "b/c.html": '<a name="d"></a><a href="../index.html">up</a>', "p.svg": "<svg/>"}
    lonely = {"lonely.html": "<p>", "lonely.css": ""}
    faulty = [("index.html", "b/c.html#d", "b/e.html", "nothing is at b/e.html"),
              ("index.html", "p.svg", "q.svg", "nothing is at q.svg"),
              ("index.html", "c.html#d", "c.html#e", "has no anchor #e"),
              ("index.html", 'href="#a"', 'href="#b"', "has no anchor #b"),
              ("b/c.html", "../index.html", "../../../etc/passwd", "nothing is at ../../../etc/passwd")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / "b").mkdir()
        for at, old, new, expected in [("index.html", "", "", None), *faulty]:
            for file, text in {**good, **lonely}.items():
                (folder / file).write_text(text.replace(old, new) if file == at and old else text)
            found = Graph(folder).faults()
            if [expected] != [f.partition(": ")[2][-len(expected):] for f in found] if expected else found:
                raise SystemExit(f"self-test: expected {expected}, found {found}")
        Graph(folder).remove_unreachable("index.html", keep={folder / "lonely.css"})
        left = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
        if left != {*good, "lonely.css"}:
            raise SystemExit(f"self-test: expected {[*good, 'lonely.css']} to be left, found {left}")
    print(f"{len(faulty) + 2} cases as expected")


if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"]:
        raise SystemExit("usage: links.py --self-test")
    self_test()
