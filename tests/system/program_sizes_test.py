#!/usr/bin/env python3
"""Holds the chapters' programs short: program_sizes_test.py PROJECT.

A main program has at most 80 lines, shows its subject without another file of the chapter, and takes --device alone;
its page shows the whole of it. A program in programs/ has at most 150 lines.
"""
import pathlib
import re
import sys

MAIN, OTHER = 80, 150


def faults_of_main(main):
    text = main.read_text()
    if text.count("\n") > MAIN:
        yield f"it has {text.count(chr(10))} lines; at most {MAIN} are allowed"
    for header in re.findall(r'#include "([^"/]+)"', text):
        yield f"it includes {header} of its chapter"
    if "app::Command" in text:
        yield "it takes options of its own"
    if "<!-- listing: main.cpp -->" not in (main.parent / "README.md").read_text():
        yield "its page does not show the whole of it"


def main():
    project = pathlib.Path(sys.argv[1])
    faults = []
    for file in sorted(project.glob("chapters/*/main.cpp")):
        faults += [f"{file}: {fault}" for fault in faults_of_main(file)]
    for file in sorted(project.glob("chapters/*/programs/*.cpp")):
        lines = file.read_text().count("\n")
        if lines > OTHER:
            faults.append(f"{file}: it has {lines} lines; at most {OTHER} are allowed")
    print(*faults, f"{len(faults)} faults", sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
