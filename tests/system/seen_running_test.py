#!/usr/bin/env python3
"""Tests tools/seen_running.py and tools/front_page.py: seen_running_test.py SOURCE.

Called by CTest. A made-up course of two chapters, whose programs are shell scripts, and a made-up GPU.
Invariant: what a row claims is what a program did, and a page that differs from the record is a fault.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
COURSE = """[[chapter]]
number = 1
folder = "01_one"
title = "One"
minutes = 20
[[chapter]]
number = 10
folder = "10_xla_and_tpu"
title = "XLA"
minutes = 30
needs = "a plugin"
"""
README = """# made up
<!-- first run -->
<!-- end of first run -->
<!-- seen running -->
<!-- end of seen running -->
<!-- speed -->
<!-- end of speed -->
last line
"""
PROGRAM = """#!/bin/sh
echo "device: $2"
[ ! -f "$0.fails" ] || { echo "it broke"; exit 3; }
"""
faults = []


def expect(what, condition, *about):
    if not condition:
        faults.append(what)
        print("fail:", what, *about, sep="\n  ")


class MadeUp:
    """The course in a folder of its own, with or without a GPU."""
    def __init__(self, folder):
        self.root, self.bin = folder / "course", folder / "bin"
        for name in ("seen_running.py", "front_page.py", "fresh_machines.py", "gpu_report.py", "marked_text.py",
                     "xla_plugin.txt"):
            (self.root / "tools").mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / "tools" / name, self.root / "tools" / name)
        (self.root / "docs/measurements").mkdir(parents=True)
        shutil.copy(SOURCE / "docs/measurements/comparison.json", self.root / "docs/measurements")
        self.build = self.root / "build/release"
        for chapter in ("01_one", "10_xla_and_tpu"):
            (self.root / "chapters" / chapter).mkdir(parents=True)
            (self.root / "chapters" / chapter /
             "README.md").write_text("*Prerequisites: a terminal. No GPU needed.*\n")
            program = self.build / "chapters" / f"ch{chapter}"
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(PROGRAM)
            program.chmod(0o755)
        (self.root / "chapters/course.toml").write_text(COURSE)
        (self.root / "README.md").write_text(README)
        self.systems = self.root / "docs/measurements/systems.md"
        self.systems.write_text("<!-- fresh machines -->\n<!-- end of fresh machines -->\n")
        self.record = self.root / "docs/measurements/seen_running.json"
        self.bin.mkdir()
        # `git` and `nvidia-smi` of the machine that runs this test must not be seen.
        for name in ("git", "nvidia-smi"):
            self.program(name, "exit 1")
        self.plugin = folder / "made_up_plugin.so"
        self.plugin.touch()
        self.environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "TD_GPU_COMMIT": "abc1234"}

    def program(self, name, text):
        (self.bin / name).write_text("#!/bin/sh\n" + text + "\n")
        (self.bin / name).chmod(0o755)

    def call(self, tool, *arguments, code=0, says="", **environment):
        done = subprocess.run([sys.executable, "-B", self.root / "tools" / tool, *map(str, arguments)],
                              text=True,
                              timeout=60,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={
                                  **self.environment,
                                  **environment
                              },
                              check=False)
        expect(f"{tool} {' '.join(map(str, arguments))}: exit code {code} and \"{says}\"",
               done.returncode == code and says in done.stdout, done.returncode, done.stdout)

    def rows(self, file=None):
        return json.loads((file or self.record).read_text())

    def page(self):
        return (self.root / "README.md").read_text()


def test_without_gpu(course):
    course.call("seen_running.py",
                "check",
                code=1,
                says="01_one: was never seen running on cpu; type  tools/seen_running.py run 1")
    course.call("seen_running.py", "run", says="2 programs ran, 0 failed")
    rows = course.rows()
    expect("cpu and sim ran, and nothing else",
           sorted(rows) == ["01_one"] and sorted(rows["01_one"]) == ["cpu", "sim"], rows)
    expect(
        "a row says what ran", rows["01_one"]["sim"]["command"] == "./course run 1 --device sim"
        and rows["01_one"]["sim"]["said"] == "device: sim" and rows["01_one"]["sim"]["commit"] == "abc1234",
        rows)
    course.call("seen_running.py", "check", code=1, says="10_xla_and_tpu: was never seen running on xla")
    course.call("seen_running.py", "run", "10", says="0 programs ran", code=1)
    course.call("seen_running.py",
                "run",
                "10",
                says="1 programs ran, 0 failed",
                PJRT_PLUGIN=str(course.plugin))
    course.call("seen_running.py",
                "check",
                code=1,
                says="its table is not that of docs/measurements/seen_running.json")
    course.call("seen_running.py", "write")
    course.call("seen_running.py", "check", says="0 faults")
    expect("no GPU is claimed", "| not seen yet |" in course.page(), course.page())
    expect("the plugin is named", "made_up_plugin.so, " in course.page(), course.page())
    expect("what stands around the marks stays", course.page().endswith("last line\n"), course.page())


def test_failures(course):
    broken = course.build / "chapters/ch01_one.fails"
    broken.touch()
    course.call("seen_running.py", "run", "1", code=1, says="01_one on cpu")
    course.call("seen_running.py", "check", code=1, says="01_one: failed on cpu on ")
    course.call("seen_running.py", "write")
    expect("a failure is shown", "**failed** " in course.page() and "exit code 3" in course.page(),
           course.page())
    broken.unlink()
    course.call("seen_running.py", "run", "1")
    course.call("seen_running.py", "write", course.root / "none.json", code=1, says="there is no ")


def test_gpu(course):
    course.program("nvidia-smi", 'case "$*" in *query-gpu*) echo "Made-up GPU, 9.0, 80 GiB, 580.1" ;; esac')
    course.program("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
    course.call("seen_running.py",
                "run",
                "--kinds",
                "cuda",
                says="0 programs ran",
                code=1,
                LD_LIBRARY_PATH=str(course.root / "cuda_stand_in"))
    there = course.root / "from_there.json"
    course.call("seen_running.py", "run", "--kinds", "cuda", "--out", there, says="1 programs ran")
    expect("the GPU's file has the GPU alone",
           list(course.rows(there)["01_one"]) == ["cuda"], course.rows(there))
    course.program("nvidia-smi", "exit 1")
    course.call("seen_running.py", "write", there)
    expect("GPU, driver and toolkit", "`cuda`: Made-up GPU, driver 580.1, CUDA 13.0.88. " in course.page(),
           course.page())
    course.call("seen_running.py", "run", "1")
    expect("a machine without a GPU leaves the row", "cuda" in course.rows()["01_one"], course.rows())
    old = course.rows(there)
    old["01_one"]["cuda"].update(date="2020-01-01T00:00:00+00:00", device="Old GPU, driver 1")
    there.write_text(json.dumps(old))
    course.call("seen_running.py", "write", there)
    expect("an older row does not replace a newer one", "Old GPU" not in course.page(), course.page())
    rows = course.rows()
    rows["01_one"]["cuda"]["device"] = "stand-in"
    course.record.write_text(json.dumps(rows))
    course.call("seen_running.py",
                "check",
                code=1,
                says="the row of cuda names no driver, so it is not from a GPU")


def test_fresh_machine(course):
    log = course.root / "log"
    log.write_text("building\n12 passed, 0 failed, 3 skipped\n")
    typed = ["machine", "--system", "Made-up Linux 1", "--compiler", "c++ (made up) 14.2.0", "--user", "learner",
             "--load", "0.5", "--log", log, "--commit", "abc1234"]
    course.call("seen_running.py", *typed, "--typed", "./course test", "--seconds", "601", "--exit-code", "0")
    course.call("seen_running.py", "check", code=1, says="its table is not that of docs/measurements/fresh_machines.json")
    course.call("seen_running.py", "write")
    line = "| Made-up Linux 1 | c++ 14.2.0 | a user with sudo | not tried | not tried | 10 min 1 s: 12 passed, 0 failed"
    expect("the page has the line", line in course.systems.read_text(), course.systems.read_text())
    course.call("seen_running.py", *typed, "--typed", "./course run 4", "--seconds", "270", "--exit-code", "0",
                "--first-epoch", "59")
    course.call("seen_running.py", "write")
    expect("the first result has its time", "| 4 min 30 s; first epoch after 59 s" in course.systems.read_text(),
           course.systems.read_text())
    course.call("seen_running.py", *typed, "--typed", "./course run 4", "--seconds", "5", "--exit-code", "1")
    course.call("seen_running.py", "write")
    expect("a failure is shown", "**failed**: exit code 1" in course.systems.read_text())
    course.call("seen_running.py", "check", code=1, says="./course run 4 failed with exit code 1 for a user with sudo")
    (course.root / "docs/measurements/fresh_machines.json").unlink()
    course.call("seen_running.py", "write")


def newest_comparison():
    runs = json.loads((SOURCE / "docs/measurements/comparison.json").read_text()).values()
    return max((run["machine"] for run in runs), key=lambda machine: machine["date"])


def test_front_page(course):
    """The two commands, and the speed of the comparison."""
    ran = {
        "seconds": 192, "machine": "a machine", "gpus": [], "date": "2026-01-02", "commit": "abc1234",
        "compiler_cache": False, "load_before": 0.25,
        "output": ["setup: x", "building", "building [1/9]", *(f"line {i}" for i in range(40))]
    }
    (course.root / "docs/measurements/first_run.json").write_text(json.dumps({"run": ran}))
    course.call("front_page.py", "check", code=1, says="type  tools/front_page.py write")
    course.call("front_page.py", "write")
    course.call("front_page.py", "check")
    for text in ("`./course run 4` took **3 min 12 s** in a fresh clone", "without a compiler cache",
                 "line 39\n```", "building\nline 0", "load before 0.25", "\n…\n", "`./course test`: not measured.",
                 "| LeNet step | ", f"commit {newest_comparison()['commit']} of "):
        expect(f"the page says: {text}", text in course.page(), course.page())
    page = course.root / "README.md"
    page.write_text(course.page().replace("<!-- end of speed -->", ""))
    course.call("front_page.py", "check", code=1, says="the page needs the marks <!-- speed -->")


with tempfile.TemporaryDirectory() as name:
    made_up = MadeUp(pathlib.Path(name))
    for test in (test_without_gpu, test_failures, test_gpu, test_fresh_machine, test_front_page):
        print(test.__name__)
        test(made_up)
sys.exit(1 if faults else 0)
