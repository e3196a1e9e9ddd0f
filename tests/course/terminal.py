"""A program in its own terminal, as a person sees it: its screen (by pyte), its keys, its exit.

Used by watch_test.py and tools/save_to_verdict.py. Invariant: when a Terminal is closed, its program has ended.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time


class NothingToSee:
    """Receives a Terminal's output when the screen is not needed."""

    def feed(self, data):
        """Takes bytes as pyte's streams do."""


class Terminal:
    """Runs `words`; what it prints goes to `stream`, which has feed(bytes)."""

    def __init__(self, words, environment, columns=100, rows=30, stream=None, cwd=None):
        self.ours, theirs = pty.openpty()
        self.stream = stream or NothingToSee()
        self.output = b""
        self.resize(columns, rows)
        self.settings = termios.tcgetattr(theirs)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
                                        cwd=cwd, preexec_fn=take_terminal)
        self.theirs = theirs

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)

    def resize(self, columns, rows):
        """The window gets another size, and the program is notified."""
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        """Keys, as the bytes that a keyboard sends."""
        os.write(self.ours, keys.encode())

    def read(self, seconds):
        """Reads what the program prints within `seconds`; returns as soon as there was something."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return
        data = os.read(self.ours, 65536)
        self.output += data
        self.stream.feed(data)

    def wait_until(self, condition, seconds=30):
        """Reads until `condition()` holds; returns the seconds that took, or None when it never did."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            if condition():
                return time.monotonic() - start
            self.read(0.05)
        return None

    def exit_code(self, seconds=10):
        """The program's exit code, negative for a signal; None when it has not ended by then."""
        self.wait_until(lambda: self.process.poll() is not None, seconds)
        self.read(0)
        return self.process.poll()
