"""What the tests of several processes share: runs with a limit, no process left behind, two hosts.

Imported by launch_test.py, hosts_test.py and faults_test.py. Invariant: every process that a test starts
carries TEST_MARK in its environment; finish() fails when one is still there, and ends it.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

MARK = f"{os.getpid()}-{time.time_ns()}x"
# No setting of whoever runs the tests may reach the ranks.
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if not re.match(r"TD_|OPENBLAS_|OMP_|RANK|WORLD_SIZE|LOCAL_|MASTER_|SLURM_|OMPI_|PMI", k)}
# Threads of many ranks that spin while they wait would compete for cores.
ENVIRONMENT |= {"TEST_MARK": MARK, "OMP_WAIT_POLICY": "passive",
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PATIENCE = 60  # seconds that any command may take; a busy machine is no fault
faults = []
results = {"pass": 0, "fail": 0, "skipped": 0}


class Skipped(Exception):
    """What cannot be tested on this machine, and why."""


PACKAGES = {"ip": "iproute2", "tc": "iproute2", "mpirun": "openmpi-bin", "torchrun": "python3-torch",
            "redis-server": "redis-server"}


def needs(*programs):
    """Skips where a program is absent; `./course test --all` has checked before that none is."""
    for program in programs:
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            raise Skipped(f"there is no {program} here (Debian package {PACKAGES.get(program, 'util-linux')})")


def case(work, *arguments):
    """One part of a test: prints its result and how long it took."""
    before, started, name = len(faults), time.monotonic(), work.__name__.replace("_", " ")
    try:
        work(*arguments)
        result, reason = "pass" if len(faults) == before else "fail", ""
    except Skipped as why:
        result, reason = "skipped", f": {why}"
    results[result] += 1
    print(f"{result}: {name} ({time.monotonic() - started:.1f} s){reason}", flush=True)


def expect(condition, what):
    if not condition:
        faults.append(what)
    return condition


def marked():
    """The processes, this one apart, that carry our mark: (pid, command)."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if (folder.name.isdigit() and int(folder.name) != os.getpid()
                    and f"TEST_MARK={MARK}".encode() in (folder / "environ").read_bytes()):
                found.append((int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()))
        except OSError:
            pass  # it has ended meanwhile, or is not ours
    return found


def expect_no_orphan(after, allowed=()):
    """Nothing that we started may be left. A process that was killed takes a moment to vanish."""
    end = time.monotonic() + 5
    while (left := [p for p in marked() if p[0] not in allowed]) and time.monotonic() < end:
        time.sleep(0.02)
    expect(not left, f"{after}: left behind: {left}")
    for pid, _ in left:
        os.kill(pid, signal.SIGKILL)


class Run:
    """One command: its exit code, its output, and how long it took."""

    def __init__(self, words, environment=None, cwd=None):
        self.words = [str(word) for word in words]
        self.started = time.monotonic()
        self.process = subprocess.Popen(self.words, env=ENVIRONMENT | (environment or {}), cwd=cwd, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        self.output, self.code, self.seconds, self.ended_at = "", None, 0.0, 0.0

    def wait(self, limit=PATIENCE):
        try:
            rest, _ = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            rest, _ = self.process.communicate()
            expect(False, f"{' '.join(self.words)}: not ended after {limit} s")
        self.output += rest
        self.code, self.seconds = self.process.returncode, time.monotonic() - self.started
        self.ended_at = time.time()
        return self

    def wait_for(self, text, times=1):
        """Reads until `text` was printed so often; False when the command ended before."""
        while self.output.count(text) < times:
            line = self.process.stdout.readline()
            if not line:
                return False
            self.output += line
        return True

    def shows(self, *texts):
        for text in texts:
            expect(text in self.output, f"{' '.join(self.words)}: expected '{text}' in:\n{self.output}")
        return self

    def ends_with(self, *codes):
        expect(self.code in codes,
               f"{' '.join(self.words)}: exit code {self.code}, not {codes}:\n{self.output}")
        return self


def run(words, environment=None, limit=PATIENCE):
    return Run(words, environment).wait(limit)


def free_port():
    with socket.socket() as listener:
        listener.bind(("", 0))
        return listener.getsockname()[1]


class Redis:
    """A redis server on a free port, in a host where one is given; ended at the end of the scope."""

    def __init__(self, inside=(), address="127.0.0.1"):
        needs("redis-server")
        self.port = free_port()
        self.url = f"redis://{address}:{self.port}"
        self.process = subprocess.Popen(
            [*inside, "redis-server", "--port", str(self.port), "--bind", address, "--save", "",
             "--appendonly", "no", "--protected-mode", "no", "--dir", tempfile.gettempdir()],
            env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if "Ready to accept connections" in line:
                return
        raise Skipped("redis-server does not start here")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


class Hosts:
    """Two hosts made of namespaces, joined by a virtual link: own network, own host name.

    inside(i) is what goes before a command to run it on host i. Needs enter_namespace() before.
    """

    ADDRESSES = ("10.8.0.1", "10.8.0.2")

    def __init__(self):
        self.keepers = []
        for number in range(2):
            keeper = subprocess.Popen(
                ["unshare", "-nu", "setpriv", "--pdeathsig", "KILL", "sh", "-c",
                 f"hostname host{number} && echo ready && exec sleep 600"],
                env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            keeper.stdout.readline()
            self.keepers.append(keeper)
        first, second = (str(keeper.pid) for keeper in self.keepers)
        self.command("ip", "link", "add", "cable0", "netns", first, "type", "veth",
                     "peer", "name", "cable1", "netns", second)
        for number, address in enumerate(self.ADDRESSES):
            self.on(number, "ip", "addr", "add", f"{address}/24", "dev", f"cable{number}")
            self.on(number, "ip", "link", "set", f"cable{number}", "up")
            self.on(number, "ip", "link", "set", "lo", "up")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for keeper in self.keepers:
            keeper.kill()
            keeper.communicate()

    @property
    def pids(self):
        return [keeper.pid for keeper in self.keepers]

    @staticmethod
    def command(*words):
        return subprocess.run(words, env=ENVIRONMENT, check=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout

    def inside(self, number):
        return ["nsenter", "-t", str(self.keepers[number].pid), "-n", "-u"]

    def on(self, number, *words):
        return self.command(*self.inside(number), *words)

    def wire_bytes(self):
        """The bytes that the two hosts have sent on the link so far."""
        total = 0
        for number in range(2):
            shown = self.on(number, "ip", "-s", "-j", "link", "show", "dev", f"cable{number}")
            total += json.loads(shown)[0]["stats64"]["tx"]["bytes"]
        return total

    def limit(self, rate):
        """Shapes both directions; False where the kernel cannot."""
        try:
            for number in range(2):
                self.on(number, "tc", "qdisc", "replace", "dev", f"cable{number}", "root", "tbf", "rate", rate,
                        "burst", "256kb", "latency", "50ms")
            return True
        except subprocess.CalledProcessError:
            return False

    def pull_cable(self):
        self.on(0, "ip", "link", "set", "cable0", "down")


def enter_namespace():
    """Starts this script again as root of a namespace of its own: hosts can be made there without being
    root. Skips where the system does not allow it."""
    try:
        needs("unshare", "nsenter", "setpriv", "ip", "tc")
    except Skipped as why:
        print(f"skipped: {why}")
        raise SystemExit(77) from why
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    ENVIRONMENT["PATH"] = os.environ["PATH"]
    if os.environ.get("TEST_IN_NAMESPACE"):
        return
    if subprocess.run(["unshare", "-Urnm", "true"], check=False).returncode != 0:
        print("skipped: this system does not let a user make namespaces (unshare -Urnm)")
        raise SystemExit(77)
    os.environ["TEST_IN_NAMESPACE"] = "1"
    os.execvp("unshare", ["unshare", "-Urnm", sys.executable, *sys.argv])


def finish():
    expect_no_orphan("the test")
    print(*faults, sep="\n")
    # The last fault may be finish()'s own.
    results["fail"] = max(results["fail"], bool(faults))
    print(f"{results['pass']} passed, {results['fail']} failed, {results['skipped']} skipped")
    raise SystemExit(bool(faults))
