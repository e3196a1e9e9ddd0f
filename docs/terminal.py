#!/usr/bin/env python3
"""Draws docs/terminal.svg: a learner's session with `./course check`, from a run of the tool.

    docs/terminal.py draw [--build DIR]    plays the session and draws what the tool printed
    docs/terminal.py check [--build DIR]   plays it again and tells where the picture differs; CTest calls it

A wrong answer is checked, corrected and checked again. The exercise is in a course of its own in a
temporary directory, with the real tool and the real checker, so that your own file is not touched. Times
may differ from run to run. Needs the targets course-tool, td_device and check_ch01. Invariant: every line
of output in the picture is one that the tool printed.
"""

import argparse
import difflib
import fcntl
import html
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/terminal.svg"
CHAPTER, EXERCISE = "01_device_check", "first_device"
FILE = f"chapters/{CHAPTER}/exercises/{EXERCISE}.cpp"
WRONG = '  return td::Device("cuda:0");\n'
RIGHT = '  return gpus > 0 ? td::Device("cuda:0") : td::Device("cpu");\n'
BLANK = re.compile(r"  // Your code here.*?not_done_yet\(.*?\);\n", re.S)
COLUMNS, LINE, LETTER, MARGIN = 104, 19, 8.0, 16
SGR = re.compile(r"\x1b\[([\d;]*)m")
STYLES = {
    "1": "bold",
    "2": "dim",
    "31": "red",
    "32": "green",
    "33": "yellow",
    "34": "blue",
    "36": "cyan",
    "90": "dim",
    "91": "red",
    "92": "green",
    "93": "yellow",
    "94": "blue",
    "96": "cyan"
}
# As tools do it that build one exercise: the library of the learner's file, where the tool looks for it.
BUILD = """cmake_minimum_required(VERSION 3.25)
project(learner CXX)
add_library(mine_ch01_{exercise} SHARED "{root}/{file}")
target_compile_features(mine_ch01_{exercise} PRIVATE cxx_std_20)
target_include_directories(mine_ch01_{exercise} PRIVATE "{source}/common" "{root}/chapters/{chapter}/exercises")
set_target_properties(mine_ch01_{exercise} PROPERTIES OUTPUT_NAME ch01_{exercise}
  LIBRARY_OUTPUT_DIRECTORY "${{CMAKE_BINARY_DIR}}/exercises/mine")
add_custom_target(check_ch01)
"""
SVG_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" \
width="{width}" height="{height}" font-size="13" xml:space="preserve" \
font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace">
<title>A session of ./course check: a wrong answer fails, it is corrected, and it passes</title>
<style>
svg {{ fill: #1f2328; max-width: 100%; height: auto }} text {{ white-space: pre }}
.page {{ fill: #f6f8fa; stroke: #d8dee4 }} .prompt, .dim {{ fill: #59636e }} .bold {{ font-weight: bold }}
.red {{ fill: #b3261e }} .green {{ fill: #1a7f37 }} .yellow {{ fill: #7d4e00 }}
.blue {{ fill: #0550ae }} .cyan {{ fill: #0a6b78 }}
@media (prefers-color-scheme: dark) {{
svg {{ fill: #e6edf3 }}
.page {{ fill: #0d1117; stroke: #30363d }} .prompt, .dim {{ fill: #9198a1 }}
.red {{ fill: #ff7b72 }} .green {{ fill: #56d364 }} .yellow {{ fill: #e3b341 }}
.blue {{ fill: #79c0ff }} .cyan {{ fill: #76e3ea }}
}}
</style>
<rect class="page" x="0.5" y="0.5" width="{inner_width}" height="{inner_height}" rx="8"/>
"""


def make_course(folder, build):
    """A course whose only file of its own is the exercise. Returns its root and its build directory."""
    root, own = folder / "course", folder / "build"
    # Copied, because the tool prints the paths of these files, and it would resolve links.
    shutil.copytree(ROOT / "chapters" / CHAPTER, root / "chapters" / CHAPTER)
    for path in [*ROOT.glob("chapters/*"), ROOT / "solutions", ROOT / "tests"]:
        if not (root / path.relative_to(ROOT)).exists():
            (root / path.relative_to(ROOT)).symlink_to(path)
    (own / "chapters").mkdir(parents=True)
    (own / "chapters/check_ch01").symlink_to(build / "chapters/check_ch01")
    project = folder / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        BUILD.format(exercise=EXERCISE, root=root, file=FILE, source=ROOT, chapter=CHAPTER))
    subprocess.run(["cmake", "-G", "Ninja", "-S", project, "-B", own], check=True, stdout=subprocess.DEVNULL)
    return root, own


def on_terminal(words):
    """What a command prints on a terminal, escape sequences for color included."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    environment = {
        k: v
        for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS") and not k.startswith("TD_")
    }
    environment.update(TERM="xterm-256color", LANG="C.UTF-8", LC_ALL="C.UTF-8")
    with subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        output = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # how Linux reports that nobody holds the other end any longer
                break
            if not part:
                break
            output += part
    os.close(master)
    # A line that was overwritten ends as what was written last; \x1b[K clears what was there.
    text = output.decode().replace("\x1b[K", "").rstrip("\n")
    return [line.rstrip("\r").split("\r")[-1] for line in text.split("\n")]


def play(build):
    """The session as (style of the whole line, text) pairs; an empty style leaves the tool's own colors."""
    stub = subprocess.run(
        [build / "tools/course/course-tool", "cut", ROOT / "solutions" / CHAPTER / f"{EXERCISE}.cpp"],
        capture_output=True,
        text=True,
        check=True).stdout
    answers = [BLANK.sub(lambda _: answer, stub) for answer in (WRONG, RIGHT)]
    if stub in answers or answers[0] == answers[1]:
        sys.exit(f"terminal: the stub of {EXERCISE} has no blank that an answer replaces:\n{stub}")
    with tempfile.TemporaryDirectory() as name:
        root, own = make_course(pathlib.Path(name), build)
        tool = [build / "tools/course/course-tool", "--root", root, "--build", own, "check", f"1.{EXERCISE}"]
        lines = []
        for number, answer in enumerate(answers):
            if number:
                lines += [("prompt", f"$ nano {FILE}"), *changes(*answers), ("", "")]
            (root / FILE).write_text(answer)
            lines += [("prompt", f"$ ./course check 1.{EXERCISE}"),
                      *(("", line) for line in on_terminal(tool)), ("", "")]
    return lines[:-1]


def changes(before, after):
    """The lines that an edit removed and added."""
    for line in difflib.ndiff(before.splitlines(), after.splitlines()):
        if line[0] in "-+":
            yield "red" if line[0] == "-" else "green", f"{line[0]} {line[2:]}"


def pieces(style, text):
    """A line as (class, text) pairs, by the escape sequences in it."""
    current, at = style, 0
    for match in SGR.finditer(text):
        yield current, text[at:match.start()]
        codes = match[1].split(";")
        current = " ".join(STYLES[code] for code in codes if code in STYLES) or style
        at = match.end()
    yield current, text[at:]


def drawn(lines):
    """The SVG of a session."""
    rows = []
    for style, text in lines:
        plain = SGR.sub("", text)
        # A line that is longer than the terminal is wide is broken as a terminal does it.
        rows += [(style, text)] if len(plain) <= COLUMNS else [(style, plain[at:at + COLUMNS])
                                                               for at in range(0, len(plain), COLUMNS)]
    width, height = int(COLUMNS * LETTER + 2 * MARGIN), len(rows) * LINE + 2 * MARGIN
    parts = [SVG_HEAD.format(width=width, height=height, inner_width=width - 1, inner_height=height - 1)]
    for row, (style, text) in enumerate(rows):
        spans = "".join(f'<tspan class="{name}">{html.escape(part)}</tspan>' if name else html.escape(part)
                        for name, part in pieces(style, text) if part)
        if spans:
            parts.append(f'<text x="{MARGIN}" y="{MARGIN + row * LINE + 14}">{spans}</text>\n')
    return "".join(parts) + "</svg>\n"


def texts(svg):
    """The lines that a reader sees, with times left open."""
    lines = re.findall(r"<text [^>]*>(.*?)</text>", svg)
    return [
        re.sub(r"\d+(?:\.\d+)? (m?s)\b", r"… \1", html.unescape(re.sub(r"<[^>]*>", "", line)))
        for line in lines
    ]


def main():
    parser = argparse.ArgumentParser(description="Draws a learner's session with ./course check.")
    parser.add_argument("action", choices=["draw", "check"])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--picture", type=pathlib.Path, default=PICTURE)
    options = parser.parse_args()
    svg = drawn(play(options.build.resolve()))
    if options.action == "draw":
        options.picture.write_text(svg)
        return 0
    expected = texts(options.picture.read_text()) if options.picture.exists() else []
    difference = [line for line in difflib.ndiff(expected, texts(svg)) if line[0] != " "]
    if difference:
        print("docs/terminal.svg shows another session than the tool prints; type  docs/terminal.py draw",
              *difference,
              sep="\n")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
