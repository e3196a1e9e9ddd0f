#!/usr/bin/python3
"""`./course watch` as its user meets it: watch_test.py TOOL BUILD FIXTURE LEARNER [TEST...].

Called by CTest. Drives the tool through a pseudo-terminal, with pyte as the terminal that a person looks at.
LEARNER becomes a copy of the fixture course FIXTURE. Exit code 77 where there is no pyte (python3-pyte).
Invariant: a test waits for what it expects to see, never for a time.
"""

import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import termios
import time

from terminal import Terminal
from watch_learner import (ANSWERS, BROKEN, BUILD, CHAPTER, checkers, command, DOUBLE, ENDLESS, ENTER,
                           environment, LEARNER, lines_of_watch, new_learner, PAGE_DOWN, SIGNALS, SOLVED,
                           SUM, UP, Watch, WRONG)


def save_to_verdict_and_keys():
    with Watch() as watch:
        watch.sees("91.double_all  Double every element", "chapters/91_warm_up/exercises/double_all.cpp",
                   "not done yet", "0/2",
                   "Edit the file and save it", "Next: 91.running_sum", "h hint")
        watch.press("n")
        watch.sees("Not passed yet.")
        watch.press("s")
        watch.sees("h gives a hint; after the last one, s shows the solution.")
        watch.press("h")
        watch.sees("hint 1 of 2: One loop", "The next one: h")
        watch.press("h")
        watch.sees("hint 2 of 2: Write out[i]", "the solution, next to yours: s")
        watch.press("s")
        watch.sees("+++ solutions/91_warm_up/double_all.cpp")
        DOUBLE.write_text(WRONG)
        watch.sees("fail  (", "index 0: expected 1, got -7e+33: this element was never written")
        assert "hint 1" not in watch.text()
        DOUBLE.write_text(SOLVED)
        watch.sees("pass  (", "1/2", "n goes to the next exercise")
        watch.press("n")
        watch.sees("chapters/91_warm_up/exercises/running_sum.cpp", "not done yet")
        watch.press("?")
        watch.sees("brings the original file back")
        watch.press(" ")
        watch.sees("not done yet: running_sum")
        watch.press("l")
        watch.sees("1 of 2 exercises passed", "   pass  91.double_all", " >       91.running_sum")
        watch.press(UP + ENTER)
        watch.sees("chapters/91_warm_up/exercises/double_all.cpp", "pass  (")
        # Another exercise that is saved becomes the one that is watched.
        (CHAPTER.parent / "README.md").write_text("**You will build** a sum\nof all.  And more. Then\n\nthis.\n")
        shutil.copy(ANSWERS / "running_sum.cpp", SUM)
        watch.sees("chapters/91_warm_up/exercises/running_sum.cpp", "2/2",
                   "Chapter 91, Warm up, is complete: 2 exercises",
                   "You have built a sum of all.", "./course run 91 --mine", "This was the last chapter")
        watch.press("q")
        assert watch.exit_code() == 0
        watch.is_as_before()
    everything = subprocess.run(command("watch"), capture_output=True, text=True, check=False)
    assert everything.returncode == 2 and "All exercises are passed." in everything.stderr, everything


def e_opens_the_editor():
    with Watch(EDITOR="", VISUAL="") as watch:
        watch.sees("not done yet  (")
        watch.press("e")
        watch.sees("EDITOR names no editor.")
        watch.press("q")
    # An editor with an option, which reads a line from the terminal and saves.
    editor = pathlib.Path(LEARNER, "my editor")
    editor.write_text(f'#!/bin/sh\necho "option $1"; read line; cp "$line" "$2"\n')
    editor.chmod(0o755)
    with Watch(EDITOR=f"'{editor}' --wait", VISUAL="") as watch:
        watch.sees("not done yet  (")
        watch.press("e")
        watch.sees("option --wait")
        watch.press(f"{ANSWERS / 'double_all.cpp'}\n")
        watch.sees("pass  (", "91.double_all")
        watch.press("q")
        assert watch.exit_code() == 0
        watch.is_as_before()


def reset_asks_first():
    with Watch() as watch:
        watch.sees("not done yet  (")
        watch.press("x")
        watch.sees("91.double_all is the original file already; nothing to do.")
        DOUBLE.write_text(SOLVED)
        watch.sees("pass  (")
        watch.press("xn")
        watch.press("x")
        watch.sees("Bring the original file of 91.double_all back?")
        assert DOUBLE.read_text() == SOLVED, "reset did not wait for an answer"
        watch.press("y")
        watch.sees("not done yet  (", "Your text is kept in .course/backup/91.double_all.",
                   "is the stub again")
        kept = list(pathlib.Path(LEARNER, ".course/backup").iterdir())
        assert [file.read_text() for file in kept] == [SOLVED]
        watch.press("c")  # clears the message
        watch.wait_until(lambda: "is kept in" not in watch.text())
        watch.sees("not done yet  (")


def every_size_and_long_texts():
    with Watch(columns=40, rows=16) as watch:
        watch.sees("not done yet  (")
        DOUBLE.write_text(BROKEN)
        watch.sees("fail  (", "it does not compile:", "exercises/double_all", ".cpp:2:", "(lines 1 to ", "q quit",
                   "91.double_all")
        watch.press(PAGE_DOWN)
        watch.wait_until(lambda: "(lines 1 to" not in watch.text())
        assert "it does not compile" not in watch.text()
        watch.press("l")
        watch.sees("l back  q quit")
        watch.press("l")
        for columns, rows in ((200, 50), (20, 5), (1, 1), (80, 24), (60, 8)):
            watch.resize(columns, rows)
            if columns > 1:
                watch.sees("91.double_all", "fail", "quit")
        watch.sees("? keys  q quit")
        watch.press("lq")  # from the list, too
        assert watch.exit_code() == 0


def colors_and_letters():
    def fails(**changes):
        with Watch(**changes) as watch:
            watch.sees("fail  (", "0/2")
            row = next(y for y, line in enumerate(watch.screen.display) if line.startswith("fail"))
            return watch.screen.buffer[row][0].fg, watch.text()
    DOUBLE.write_text(WRONG)
    color, text = fails()
    assert color == "red" and "░" in text, (color, text)
    color, text = fails(NO_COLOR="1", LANG="C", TERM="screen")
    assert color == "default" and text.isascii() and "----  0/2" in text, (color, text)
    # A locale that this machine does not have is still UTF-8.
    assert "░" in fails(LANG="xx_XX.UTF-8", TERM="tmux-256color")[1]


def plain_lines_where_nothing_can_be_drawn():
    for term in ("dumb", "no-such-terminal"):
        with Terminal(command("watch"), environment(TERM=term)) as watch:
            assert watch.wait_until(lambda: b"and save it." in watch.output) is not None, watch.output
            assert b"\x1b" not in watch.output and b"not done yet  91.double_all" in watch.output
            watch.press(SIGNALS["Ctrl-C"])
            assert watch.exit_code() == 130
            assert termios.tcgetattr(watch.theirs) == watch.settings


def one_verdict_for_each_save():
    with lines_of_watch("91.1") as watch:
        def verdict(expected, advice="Edit"):
            line = watch.stdout.readline()
            assert line.startswith(expected + "  91.double_all"), f"expected {expected}, got {line}"
            while not line.startswith(advice):
                assert line, "watch has ended"
                line = watch.stdout.readline()
        assert watch.stdout.readline().startswith("Watching the exercises. Save one")
        verdict("not done yet")
        DOUBLE.write_text(WRONG)
        verdict("fail")
        # vim: a backup by rename, then a new file. Others: a new file that takes the old one's place.
        DOUBLE.rename(CHAPTER / "double_all.cpp~")
        DOUBLE.write_text(SOLVED)
        verdict("pass", "Next: chapters/91_warm_up/exercises/running_sum.cpp")
        (CHAPTER / ".new").write_text(WRONG)
        (CHAPTER / ".new").rename(DOUBLE)
        verdict("fail")
        DOUBLE.unlink()
        verdict("fail", "  chapters/91_warm_up/exercises/double_all.cpp is missing; ./course reset")
        DOUBLE.write_text(SOLVED)
        verdict("pass", "Next")
        with DOUBLE.open("a") as file:  # in pieces: what counts is the end of the save
            for _ in range(3):
                file.write("// more\n")
                file.flush()
                time.sleep(0.06)
        verdict("pass", "Next")
        shutil.move(CHAPTER, LEARNER + "/away")  # as git does between branches
        verdict("fail", "  chapters/91_warm_up/exercises/double_all.cpp is missing; ./course reset")
        shutil.move(LEARNER + "/away", CHAPTER)
        verdict("pass", "Next")
        watch.send_signal(signal.SIGINT)
        rest = watch.stdout.read()
        assert rest == "", f"more verdicts than saves: {rest}"
        assert watch.wait() == 130


def polls_when_asked():
    with lines_of_watch("--poll") as watch:
        for expected in ("Watching", "not done yet"):
            assert watch.stdout.readline().startswith(expected)
        links = [os.readlink(f"/proc/{watch.pid}/fd/{name}") for name in os.listdir(f"/proc/{watch.pid}/fd")]
        assert "anon_inode:inotify" not in links, links
        DOUBLE.write_text(WRONG)
        while not watch.stdout.readline().startswith("fail"):
            assert watch.poll() is None
        watch.terminate()
        assert watch.wait() == 128 + signal.SIGTERM


def a_running_check_waits_for_nothing():
    DOUBLE.write_text(ENDLESS)
    with Watch() as watch:
        watch.sees("checking…")
        assert watch.wait_until(checkers) is not None, "the checker did not start"
        watch.press("?")
        watch.sees("Any key goes back.", seconds=2)
        watch.press(" ")
        DOUBLE.write_text(SOLVED)  # the limit of the endless one is 60 s
        watch.sees("pass  (", seconds=20)
        DOUBLE.write_text(ENDLESS)
        assert watch.wait_until(checkers) is not None, "the checker did not start again"
        watch.press("q")
        assert watch.exit_code(seconds=2) == 0, "quit waits for the check"
        watch.is_as_before()
        assert not checkers(), "the checker outlives watch"
    progress = pathlib.Path(LEARNER, ".course/progress.txt").read_text()
    assert "91.double_all passed" in progress, "a check that was ended has a verdict"


def waits_for_another_build():
    shutil.copy(ANSWERS / "double_all.cpp", DOUBLE)
    with open(BUILD + "/.lock", "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with Watch() as watch:
            watch.sees("checking…", "another command builds; waiting for it")
            watch.press("q")
            assert watch.exit_code(seconds=2) == 0, "quit waits for the other build"
        with lines_of_watch() as watch:
            assert watch.stdout.readline().startswith("Watching")
            assert watch.stdout.readline() == "another command builds; waiting for it\n"
            fcntl.flock(other, fcntl.LOCK_UN)
            assert watch.stdout.readline().startswith("pass  91.double_all")
            watch.terminate()


def runs_the_program():
    shutil.copy(ANSWERS / "double_all.cpp", DOUBLE)
    with Watch(WARM_UP_ASKS="1") as watch:
        watch.sees("pass  (")
        watch.press("r")
        watch.sees("./course run 91 --mine", "Your name?")
        watch.press("Ada" + ENTER)
        watch.sees("Hello, Ada", "2 4 6 ", "It ended with exit code 5. Enter goes back to watch.")
        watch.press(ENTER)
        watch.sees("pass  (", "q quit")
        # Ctrl-C ends the program and not watch.
        watch.press("r")
        watch.sees("Your name?")
        watch.press(SIGNALS["Ctrl-C"])
        watch.sees("It ended with exit code 130.")
        watch.press(ENTER)
        watch.sees("pass  (", "q quit")


def ends_and_stops_as_a_program_should():
    with Watch(TERM="xterm-256color") as watch:
        assert watch.wait_until(lambda: b"not done yet  (" in watch.output) is not None
        watch.press("q")
        assert watch.exit_code() == 0
        second_screen = [watch.output.count(b"\x1b[?1049" + end) for end in (b"h", b"l")]
        assert second_screen == [1, 1], f"the second screen is begun and ended {second_screen} times"
    for ask, code in ((lambda watch: watch.press(SIGNALS["Ctrl-C"]), 130),
                      (lambda watch: watch.process.send_signal(signal.SIGTERM), 128 + signal.SIGTERM)):
        with Watch() as watch:
            watch.sees("not done yet  (")
            ask(watch)
            assert watch.exit_code() == code
            watch.is_as_before()
    nowhere = pathlib.Path(LEARNER, ".course")
    shutil.rmtree(nowhere)
    nowhere.write_text("a file where a folder should be")
    with Watch() as watch:
        assert watch.exit_code() == 1
        assert "cannot write" in watch.text(), watch.text()
        assert termios.tcgetattr(watch.theirs) == watch.settings
    nowhere.unlink()
    shell = ["bash", "-c", 'set -m; "$@"; echo SHELL; read -r; fg; echo "CODE $?"', "-", *command("watch")]
    with Watch(whole=shell) as watch:
        watch.sees("not done yet  (")
        watch.press(SIGNALS["Ctrl-Z"])
        watch.sees("SHELL")
        watch.resize(70, 20)
        watch.press(ENTER)
        watch.sees("not done yet  (", "q quit")
        DOUBLE.write_text(SOLVED)
        watch.sees("pass  (")
        watch.press("q")
        watch.sees("continues here.", "CODE 0")


TESTS = [save_to_verdict_and_keys, e_opens_the_editor, reset_asks_first, every_size_and_long_texts, colors_and_letters,
         plain_lines_where_nothing_can_be_drawn, one_verdict_for_each_save, polls_when_asked,
         a_running_check_waits_for_nothing, waits_for_another_build, runs_the_program, ends_and_stops_as_a_program_should]


def main():
    wanted = sys.argv[5:]
    for test in TESTS:
        if wanted and test.__name__ not in wanted:
            continue
        new_learner()
        start = time.monotonic()
        test()
        print(f"{test.__name__}: {time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
