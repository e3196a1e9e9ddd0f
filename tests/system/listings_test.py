#!/usr/bin/env python3
"""Holds the chapters' READMEs equal to the code and to what the programs print.

    listings_test.py SOURCE_ROOT PROGRAM_FOLDER     checks every chapters/*/README.md
    listings_test.py --self-test                    checks that planted faults are found
    listings_test.py --write SOURCE_ROOT            authors: brings the listings up to date

`<!-- listing: main.cpp#name -->` before a fenced block: the block is what stands between
`// anchor: name` and `// anchor end` in that file of the chapter; without `#name`, it is the whole file.
`<!-- output -->` before a fenced block: the first line is the command, `$ ./course run 2 --device sim`, and the rest is what
the program prints, stdout and stderr together. `./course launch -n 2 6 ...` starts it as several ranks, `./course cuda
chapters/FILE` a CUDA program. `…` in a line stands for any text, a line `…` for any lines; what changes from run to run, or
with the machine, is written so. `<!-- output (exit code 1) -->`: the program ends with 1, and not with 0.
`<!-- answer: ./course run 2 --device sim -->` begins the answer of a prediction, which ends with
`</details>`: every number in bold there is one that the program prints.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import course_command  # noqa: E402

LISTING = re.compile(r"<!-- listing: (.+?) -->\n+```[a-z]*\n(.*?)```", re.S)
OUTPUT = re.compile(r"<!-- output(?: \(exit code (\d+)\))? -->\n+```[a-z]*\n\$ (.+?)\n(.*?)```", re.S)
ANSWER = re.compile(r"<!-- answer: (.+?) -->(.*?)</details>", re.S)
BOLD = re.compile(r"\*\*(.+?)\*\*", re.S)
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
ANY = "…"
CANNOT_RUN_HERE = 77  # a program's exit code on a machine that lacks what it needs


def anchored(file, name):
    """The lines of one anchor, or None."""
    match = re.search(rf"^\s*// anchor: {re.escape(name)}\n(.*?)^\s*// anchor end$", file.read_text(),
                      re.S | re.M)
    return match and match.group(1)


def agrees(expected, printed):
    """Whether the printed text is the expected one, with … for anything."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == ANY:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split(ANY)) + r"[ \t]*\n"
    return re.fullmatch(pattern, printed if printed.endswith("\n") else printed + "\n") is not None


def check_listing(chapter, what, block):
    path, _, name = what.partition("#")
    file = chapter / path
    if not file.exists():
        return f"there is no {path}"
    code = anchored(file, name) if name else file.read_text()
    if code is None:
        return f"{path} has no anchor {name}"
    if code.rstrip() != block.rstrip():
        return f"the listing {what} is not what stands in {path}:\n{code}"
    return None


def run_command(chapter, line, programs, code=""):
    """What the program prints, None where it cannot run here, or a fault as the second value."""
    if line.startswith("./course cuda chapters/"):
        return run_cuda(line, code, programs, chapter.parent.parent)
    command = course_command.parsed(line)
    if not command or command.chapter != int(chapter.name[:2]):
        return None, f"cannot run \"{line}\": write ./course run {int(chapter.name[:2])} OPTIONS"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
    try:
        run = subprocess.run(command.built(programs), env=environment | command.settings, timeout=120,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except course_command.NotBuilt as error:
        return None, str(error)
    if run.returncode == CANNOT_RUN_HERE and not code:
        return None, None
    if run.returncode != int(code or 0):
        return None, f"\"{line}\" ended with exit code {run.returncode}:\n{run.stdout}"
    return run.stdout, None


def run_cuda(line, code, programs, root):
    """The same for a whole CUDA program, on the CPU."""
    tool = pathlib.Path(programs).resolve().parent / "tools/course/course-tool"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
    run = subprocess.run([tool, *line.split()[1:], "--cpu"], env=environment, timeout=300, cwd=root, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode != int(code or 0):
        return None, f"\"{line}\" ended with exit code {run.returncode}:\n{run.stdout}"
    return re.sub(r"^(building \[|another command builds).*\n", "", run.stdout, flags=re.M), None


def check_output(chapter, code, line, block, programs):
    printed, fault = run_command(chapter, line, programs, code)
    if printed is not None and not agrees(block, printed):
        return f"\"{line}\" prints something else:\n{printed}"
    return fault


def numbers(text):
    """The numbers of a text, with 1,024 and 1024 alike."""
    return {number.replace(",", "") for number in NUMBER.findall(text)}


def check_answer(chapter, what, text, programs):
    claimed = numbers(" ".join(BOLD.findall(text)))
    if not claimed:
        return f"the answer held to \"{what}\" has no number in bold"
    printed, fault = run_command(chapter, what, programs)
    if printed is None:
        return fault
    unseen = claimed - numbers(printed)
    return unseen and f"\"{what}\" does not print {', '.join(sorted(unseen))}, but\n{printed}"


def check_readme(readme, programs):
    """All faults of one README, and how many marks it has."""
    text, chapter = readme.read_text(), readme.parent
    found = [check_listing(chapter, *parts) for parts in LISTING.findall(text)]
    found += [check_output(chapter, *parts, programs) for parts in OUTPUT.findall(text)]
    found += [check_answer(chapter, *parts, programs) for parts in ANSWER.findall(text)]
    count, faults = len(found), [f"{readme}: {fault}" for fault in found if fault]
    written = len(re.findall(r"<!-- (?:listing|output|answer)\b", text))
    if written != count:
        faults.append(f"{readme}: {written - count} marks are not followed by what they announce")
    if count == 0:
        faults.append(f"{readme}: no listing and no output is held to anything")
    return faults, count


def write_listings(readme):
    """Puts the anchored code into the listings of one README; outputs are left alone."""
    def renewed(match):
        what, _ = match.groups()
        path, _, name = what.partition("#")
        file = readme.parent / path
        code = anchored(file, name) if name else file.read_text()
        return match.group(0) if code is None else f"<!-- listing: {what} -->\n```cpp\n{code}```"
    readme.write_text(LISTING.sub(renewed, readme.read_text()))


def self_test():
    """A right README passes; each planted fault is found."""
    with tempfile.TemporaryDirectory() as folder:
        chapter = pathlib.Path(folder) / "02_x"
        chapter.mkdir()
        (chapter / "main.cpp").write_text("// anchor: a\nint x;\n// anchor end\nint y;\n")
        programs = pathlib.Path(folder) / "chapters"
        programs.mkdir()
        program = programs / "ch02_x"
        program.write_text("#!/bin/sh\necho one 1.5 s\necho two\necho $1\n")
        program.chmod(0o755)
        tool = pathlib.Path(folder) / "tools/course/course-tool"
        tool.parent.mkdir(parents=True)
        tool.write_text("#!/bin/sh\necho $1 $2 $3\nshift 3\n\"$@\"\n")
        tool.chmod(0o755)
        listing = "<!-- listing: main.cpp#a -->\n```cpp\nint x;\n```\n"
        output = "<!-- output -->\n```\n$ ./course run 2 --device\none … s\n…\n--device\n```\n"
        answer = "<!-- answer: ./course run 2 -->\nIt takes **1.5 s**, not 3.\n</details>\n"
        launched = output.replace("run 2", "launch -n 3 2").replace("one", "launch -n 3\none")
        cases = [(listing + output, 0), (launched, 0), (launched.replace("-n 3\n", "-n 2\n"), 1),
                 (listing.replace("x;", "z;"), 1),
                 (listing.replace("#a", "#b"), 1), (output.replace("\n--device\n", "\nsim\n"), 1),
                 (output.replace("run 2", "run 3"), 1), (output.replace("t -->", "t (exit code 1) -->"), 1),
                 (output.replace("```\n$", "$"), 1), (output.replace("$ ", ""), 1), ("no marks\n", 1), (answer, 0),
                 (answer.replace("1.5", "2.5"), 1), (answer.replace("**", ""), 1),
                 (answer.replace("</details>", ""), 1)]
        for text, faults in cases:
            (chapter / "README.md").write_text(text)
            found = check_readme(chapter / "README.md", programs)[0]
            if (len(found) > 0) != (faults > 0):
                sys.exit(f"self-test: expected {faults} faults, found {found} in:\n{text}")
        print(f"{len(cases)} cases as expected")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1] == "--write":
        for readme in pathlib.Path(sys.argv[2]).glob("chapters/[0-9]*/README.md"):
            write_listings(readme)
        return None
    root, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    faults, count = [], 0
    for readme in sorted(root.glob("chapters/[0-9]*/README.md")):
        more, marks = check_readme(readme, programs)
        faults, count = faults + more, count + marks
    print("\n".join(faults + [f"{count} listings and outputs, {len(faults)} faults"]))
    return sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
