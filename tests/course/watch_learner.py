"""A learner of the fixture course who runs `./course watch`: what watch_test.py works with.

The tool and the folders are the words on the command line, as watch_test.py explains.
Invariant: without pyte the process ends with exit code 77, which CTest counts as skipped.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import termios

from terminal import Terminal

try:
    import pyte
except ImportError:
    print("skipped: there is no pyte; sudo apt-get install python3-pyte")
    sys.exit(77)

TOOL, BUILD, FIXTURE, LEARNER = sys.argv[1:5]
CHAPTER = pathlib.Path(LEARNER, "chapters/91_warm_up/exercises")
ANSWERS = pathlib.Path(FIXTURE, "solutions/91_warm_up")
DOUBLE, SUM = CHAPTER / "double_all.cpp", CHAPTER / "running_sum.cpp"
SOLVED = (ANSWERS / "double_all.cpp").read_text()
WRONG = '#include "exercises.h"\nvoid double_all(const std::vector<float>&, std::vector<float>&) {}\n'
BROKEN = '#include "exercises.h"\n' + "".join(f'int broken{i} = "text";\n' for i in range(9))
ENDLESS = ('#include <unistd.h>\n#include "exercises.h"\n'
           "void double_all(const std::vector<float>&, std::vector<float>&) { while (true) pause(); }\n")
SIGNALS = {"Ctrl-C": "\x03", "Ctrl-Z": "\x1a"}
UP, PAGE_DOWN, ENTER = "\x1b[A", "\x1b[6~", "\r"


def lines_of_watch(*words):
    """`watch` without a terminal."""
    return subprocess.Popen(command("watch", *words), stdout=subprocess.PIPE, text=True, env=environment())


def new_learner():
    shutil.rmtree(LEARNER, ignore_errors=True)
    shutil.copytree(FIXTURE, LEARNER)


def command(*words):
    return [TOOL, "--root", LEARNER, "--build", BUILD, *words]


def environment(**changes):
    unwanted = ("NO_COLOR", "LC_ALL", "COLUMNS")
    clean = {name: value for name, value in os.environ.items() if name not in unwanted}
    # pyte is a Linux console: it has no second screen and cannot scroll a part of one.
    return clean | {"TERM": "linux", "LANG": "C.UTF-8", "TD_CHECK_TIME_LIMIT": "60"} | changes


class Watch(Terminal):
    """`watch` on a screen."""

    def __init__(self, *words, columns=100, rows=30, whole=None, **changes):
        self.screen = pyte.Screen(columns, rows)
        super().__init__(whole or command("watch", *words), environment(**changes), columns, rows,
                         pyte.ByteStream(self.screen))

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        super().resize(columns, rows)

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def sees(self, *texts, seconds=30):
        """Fails unless all texts are on the screen at once before `seconds` are over."""
        if self.wait_until(lambda: all(text in self.text() for text in texts), seconds) is None:
            raise AssertionError(f"expected {texts} on the screen:\n{self.text()}")

    def is_as_before(self):
        assert termios.tcgetattr(self.theirs) == self.settings, "the terminal's settings have changed"
        assert self.output.rstrip().endswith(b"continues here."), self.output[-200:]


def checkers():
    """The processes of the fixture's checker that run now."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if b"/check_ch91" in (folder / "cmdline").read_bytes():
                found.append(folder.name)
        except OSError:
            pass
    return found
