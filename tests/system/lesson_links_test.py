#!/usr/bin/env python3
"""The part of common/ that the lessons send a reader to stays small: lesson_links_test.py PROJECT.

Called by CTest. Collects the links from chapters/*/README.md into common/, and counts the files and their
lines. Invariant: every link leads to a file that exists.
"""

import pathlib
import re
import sys

MOST_FILES, MOST_LINES = 40, 5000
LINK = re.compile(r"\]\(((?:\.\./)+common/[^)#\s]+)")


def main():
    project = pathlib.Path(sys.argv[1])
    linked, faults = set(), []
    for readme in sorted(project.glob("chapters/*/README.md")):
        for target in LINK.findall(readme.read_text()):
            path = (readme.parent / target).resolve()
            if path.is_file():
                linked.add(path)
            elif not path.is_dir():
                faults.append(f"{readme.relative_to(project)} links {target}, which does not exist")
    lines = sum(len(path.read_text().splitlines()) for path in linked)
    print(*faults, f"{len(linked)} files, {lines} lines; at most {MOST_FILES} and {MOST_LINES}", sep="\n")
    return 1 if faults or not linked or len(linked) > MOST_FILES or lines > MOST_LINES else 0


if __name__ == "__main__":
    sys.exit(main())
