#!/usr/bin/env python3
"""Links the first use of each term of docs/glossary.md in each chapter's page.

    glossary.py --write [PAGE...]   writes the links into the pages; a second run changes nothing
    glossary.py --check [PAGE...]   says which page lacks which link, and which links are broken
    glossary.py --self-test         checks that planted faults are found

A term is a `##` heading of the glossary. A comment below it lists further spellings, `<!-- also: streams -->`, or all of them,
`<!-- only: a view, views of -->`, where the heading itself is an ordinary English word. Invariant: links stand in prose only: not
in the title block, headings, code, other links, comments, <summary>, or the header row of a table.
"""

import pathlib
import re
import sys
import tempfile

TARGET = "../../docs/glossary.md#"
OUR_LINK = re.compile(r"\[([^\]]+)\]\(\.\./\.\./docs/glossary\.md#([\w-]*)\)")
PROTECTED = re.compile(
    r"^(?:```|~~~).*?^(?:```|~~~)[ \t]*$"          # fenced code
    r"|<!--.*?-->|<summary>.*?</summary>|<[^<>\n]+>"
    r"|^#+ [^\n]*$|^\|[^\n]*\n(?=\|[ :|-]+$)"     # headings, header rows
    r"|(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)"  # inline code
    r"|!?\[(?:`[^`]*`|[^\]`])*\](?:\([^)]*\)|\[[^\]]*\])|https?://\S+", re.S | re.M)


def anchor(heading):
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


class Glossary:
    def __init__(self, text):
        self.anchor_of, self.headings, self.faults = {}, {}, []
        for heading, body in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.S | re.M):
            spellings = [heading]
            for kind, listed in re.findall(r"^<!-- (also|only): ?(.*?)-->$", body, re.M):
                listed = [one.strip() for one in listed.split(",") if one.strip()]
                spellings = listed if kind == "only" else spellings + listed
            if anchor(heading) in self.headings:
                self.faults.append(f"glossary: two headings \"{heading}\"")
            self.headings[anchor(heading)] = heading
            if not re.search(r"^Chapters? \d\d|[.] Chapters?\s\d\d", body, re.M):
                self.faults.append(f"glossary: \"{heading}\" does not say which chapter explains it")
            for spelling in spellings:
                if self.anchor_of.setdefault(spelling.lower(), anchor(heading)) != anchor(heading):
                    self.faults.append(f"glossary: \"{spelling}\" belongs to two terms")
        longest_first = sorted(self.anchor_of, key=lambda one: (-len(one), one))
        words = "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in longest_first)
        self.pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.I)

    def linked(self, page):
        """The page with a link at the first use of each term, and at no other."""
        page = OUR_LINK.sub(r"\1", page)
        start = re.search(r"^## ", page, re.M)
        start = start.start() if start else len(page)
        used, result, at = set(), [page[:start]], start

        def link(match):
            term = self.anchor_of[re.sub(r"\s+", " ", match.group()).lower()]
            if term in used:
                return match.group()
            used.add(term)
            return f"[{match.group()}]({TARGET}{term})"

        for protected in PROTECTED.finditer(page, start):
            result += [self.pattern.sub(link, page[at:protected.start()]), protected.group()]
            at = protected.end()
        return "".join([*result, self.pattern.sub(link, page[at:])])

    def faults_of(self, page):
        wanted = self.linked(page)
        if wanted == page:
            return []
        found, expected = ([(m.group(2), text.count("\n", 0, m.start()) + 1) for m in OUR_LINK.finditer(text)]
                           for text in (page, wanted))
        faults = [f"line {line}: there is no term \"{term}\"" for term, line in found if term not in self.headings]
        faults += [f"line {line}: the first use of \"{self.headings[term]}\" is not linked"
                   for term, line in expected if (term, line) not in found]
        faults += [f"line {line}: this is not the first use of \"{self.headings[term]}\""
                   for term, line in found if term in self.headings and (term, line) not in expected]
        return faults or ["the links are not those that --write makes"]


def check(pages, glossary):
    return glossary.faults + [f"{page}: {fault}" for page in pages for fault in glossary.faults_of(page.read_text())]


def self_test():
    text = ("# G\n\n## stream\n<!-- also: streams -->\n\nA queue. Chapter 02 explains it.\n\n"
            "## CUDA graph\n\nIt. Chapter 08 explains it.\n\n## view\n<!-- only: is a view of -->\n\nIt. Chapter 02 explains it.\n\n"
            "## buffer (of a module)\n<!-- only: module buffer -->\n\nIt. Chapter 03 explains it.\n\n"
            "## graph\n\nIt. Chapter 03 explains it.\n")
    page = ("# Streams\n\n*A stream.*\n\n## Stream\n\n| stream |\n|---|\n| `stream` [a stream](b) |\n\n<!-- a stream -->\n"
            "<details><summary>A stream</summary>\n\n```\nstream\n```\n\nTwo Streams in a view, ``a ` stream``. A CUDA\ngraph is a view of "
            "a stream-like graph with a module buffer, a stream, and upstream [`stream`\nof](x).\n")
    glossary = Glossary(text)
    link = "[{}](../../docs/glossary.md#{})".format
    wanted = (page.replace("Two Streams", "Two " + link("Streams", "stream"))
              .replace("CUDA\ngraph", link("CUDA\ngraph", "cuda-graph")).replace("is a view of", link("is a view of", "view"))
              .replace("stream-like graph", "stream-like " + link("graph", "graph"))
              .replace("module buffer", link("module buffer", "buffer-of-a-module")))
    got = glossary.linked(page)
    if glossary.faults or got != wanted or glossary.linked(wanted) != wanted:
        sys.exit(f"self-test: expected\n{wanted}\ngot\n{got}\nfaults {glossary.faults}")
    faulty = [page, wanted.replace("#stream", "#steam"), wanted.replace(link("Streams", "stream"), "Streams"),
              wanted.replace("a stream, and", "a " + link("stream", "stream") + ", and"),
              wanted.replace("`stream` [a", link("stream", "stream") + " [a"), wanted.replace("#graph", "#view")]
    broken = [text + "## Stream\n\nIt. Chapter 02 explains it.\n", text.replace(" Chapter 08 explains it.", ""),
              text.replace("only: module buffer", "only: streams")]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "README.md"
        for case, terms, expected in [(wanted, text, False), *((one, text, True) for one in faulty),
                                      *((wanted, one, True) for one in broken)]:
            file.write_text(case)
            found = check([file], Glossary(terms))
            if bool(found) != expected:
                sys.exit(f"self-test: expected {'a fault' if expected else 'none'}, found {found} in:\n{case}")
    print(f"{len(faulty) + len(broken) + 2} cases as expected")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:2] not in (["--write"], ["--check"]):
        sys.exit(__doc__)
    root = pathlib.Path(__file__).resolve().parent.parent
    pages = [pathlib.Path(name) for name in sys.argv[2:]] or sorted(root.glob("chapters/[0-9]*/README.md"))
    glossary = Glossary((root / "docs/glossary.md").read_text())
    if sys.argv[1] == "--write":
        for page in pages:
            text = page.read_text()
            if glossary.linked(text) != text:
                page.write_text(glossary.linked(text))
    faults = check(pages, glossary)
    print("\n".join([*faults, f"{len(pages)} pages, {len(glossary.headings)} terms, {len(faults)} faults"]))
    return sys.exit(1 if faults or not pages else 0)


if __name__ == "__main__":
    main()
