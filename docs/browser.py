"""A Chromium without a window, driven through its DevTools protocol over a pipe.

Used by docs/check_pages.py. Python's standard library is enough: a message is JSON and ends with a zero
byte. Invariant: `with Browser() as browser` leaves no process and no profile behind.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import tempfile

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60  # seconds without a word from the browser


def find():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    def __init__(self):
        # Chromium's own processes, killed with it, may still be writing when the profile is removed.
        self.profile = tempfile.TemporaryDirectory(prefix="pages-", ignore_cleanup_errors=True)
        commands, self.to_browser = os.pipe()
        self.from_browser, answers = os.pipe()

        def connect():  # Chromium reads descriptor 3 and writes descriptor 4.
            high = os.dup(commands), os.dup(answers)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        # Root in a container has no sandbox, and /dev/shm is small there.
        self.process = subprocess.Popen(
            [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage",
             "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=connect, close_fds=False, start_new_session=True, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.rest, self.count, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.rest:
            if not select.select([self.from_browser], [], [], PATIENCE)[0]:
                raise SystemExit(f"the browser has not answered for {PATIENCE} s")
            more = os.read(self.from_browser, 1 << 20)
            if not more:
                raise SystemExit("the browser has ended")
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        """One command and its answer; events that come in between are kept."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.count:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, address):
        """Opens a page and waits until it is loaded; returns what the page's console said."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())
        # An answer after this one comes after every message that loading the page has caused.
        self.evaluate("0")
        return self.console()

    def console(self):
        """The errors and warnings since the page was opened."""
        found = []
        for event in self.events:
            method, said = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = said["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]).splitlines()[0])
            elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(argument.get("value", "")) for argument in said["args"]))
            elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
                found.append(f"{said['entry']['text']} {said['entry'].get('url', '')}".strip())
        return found

    def evaluate(self, script):
        """The value of a script's last expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def show(self, width, scheme):
        """The page as on a screen of this width, in `light` or `dark`."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, screenWidth=width,
                  screenHeight=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self):
        """The screen as PNG in base64."""
        return self.call("Page.captureScreenshot")["data"]
