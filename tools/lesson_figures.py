#!/usr/bin/env python3
"""Measures the figures of the lessons and fills them into the pages.

    tools/lesson_figures.py measure [--rounds 3] [CHAPTER...]   runs the commands, writes docs/measurements/figures.json
    tools/lesson_figures.py write                               fills the figures into the pages
    tools/lesson_figures.py check                               says where a page differs from figures.json; CTest calls it

All figures come from one machine that does nothing else, so that chapters do not contradict each other. A page has
three marks:

    <!-- measured: ./course run 9 split --device sim -->                before a fenced block: all that the program printed
    <!-- measured: ./course run 9 split | batch .. ^sum -->             the lines from the first match of one expression
                                                                        to the next match of another, or the first
                                                                        match alone; several after semicolons
    <!-- figure: NAME -->529<!-- / -->                                  one number, described in figures.toml
    <!-- machine -->...<!-- / -->                                       where and when the figures were measured

figures.toml, next to figures.json, has a table per figure: `run`, the command, and `find`, a regular expression whose
group is the number; optional `pick` ("last", "first" or "max" of several matches, "last" without it) and `digits`.
The commands run in rounds, one after another; a figure is the median over the rounds, with the least and the largest
in figures.json. Invariant: no figure is written by hand.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs/measurements/figures.json"
NAMES = ROOT / "docs/measurements/figures.toml"
BLOCK = re.compile(r"<!-- measured: (.+?)(?: \| (.+?))? -->\n+```[a-z]*\n(.*?)```", re.S)
INLINE = re.compile(r"<!-- figure: (\w+) -->(.*?)<!-- / -->", re.S)
MACHINE = re.compile(r"<!-- machine -->(.*?)<!-- / -->", re.S)
PATIENCE = 600


def pages():
    return sorted([*ROOT.glob("chapters/[0-9]*/README.md"), *ROOT.glob("docs/measurements/*.md"), ROOT / "README.md"])


def names():
    return tomllib.loads(NAMES.read_text()) if NAMES.exists() else {}


def commands():
    """All commands, in the order of the chapters; each once."""
    found = [match.group(1) for page in pages() for match in BLOCK.finditer(page.read_text())]
    found += [entry["run"] for entry in names().values()]
    return sorted(set(found), key=lambda command: int(re.search(r"(?:run|launch -n \d+) (\d+)", command).group(1)))


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    return re.search(r"model name\s*: (.*)", text).group(1)


def run(command):
    """What one run printed. @throws on failure, because a number of a failed run is not valid."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
    settings = re.match(r"(?:\w+=\S+ )*", command).group()
    environment.update(setting.split("=", 1) for setting in settings.split())
    done = subprocess.run(command[len(settings):].split(), cwd=ROOT, env=environment, timeout=PATIENCE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}")
    # The output of ./course during a build is not the program's.
    return "".join(line + "\n" for line in done.stdout.splitlines() if not re.match(r"(?:build|CUDA|setup): ", line))


def picked(entry, name, output):
    found = [float(text.replace(",", "")) for text in re.findall(entry["find"], output, re.M)]
    if not found:
        sys.exit(f"{name}: \"{entry['find']}\" is not in the output of {entry['run']}:\n{output}")
    return {"first": found[0], "last": found[-1], "max": max(found)}[entry.get("pick", "last")]


def measure(rounds, chapters):
    state = json.loads(FIGURES.read_text()) if FIGURES.exists() else {"outputs": {}, "figures": {}}
    wanted = [command for command in commands()
              if not chapters or re.search(r"(?:run|launch -n \d+) (\d+)", command).group(1) in chapters]
    outputs = {command: [] for command in wanted}
    for number in range(rounds):
        for command in wanted:
            print(f"round {number + 1} of {rounds}: {command}", flush=True)
            outputs[command].append(run(command))
    for command, printed in outputs.items():
        state["outputs"][command] = printed[-1].splitlines()
    for name, entry in names().items():
        if entry["run"] in outputs:
            values = [picked(entry, name, output) for output in outputs[entry["run"]]]
            state["figures"][name] = {"median": statistics.median(values), "least": min(values), "largest": max(values)}
    state["outputs"] = {c: state["outputs"][c] for c in commands() if c in state["outputs"]}
    state["figures"] = {n: state["figures"][n] for n in names() if n in state["figures"]}
    if not chapters:  # one machine, one series of runs: only then do the figures belong together
        state["machine"] = f"{processor()}, {os.cpu_count()} virtual cores, {datetime.date.today().isoformat()}"
    state["rounds"] = rounds
    FIGURES.write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n")


def chosen(lines, ranges):
    """The lines of `^first .. ^last; ^another`; all of them where `ranges` is None."""
    found = [] if ranges else lines
    for part in (ranges or "").split("; ") if ranges else []:
        first, _, last = part.partition(" .. ")
        begin = next(i for i, line in enumerate(lines) if re.search(first, line))
        end = next(i for i in range(begin, len(lines)) if re.search(last, lines[i])) if last else begin
        found += lines[begin:end + 1]
    return [line.rstrip() for line in found]


def spoken(entry, figure):
    digits = entry.get("digits", 0)
    return f"{figure['median']:,.{digits}f}"


def filled(text):
    """The page with all figures; those that were never measured stay as they are."""
    state = json.loads(FIGURES.read_text())
    entries = names()

    def block(match):
        command, ranges, _ = match.groups()
        if command not in state["outputs"]:
            return match.group()
        lines = chosen(state["outputs"][command], ranges)
        mark = match.group().split("-->\n")[0] + "-->\n"
        return mark + f"```\n$ {command}\n" + "".join(line + "\n" for line in lines) + "```"

    def inline(match):
        name = match.group(1)
        if name not in entries:
            sys.exit(f"figures.toml has no figure {name}")
        if name not in state["figures"]:
            return match.group()
        return f"<!-- figure: {name} -->{spoken(entries[name], state['figures'][name])}<!-- / -->"

    text = INLINE.sub(inline, BLOCK.sub(block, text))
    return MACHINE.sub(lambda _: f"<!-- machine -->{state.get('machine', 'not measured')}<!-- / -->", text)


def main():
    parser = argparse.ArgumentParser(description="Measures the figures of the lessons and fills them into the pages.")
    parser.add_argument("action", choices=["measure", "write", "check"])
    parser.add_argument("chapters", nargs="*", help="only these chapters' commands")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.action == "measure":
        measure(options.rounds, options.chapters)
        return
    differing = []
    for page in pages():
        before = page.read_text()
        after = filled(before)
        if after != before:
            differing.append(str(page.relative_to(ROOT)))
            if options.action == "write":
                page.write_text(after)
    missing = [c for c in commands() if c not in json.loads(FIGURES.read_text())["outputs"]]
    if options.action == "check":
        lines = [f"{page}: its figures are not those of figures.json; type tools/lesson_figures.py write" for page in differing]
        lines += [f"never measured: {command}" for command in missing]
        print("\n".join([*lines, f"{len(lines)} faults"]))
        sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
