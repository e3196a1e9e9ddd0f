#!/usr/bin/env python3
"""Draws the pictures of the pages again, from real runs: the list is docs/pictures.toml.

    tools/pictures.py list                     every picture and its command
    tools/pictures.py write [FILE...]          draws all, or those whose path has one of these words in it
    tools/pictures.py check [PROGRAM_FOLDER]   says what is wrong with the pictures; CTest calls it
    tools/pictures.py self-test                checks that planted faults are found

Draw timelines on a machine that does nothing else. `check` checks no times: each picture must be listed, in a page,
readable on a phone in both modes, and made by a command that the programs in PROGRAM_FOLDER know; those marked
`exact` are drawn again and compared. Pictures that explain an idea without data are drawn by hand: they lie in
chapters/*/pictures without a line in the list, and must be as readable. Invariant: it changes no such picture.
"""

import argparse
import importlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

sys.dont_write_bytecode = True
import course_command  # noqa: E402
from drawings import readable  # noqa: E402
from drawings.frame import ROOT  # noqa: E402

LIST = ROOT / "docs/pictures.toml"
CANNOT_RUN_HERE = 77  # a program's exit code on a machine that lacks what it needs
PATIENCE = 600


class CannotRun(Exception):
    """A command failed, or cannot run on this machine."""


def run(command, ends=0):
    """What the command prints. @throws CannotRun with the command and the end of its output."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
    done = subprocess.run(command, shell=True, cwd=ROOT, env=environment, timeout=PATIENCE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != ends:
        tail = "\n".join(done.stdout.splitlines()[-5:])
        why = "cannot run here" if done.returncode == CANNOT_RUN_HERE else f"exit code {done.returncode}"
        raise CannotRun(f"{command}\n{why}:\n{tail}")
    return done.stdout


def drawn(entry, command):
    """The text of one picture. `command` is the one of the list, or its replacement."""
    drawing = importlib.import_module(f"drawings.{entry['draw']}") if "draw" in entry else None
    with tempfile.TemporaryDirectory() as folder:
        if "build" in entry:
            run(f"cmake --build --preset release --target {entry['build']}")
        file = pathlib.Path(folder) / "picture.svg"
        printed = run(command.format(file=file, folder=folder), entry.get("ends", 0)) if command else ""
        if drawing:
            return drawing.draw(printed)
        if "name" in entry:
            file = (ROOT if "/" in entry["name"] else pathlib.Path(folder)) / entry["name"]
        if not file.exists():
            raise CannotRun(f"{command}\nwrote no {file.name}")
        return file.read_text()


def write(entries):
    """Draws each picture into its file; returns the faults."""
    faults = []
    for entry in entries:
        try:
            text = drawn(entry, entry.get("run"))
            (ROOT / entry["file"]).write_text(text)
            print(f"{entry['file']}: {len(text)} bytes", flush=True)
        except (CannotRun, ValueError) as error:
            faults.append(f"{entry['file']} is as it was: {error}")
    return faults


def with_program(command, programs):
    """The same command, for a program that is already built. @throws CannotRun if there is none."""
    typed = course_command.parsed(command)
    try:
        words = typed.built(programs)
    except course_command.NotBuilt as error:
        raise CannotRun(f"{command}: {error}") from error
    return " ".join([*(f"{name}={value}" for name, value in typed.settings.items()), *map(str, words)])


def faults_of_command(entry, programs):
    """Options that the program does not know, output that cannot be drawn, and a picture with another result."""
    command = entry.get("run", "")
    typed = course_command.parsed(command)
    if programs and typed:
        try:
            program, options = typed.program(programs)
        except course_command.NotBuilt as error:
            raise CannotRun(f"{command}: {error}") from error
        known = set(re.findall(r"--[\w-]+", run(f"{program} --help")))
        for option in options:
            if option.startswith("--") and option not in known:
                yield f"its command has {option}, which {program} does not list"
    if "draw" in entry and (programs or not command):
        text = drawn(entry, command and with_program(command, programs))
        if entry.get("exact") and text != (ROOT / entry["file"]).read_text():
            yield f"it comes out otherwise now; type tools/pictures.py write {entry['file']}"


def by_hand(entries, root=ROOT):
    """Entries of the pictures that are drawn by hand."""
    listed = {entry["file"] for entry in entries}
    found = sorted(path.relative_to(root).as_posix() for path in root.glob("chapters/*/pictures/*.svg"))
    return [{"file": name} for name in found if name not in listed]


def check(entries, programs, root=ROOT):
    """All faults, a line each."""
    faults, entries = [], [*entries, *by_hand(entries, root)]
    listed = [entry["file"] for entry in entries]
    faults += [f"{name}: docs/pictures.toml lists it twice" for name in sorted(set(listed)) if listed.count(name) > 1]
    there = {path.relative_to(root).as_posix() for folder in ("chapters", "docs") for path in root.glob(f"{folder}/**/*.svg")}
    faults += [f"{name}: docs/pictures.toml has no command for it" for name in sorted(there - set(listed))]
    pages = [*root.glob("*.md"), *root.glob("chapters/*/README.md"), *root.glob("docs/**/*.md")]
    used = readable.uses(pages, root)
    for entry in entries:
        name = entry["file"]
        if name not in there:
            faults.append(f"{name} is missing; type tools/pictures.py write {name}")
            continue
        found = [*readable.faults_of((root / name).read_text(), entry.get("wide", False))]
        try:
            found += faults_of_command(entry, programs)
        except (CannotRun, ValueError) as error:
            found.append(str(error))
        if not any(len(words) >= 20 for words in used.get(name, [])):
            found.append("no page shows it with a text of at least 20 characters that says what it shows")
        faults += [f"{name}: {fault}" for fault in found]
    return faults


def self_test():
    """A right picture passes; each planted fault is found."""
    frame = importlib.import_module("drawings.frame")
    picture = frame.Picture()
    picture.text(8, 20, "one")
    right = picture.finish(40)
    cases = [("chapters/a/x.svg", right, "![a text that is long enough](x.svg)", 0),
             ("chapters/a/y.svg", right, "![a text that is long enough](x.svg)", 2),
             ("chapters/a/x.svg", right, "![short](x.svg)", 1), ("chapters/a/x.svg", right, "none", 1)]
    cases += [("chapters/a/pictures/x.svg", right, "![a text that is long enough](pictures/x.svg)", 0),
              ("chapters/a/pictures/x.svg", right, "none", 1)]
    cases += [("chapters/a/x.svg", text, "![a text that is long enough](x.svg)", 1) for text in readable.faulty(right)]
    for name, text, page, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder) / "chapters/a"
            hand = name.startswith("chapters/a/pictures/")
            (at / "pictures").mkdir(parents=True)
            (at / ("pictures/x.svg" if hand else "x.svg")).write_text(text)
            (at / "README.md").write_text(page)
            found = check([] if hand else [{"file": name, "draw": "layers"}], None, pathlib.Path(folder))
        if len(found) != expected:
            sys.exit(f"self-test: expected {expected} faults, found {found} with {page} and\n{text}")
    print(f"{len(cases)} cases as expected")
    return []


def main():
    parser = argparse.ArgumentParser(description="Draws the pictures of the pages from real runs, and checks them.")
    parser.add_argument("action", choices=["list", "write", "check", "self-test"])
    parser.add_argument("words", nargs="*", help="write: only pictures with one of these words in their path; "
                                                 "check: the directory of the chapters' programs")
    options = parser.parse_args()
    entries = tomllib.loads(LIST.read_text())["picture"]
    if options.action == "list":
        for entry in entries:
            print(f"{entry['file']}\n    {entry.get('run', 'tools/drawings/' + entry.get('draw', '') + '.py')}")
        return 0
    if options.action == "self-test":
        faults = self_test()
    elif options.action == "check":
        faults = check(entries, pathlib.Path(options.words[0]).resolve() if options.words else None)
    else:
        chosen = [entry for entry in entries if not options.words or any(word in entry["file"] for word in options.words)]
        if not chosen:
            parser.error(f"no picture has {' or '.join(options.words)} in its path; see tools/pictures.py list")
        faults = write(chosen)
    count = len(entries) + len(by_hand(entries))
    print("\n".join([*faults, f"{count} pictures, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
