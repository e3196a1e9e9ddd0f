#!/usr/bin/env python3
"""Holds docs/architecture.md's list "The core in an evening": core_in_an_evening_test.py ROOT.

Called by CTest. The list has at most 25 files and 4,000 lines. A file of it includes only files above it and
headers of the second table, and every header of that table is included by one of them.
"""

import pathlib
import re
import sys

MOST_FILES, MOST_LINES = 25, 4000
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def tables(page):
    """The section's two tables: for each, the file names in the first cells, row by row."""
    section = page.split("\n## The core in an evening\n")[1].split("\n## ")[0]
    return [[re.findall(r"`([^`]+)`", row.split(" | ")[0]) for row in table.splitlines()[2:]]
            for table in re.findall(r"(?:^\|.*\n)+", section, re.M)]


def faults_of(read, page):
    """What is wrong with the list. `read(name)` gives the text of a file of common/, or None."""
    listed, trusted = tables(page)
    listed = [name for row in listed for name in row]
    trusted = {name for row in trusted for name in row}
    texts = {name: read(name) for name in listed + sorted(trusted)}
    yield from (f"{name} does not exist" for name, text in texts.items() if text is None)
    lines = sum(texts[name].count("\n") for name in listed if texts[name])
    if len(listed) > MOST_FILES:
        yield f"the list has {len(listed)} files, at most {MOST_FILES}"
    if lines > MOST_LINES:
        yield f"the list has {lines} lines, at most {MOST_LINES}"
    unused = set(trusted)
    for at, name in enumerate(listed):
        for target in INCLUDE.findall(texts[name] or ""):
            unused.discard(target)
            if target not in listed[:at] and target not in trusted:
                yield f"{name} includes {target}, which neither stands above it nor in the second table"
    yield from (f"no file of the list includes {name}" for name in sorted(unused))


def check_the_checker():
    """Each fault is found in a made-up list."""
    page = "\n## The core in an evening\n\n| file | x |\n|---|---|\n| `a.h` | x |\n| `b.h` | x |\n\n| h | x |\n|---|---|\n| `c.h` | x |\n\n## Next\n"
    right = {"a.h": '#include "c.h"\n', "b.h": '#include "a.h"\n', "c.h": "\n"}
    for change, words in [({}, ""), ({"a.h": '#include "b.h"\n#include "c.h"\n'}, "neither stands above"),
                          ({"a.h": "\n"}, "no file of the list includes c.h"), ({"b.h": None}, "does not exist"),
                          ({"b.h": "\n" * 4001}, "4002 lines")]:
        faults = list(faults_of({**right, **change}.get, page))
        if bool(faults) != bool(words) or words not in "".join(faults):
            sys.exit(f"with {change}: expected {words!r}, got {faults}")


def main():
    root = pathlib.Path(sys.argv[1])

    def read(name):
        path = root / "common" / name
        return path.read_text() if path.is_file() else None

    check_the_checker()
    faults = list(faults_of(read, (root / "docs/architecture.md").read_text()))
    print(*faults, f"{len(faults)} faults", sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
