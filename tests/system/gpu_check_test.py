#!/usr/bin/env python3
"""Tests tools/gpu_check.py and tools/gpu_report.py. Called by CTest: gpu_check_test.py SOURCE BUILD.

A made-up course whose programs are shell scripts: usage, results, limits, the JSON, the page. Then the page of the
course, which must ask for what the script does; the names that bench_device prints are compared where BUILD has it.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PARTS = ["start", "backend", "operations", "solutions", "timings", "comparison", "programs", "sanitizers", "counters", "cuda"]
CHAPTERS = ["01_one", "04_training_loop", "10_xla"]
# The script with other parts: plan.json has their names and limits, and the items' names and limits.
MADE_UP = """import json, pathlib
import gpu_check

class Check(gpu_check.Check):
    def all(self):
        for name, seconds, at_once, items in json.loads(pathlib.Path(__file__).with_name("plan.json").read_text()):
            self.part(name, seconds, [gpu_check.Item(item, self.build / "tests" / item, **more)
                                      for item, more in items.items()], at_once)

gpu_check.Check = Check
gpu_check.main()
"""
SANITIZER = """echo "sanitizer $* NO_CACHING=$TD_NO_CACHING" >>"$FOLDER/calls"
while [ "${1#--}" != "$1" ]; do shift 2; done
exec "$@"
"""
NVIDIA_SMI = 'case "$*" in -L) echo "GPU 0: Made-up" ;; *) echo "Made-up, 9.0, 81920 MiB, 580.1" ;; esac'
faults = []


def expect(what, condition, *about):
    if not condition:
        faults.append(what)
        print("fail:", what, *about, sep="\n  ")


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


class Course:
    """A made-up course with three chapters, one exercise, and a build."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "course"
        self.build, self.out = self.root / "build/gpu", self.root / "build/gpu-check"
        for name in ["solutions/01_one/scatter.cpp", "solutions/04_training_loop/train.cpp", "solutions/10_xla/a.cpp",
                     *(f"chapters/{chapter}/main.cpp" for chapter in CHAPTERS),
                     *(f"tests/common/td/{name}_test.cpp" for name in
                       ("backends/cuda/gpu/reduce", "backends/cuda/gpu/large", "ops/norm", "ops/sum"))]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).touch()
        (self.root / "tools").mkdir()
        for name in ("gpu_check.py", "gpu_report.py"):
            shutil.copy(SOURCE / "tools" / name, self.root / "tools")
        (self.root / "tools/made_up.py").write_text(MADE_UP)
        self.build.mkdir(parents=True)
        self.built_in(self.root)
        write_program(folder / "bin/nvidia-smi", NVIDIA_SMI)
        write_program(folder / "bin/compute-sanitizer", SANITIZER)

    def built_in(self, home):
        (self.build / "CMakeCache.txt").write_text(
            f"CMAKE_CUDA_ARCHITECTURES:STRING=90-real\nCMAKE_HOME_DIRECTORY:INTERNAL={home}\n")

    def plant(self, name, text):
        """A program of the build."""
        write_program(self.build / name, text)

    def run(self, *arguments, code, says=(), script="gpu_check.py"):
        """Runs the script, and leaves its results."""
        result = subprocess.run(
            [sys.executable, "-B", self.root / "tools" / script, *arguments], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=120, check=False,
            env={**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "FOLDER": str(self.folder),
                 "GIT_DIR": str(self.folder / "none"), "TD_GPU_COMMIT": "abc123"})
        output = re.sub(r"\(\d+ s\)", "(N s)", result.stdout)
        about = (f"{script} {' '.join(arguments)}", output)
        expect(f"exit code {code}, not {result.returncode}", result.returncode == code, *about)
        for text in says:
            expect(f"it says: {text}", text in output, *about)
        report = self.out / "gpu.json"
        self.report = json.loads(report.read_text()) if report.exists() else {}
        return output

    def run_plan(self, *parts, code, says=(), options=()):
        """The same with other parts: (name, seconds, at once, {item: {limit and so on}})."""
        (self.root / "tools/plan.json").write_text(json.dumps(parts))
        return self.run(*options, code=code, says=says, script="made_up.py")

    def status(self, name):
        part, item = name.split("/")
        return self.report["parts"][part]["items"][item]["status"]


def test_usage(course):
    parts = " ".join(PARTS)
    course.run("operation", code=2, says=["there is no part or item operation", parts])
    course.run("operations/op", code=2, says=["there is no part or item operations/op"])
    course.run("start", "--seconds", "soon", code=2, says=["--seconds"])
    expect("--help names the parts", parts in course.run("--help", code=0))
    items = course.run("--list", "start", "operations/ops", "solutions", code=0).split()
    expect("--list names what would run", items == [
        "start/cuda_build", "start/cuda", "start/check_ch11.add", "operations/ops.norm",
        "operations/ops.sum", "solutions/check_ch01.scatter", "solutions/check_ch04.train", "solutions/check_ch10.a"],
        items)
    course.run("--build", str(course.root / "none"), "start", code=2, says=["there is no build in", "gpu_package.sh"])
    write_program(course.folder / "bin/nvidia-smi", "exit 9")
    course.run("start", code=2, says=["there is no GPU here; --stand-in rehearses"])
    write_program(course.folder / "bin/nvidia-smi", NVIDIA_SMI)
    expect("nothing was written", not course.out.exists())


def test_place(course):
    """Programs that were built elsewhere find the sources through a link."""
    course.plant("tests/fine", "true")
    plan = ["start", 20, 1, {"fine": {}}]
    home = course.folder / "elsewhere/sources"
    course.built_in(home)
    course.run_plan(plan, code=0)
    expect("a link to the sources", home.is_symlink() and home.resolve() == course.root.resolve(), home)
    home.unlink()
    home.symlink_to(course.folder / "an older copy")
    course.run_plan(plan, code=0)
    expect("the link follows the sources", home.resolve() == course.root.resolve(), home)
    home.unlink()
    home.mkdir()
    course.run_plan(plan, code=2, says=[f"the programs were built in {home}; put these sources there, or a link"])
    course.built_in(course.root)


def test_results(course):
    for name, text in {
            "fine": "echo 'copy: 12.5 GB/s'",
            "bad": "echo 'test cases: 3 | 1 failed'; exit 1",
            "lacking": "echo 'no NCCL here'; exit 77",
            "unknown_device": "echo 'Error: Device not supported'; exit 1",
            "checker": "echo 'needs two GPUs'; exit 4",
            "four": "exit 4",
            "crash": '[ -z "$CUDA_LAUNCH_BLOCKING" ] || { echo "in saxpy"; exit 3; }; echo "wrote to 0"; kill -SEGV $$',
            "sticky": 'echo "CUDA error${CUDA_LAUNCH_BLOCKING:+ in scan}"; exit 1',
            "slow": 'sleep 50 & echo $! >"$FOLDER/child"; echo "at step 7"; wait'}.items():
        course.plant(f"tests/{name}", text)
    output = course.run_plan(
        ["first", 30, 1, {"fine": {}, "bad": {}, "lacking": {}, "unknown_device": {}, "checker": {"skip_codes": [4]},
                          "four": {}, "absent": {}}],
        ["second", 30, 1, {"crash": {}, "sticky": {}, "slow": {"limit": 2}}], code=1,
        says=["failed   bad (N s): exit code 1: test cases: 3 | 1 failed", "skipped  lacking (N s): no NCCL here",
              "skipped  unknown_device", "skipped  checker (N s): needs two GPUs", "failed   four (N s): exit code 4",
              "tests/absent is not here", "1 passed, 3 failed, 3 skipped", "failed: second/slow",
              "exit code -11: wrote to 0; with CUDA_LAUNCH_BLOCKING=1: exit code 3: in saxpy",
              "exit code 1: CUDA error; with CUDA_LAUNCH_BLOCKING=1: exit code 1: CUDA error in scan",
              "failed   slow (N s): took more than 2 s; last it said: at step 7"])
    expect("what passes is not a line", "fine" not in output, output)
    expect("values", course.report["parts"]["first"]["items"]["fine"]["values"] == {"copy": "12.5 GB/s"}, course.report)
    expect("the machine", course.report["machine"]["gpus"] == [
        {"name": "Made-up", "compute_cap": "9.0", "memory.total": "81920 MiB", "driver_version": "580.1"}]
        and course.report["commit"] == "abc123" and not course.report["rehearsal"], course.report)
    child = pathlib.Path("/proc", (course.folder / "child").read_text().strip(), "stat")
    ended = time.monotonic() + 5  # until init has seen its end
    while child.exists() and ") Z " not in child.read_text() and time.monotonic() < ended:
        time.sleep(0.1)
    expect("a killed program leaves no child", not child.exists() or ") Z " in child.read_text())


def test_time(course):
    course.plant("tests/fine", "true")
    course.plant("tests/slow", "echo 'at step 7'; sleep 50")
    course.plant("tests/slower", "sleep 50")
    course.run_plan(["first", 3, 1, {"slow": {}, "fine": {}}], ["second", 30, 1, {"fine": {}}], code=3,
                    says=["not done slow (N s): took more than 3 s; last it said: at step 7",
                          "not done fine (N s): there was no time left", "0 passed, 0 failed, 0 skipped, 2 not done"])
    expect("a slow part takes no time of the next", course.status("second/fine") == "passed", course.report)
    course.run_plan(["first", 30, 1, {"slow": {}}], ["second", 30, 1, {"fine": {}}], code=3, options=["--seconds", "3"])
    expect("all of it has a limit", course.status("second/fine") == "not done", course.report)
    for name in ("one", "two", "three"):  # each waits for the others
        course.plant(f"tests/{name}", f'touch "$FOLDER/{name}.came" "$FOLDER/{name}.runs"\n'
                                      'until [ "$(ls "$FOLDER"/*.came | wc -l)" = 3 ]; do sleep 0.1; done\n'
                                      f'rm "$FOLDER/{name}.runs"')
    course.plant("tests/quiet", '[ "$(ls "$FOLDER"/*.came | wc -l)" = 3 ] && ! ls "$FOLDER"/*.runs')
    course.run_plan(["many", 30, 3, {"quiet": {"alone": True}, "one": {}, "two": {}, "three": {}}], code=0,
                    says=["4 passed, 0 failed"])


def test_stop(course):
    """What is there after each part is complete."""
    course.plant("tests/fine", "echo 'it runs'")
    course.plant("tests/look", f'cp "{course.out}"/* "$FOLDER"; echo')
    course.run_plan(["first", 20, 1, {"fine": {}}], ["second", 20, 1, {"look": {}}], code=0)
    report = json.loads((course.folder / "gpu.json").read_text())
    expect("gpu.json after a part", list(report["parts"]) == ["first"], report)
    with tarfile.open(course.folder / "logs.tar.xz") as tar:
        logs = tar.extractfile("logs/fine.txt").read().decode()
    expect("logs after a part", logs.endswith("tests/fine\nit runs\n"), logs)


def test_items(course):
    """What the script itself passes to programs."""
    for name in ("tests/test_ops", "tests/test_cuda_gpu", "tests/test_cuda_build", "chapters/check_ch01"):
        course.plant(name, f'echo "{name} $* EDGES=$TD_STAND_IN_EDGES MEMORY=$TD_STAND_IN_MEMORY" >>"$FOLDER/calls"')
    calls = course.folder / "calls"
    course.run("operations/ops", "solutions/check_ch01", "sanitizers/memcheck.ops.norm",
               "sanitizers/racecheck.ops.norm", code=0)
    called = calls.read_text()
    for what in (r"^tests/test_ops -# \[#norm_test\] EDGES= MEMORY=$", r"^tests/test_ops -# \[#sum_test\]",
                 r"^chapters/check_ch01 \[scatter\]",
                 r"^sanitizer --tool memcheck .*--report-api-errors no .*test_ops -# \[#norm_test\] NO_CACHING=1$",
                 r"^sanitizer --tool racecheck .*test_ops -# \[#norm_test\] NO_CACHING=$"):
        expect(f"it calls {what}", re.search(what, called, re.M), called)
    calls.write_text("")
    course.run("--stand-in", "start/cuda_build", "backend/cuda_gpu.large", code=0)
    called = calls.read_text()
    for what in (r"^tests/test_cuda_build ~NVIDIA's libraries\*", r"^tests/test_cuda_gpu .* EDGES=8 MEMORY=12288$"):
        expect(f"a rehearsal calls {what}", re.search(what, called, re.M), called)
    expect("a rehearsal is marked", course.report["rehearsal"], course.report)


def fill(course, page, code=0):
    result = subprocess.run([sys.executable, "-B", course.root / "tools/gpu_report.py", "fill", page,
                             course.out / "gpu.json"], text=True, stderr=subprocess.PIPE, check=False)
    expect(f"fill ends with {code}", result.returncode == code, result.stderr)
    return result.stderr


def test_page(course):
    """Cells are filled only with known values."""
    page = course.root / "gpu.md"
    page.write_text("<!-- runs -->\n| run | date |\n|---|---|\n| 1 | an earlier run |\n<!-- end of runs -->\n"
                    "| sums | `start/ops.sum` | not measured |\n"
                    "| copies | `start/device: copy to the device` | not measured |\n"
                    "| all | `start` | as before | not measured |\n"
                    "| operations | `start/ops` | not measured |\n"
                    "| other | `start/device: nothing` | not measured |\n"
                    "| an item with more of its name | `start/device` | not measured |\n"
                    "| another part | `timings` | not measured |\n"
                    "| MLP | `start/mlp: float32, eager` | 3 x PyTorch | not measured |\n"
                    "| by hand | `nvidia-smi` during `start` | not measured |\n"
                    "<!-- differences -->\n| - | - | - |\n<!-- end of differences -->\n")
    before = page.read_text()
    expect("a rehearsal is refused", "a rehearsal has measured nothing" in fill(course, page, 1)
           and page.read_text() == before, page.read_text())  # the report of test_items
    (course.build / "tests/CTestTestfile.cmake").write_text(
        "add_test([=[on_stand_in_solution_ch01_scatter]=] a)\nadd_test(on_stand_in_ops b)\n")
    for name, text in {"ops.sum": "echo wrong; exit 1", "ops.norm": "",
                       "device": "echo 'copy to the device: 12.5 GB/s'",
                       "check_ch01.scatter": "echo 'row 3 | NaN'; exit 1", "half.sum": "echo wrong; exit 1", "device.more": "",
                       "mlp": "echo 'float32, eager: 12.5 us (12 us - 13 us); PyTorch 50 us (4.00 x)'"}.items():
        course.plant(f"tests/{name}", text)
    course.run_plan(["start", 30, 1, {"ops.sum": {}, "ops.norm": {}, "device": {}, "device.more": {}, "mlp": {}, "half.sum": {},
                                      "check_ch01.scatter": {}}], code=1)
    fill(course, page)
    once = page.read_text()
    fill(course, page)
    expect("the same run is named once", page.read_text() == once, page.read_text())
    runs, rest = once.split("<!-- end of runs -->\n")
    date = course.report["date"][:16].replace("T", " ")
    expect("the runs", re.findall(r"^\| \d.*", runs, re.M)[0] == "| 1 | an earlier run |" and
           f"| 2 | {date} | abc123 | Made-up | 580.1 |" in runs, runs)
    rows, differences = rest.split("<!-- differences -->\n")
    cells = [line.split("|")[-2].strip() for line in rows.splitlines()]
    about = "(run 2)"
    expect("filled cells", cells == [
        f"failed, exit code 1: wrong {about}", f"12.5 GB/s {about}", f"4 passed, 3 failed, 0 skipped {about}",
        f"1 passed, 1 failed, 0 skipped {about}", "not measured", f"passed {about}", "not measured",
        f"12.5 us (12 us - 13 us); PyTorch 50 us (4.00 x) {about}", "not measured"], cells)
    expect("what only the stand-in lets pass", differences.splitlines()[2:] == [
        "| `on_stand_in_ops` | `start/ops.sum` | exit code 1: wrong |",
        "| `on_stand_in_solution_ch01_scatter` | `start/check_ch01.scatter` | exit code 1: row 3 / NaN |",
        "<!-- end of differences -->"], differences)


def test_cells():
    """The page of the course asks for what the script does."""
    listed = subprocess.run([sys.executable, "-B", SOURCE / "tools/gpu_check.py", "--list"], text=True,
                            stdout=subprocess.PIPE, check=True).stdout.split()
    parts = list(dict.fromkeys(item.split("/")[0] for item in listed))
    expect("the parts", parts == PARTS, parts)
    page = (SOURCE / "docs/measurements/gpu.md").read_text()
    cells = re.findall(r"^\|.*\| *`([\w-]+(?:/[\w.-]+)?)(?:: ([^`]+))?` *\|", page, re.M)
    unknown = [name for name, value in cells if name not in parts + listed
               and (value or not any(item.startswith(name + ".") for item in listed))]
    expect("every cell names a part, an area or an item", len(cells) > 100 and not unknown, unknown)
    expect("the page has every part", not set(parts) - {name for name, _ in cells}, cells)
    bench = BUILD / "tools/bench/bench_device"
    if not bench.exists():
        print("skipped: the names that bench_device prints, which is not built here")
        return
    said = subprocess.run([bench, "sim:0", "--quick"], text=True, stdout=subprocess.PIPE, check=True).stdout
    unknown = [value for name, value in cells if name == "timings/device" and f"\n{value}: " not in said]
    expect("bench_device prints the value of every cell", not unknown, unknown, said)


def test_refusals():
    """Where no GPU is visible, each chapter's program refuses cuda in words."""
    programs = [BUILD / "chapters" / f"ch{folder.name}" for folder in sorted(SOURCE.glob("chapters/[0-9]*"))]
    for program in (program for program in programs if BUILD.joinpath("CMakeCache.txt").exists()):
        result = subprocess.run([program, "--device", "cuda:0"], text=True, stdout=subprocess.PIPE, timeout=60,
                                stderr=subprocess.STDOUT, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        last = (result.stdout.strip().splitlines() or [""])[-1]
        expect(f"{program.name} refuses cuda in words", result.returncode in (1, 77) and "cuda" in last, result)


with tempfile.TemporaryDirectory() as name:
    made_up = Course(pathlib.Path(name).resolve())
    for test in (test_usage, test_place, test_results, test_time, test_stop, test_items, test_page):
        print(test.__name__)
        test(made_up)
test_cells()
test_refusals()
sys.exit(1 if faults else 0)
