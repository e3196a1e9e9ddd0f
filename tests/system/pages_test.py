#!/usr/bin/env python3
"""Renders a course of two chapters by docs/pages.py and reads the pages: pages_test.py PROJECT.

Called by CTest. Invariant: every rule of docs/authoring.md that concerns the looks of a page has its
line here; a Markdown library or a template that changes shows here first.
"""

import pathlib
import re
import sys
import tempfile

try:
    import markdown_it  # noqa: F401
    import pygments  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing.name} is missing: sudo apt-get install python3-markdown-it python3-pygments")
    sys.exit(77)

PROJECT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(PROJECT / "docs"))
import build  # noqa: E402
import links  # noqa: E402
import pages  # noqa: E402

FIRST = """# Chapter 01: `to` and \\<b>

**You will build** a copy.

<!-- listing: main.cpp#copy -->
```cpp
int x = 1;  // one
```

## A \\<T> & `code`

| PyTorch | td |
|---|---|
| `x.to("cuda")` | `td::Tensor::to(device)` |

| a | b | c | d |
|---|---|---|---|
| 1 | 2 | 3 | 4 |

| e | f | g | h |
|---|---|---|---|
| 1 | 2 | 3 | prose that a narrow column would break into a tall tower of single words |

<details><summary>Answer</summary>

<!-- answer: ./course run 1 -->
**5** [words](../../docs/glossary.md#device) and `td::unknown`

</details>

## Again

## Again

![a picture](flow.svg) <img src="flow.svg"> [the program](main.cpp) <!-- figure: x -->42<!-- / -->
"""
FILES = {
    "README.md": "# Front\n\n[one](chapters/01_one/README.md), [tests](tests), [license](LICENSE),"
                 " [web](https://a.b/c)\n",
    "LICENSE": "Words & <words>\n",
    "tests/README.md": "# Tests\n",
    "docs/glossary.md": "# Glossary\n\n## device\n\nWhere tensors are.\n",
    "chapters/01_one/README.md": FIRST,
    "chapters/01_one/main.cpp": "int main() {}\n",
    "chapters/01_one/flow.svg": "<svg/>",
    "chapters/02_two/README.md": "# Chapter 02: Two\n\n[back](../01_one/README.md#a-t--code)\n",
    "chapters/course.toml": '[[chapter]]\nfolder = "01_one"\nminutes = 5\n'
                            '[[chapter]]\nfolder = "02_two"\nminutes = 7\n',
    "docs/theme/page.html": (PROJECT / "docs/theme/page.html").read_text(),
}
SYMBOLS = {"td::Tensor::to": "api/tensor.html#to"}
# (page, what it must contain); a "!" before it: what it must not contain.
EXPECTED = [
    ("chapters/01_one/index.html", "<title>Chapter 01: to and &lt;b&gt;</title>"),
    ("chapters/01_one/index.html", "!listing:"),
    ("chapters/01_one/index.html", "!figure:"),
    ("chapters/01_one/index.html", '<span class="kt">int</span>'),
    ("chapters/01_one/index.html", '<h2 id="a-t--code">A &lt;T&gt; &amp; <code>code</code></h2>'),
    ("chapters/01_one/index.html", '<a href="#a-t--code">A &lt;T&gt; &amp; code</a>'),
    ("chapters/01_one/index.html", '<h2 id="again-1">'),
    ("chapters/01_one/index.html", '<div class="table stacked" tabindex="0"><table>'),
    ("chapters/01_one/index.html", '<div class="table" tabindex="0"><table>\n<thead>\n<tr>\n<th>a'),
    ("chapters/01_one/index.html", '<div class="table stacked" tabindex="0"><table>\n<thead>\n<tr>\n<th>e'),
    ("chapters/01_one/index.html", '<td data-label="td"><a href="../../api/tensor.html#to">'
                                   "<code>td::Tensor::to(device)</code></a></td>"),
    ("chapters/01_one/index.html", "and <code>td::unknown</code>"),
    ("chapters/01_one/index.html", '<a href="../../docs/glossary.html#device">words</a>'),
    ("chapters/01_one/index.html", '<a href="main.cpp.html">the program</a>'),
    ("chapters/01_one/index.html", '<img src="flow.svg" alt="a picture" />'),
    ("chapters/01_one/index.html", '<a href="../02_two/index.html">02 Two&nbsp;›</a>'),
    ("chapters/01_one/index.html", "!‹"),
    ("chapters/01_one/main.cpp.html", "<h1>chapters/01_one/main.cpp</h1>"),
    ("chapters/01_one/flow.svg", "<svg/>"),
    ("chapters/02_two/index.html", '<a href="../01_one/index.html#a-t--code">back</a>'),
    ("chapters/02_two/index.html", '<a href="../index.html">Chapters</a>'),
    ("chapters/02_two/index.html", '‹&nbsp;01 to and &lt;b&gt;</a>'),
    ("chapters/index.html", 'Chapter 02: Two</a> <span class="soft">7 minutes</span>'),
    ("chapters/index.html", "<br>You will build a copy."),
    ("index.html", '<a href="tests/index.html">tests</a>'),
    ("index.html", '<a href="https://a.b/c">web</a>'),
    ("index.html", '<link rel="stylesheet" href="theme/style.css">'),
    ("LICENSE.html", "Words &amp; &lt;words&gt;"),
    ("docs/index.html", '<a href="glossary.html">Glossary</a>'),
]


def render(folder, changes):
    """The faults of a course, and its site."""
    for name, text in {**FILES, **changes}.items():
        path = folder / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    site = pages.Site(folder / "project", folder / "html", SYMBOLS)
    return site.build(), site


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        faults, site = render(folder, {})
        wrong += faults
        for page, text in EXPECTED:
            written = (folder / "html" / page).read_text()
            unwanted = text.startswith("!")
            if (text.lstrip("!") in written) == unwanted:
                wrong.append(f"{page}: {'unexpected' if unwanted else 'expected'} {text.lstrip('!')}")
        # The frame's own links are Doxygen's and the theme's; all others lead somewhere.
        frame = re.compile(r"nothing is at (\.\./)*(theme|api)/")
        wrong += [fault for fault in links.Graph(folder / "html").faults() if not frame.search(fault)]
        index = folder / "search.js"
        symbol = ("td::Tensor::to", "function", SYMBOLS["td::Tensor::to"], "(Device device)")
        count = build.write_search_index(index, site, [symbol])
        for entry in ('["device", "Glossary", "docs/glossary.html#device", "Where tensors are."]',
                      '["td::Tensor::to", "function", "api/tensor.html#to", "(Device device)"]',
                      "int x = 1;"):
            if entry not in index.read_text():
                wrong.append(f"the search index lacks {entry}")
        for text, address in [("[a](missing.cpp)", "missing.cpp"), ("[a](../outside.md)", "../outside.md"),
                              ('<img src="missing.svg">', "missing.svg")]:
            faults, _ = render(folder, {"README.md": f"# Front\n\n{text}\n"})
            if faults != [f"README.md:3: expected a file of the project at {address}"]:
                wrong.append(f"{text}: expected one fault, found {faults}")
    print(*wrong, f"{len(EXPECTED) + 7} cases, {count} entries to search, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
