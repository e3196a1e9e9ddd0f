#!/usr/bin/env python3
"""Tests tools/gpu_check.sh. Called by CTest: gpu_check_test.py SOURCE BUILD.

Its stages, with a made-up course and stand-ins for cmake, nvidia-smi and compute-sanitizer: order,
limits, continuing after a stop, failures, the JSON. Then the dry run in the real build folder.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
AREAS = ["cuda_gpu", "half", "nn", "ops", "optim"]
CHAPTERS = ["01_one", "04_training_loop", "07_amp", "08_pinned_memory", "12_which_device"]
STAGES = ["configure", "build-core", "core-tests", "chapters", "sanitize", "measure", "compare"]
PROGRAM = """#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
[ ! -f "$PLANTS/${0##*/}" ] || . "$PLANTS/${0##*/}"
echo "copy to the device: 12.5 GB/s"
"""
# Knows the targets of the made-up course, and "builds" them.
CMAKE = """#!/bin/sh
echo "cmake $*" >>"$CALLS"
case "$*" in
  -S*) mkdir -p "$TD_GPU_BUILD" && touch "$TD_GPU_BUILD/CMakeCache.txt" && exit ;;
  *help*)
    [ -f "$TD_GPU_BUILD/CMakeCache.txt" ] || exit 1
    for t in td_all $TARGETS; do echo "$t: phony"; done
    exit ;;
esac
[ ! -f "$PLANTS/cmake" ] || . "$PLANTS/cmake"
for t; do
  case $t in
    test_*) at=tests ;; ch*) at=chapters ;; bench_*) at=tools/bench ;; *) continue ;;
  esac
  mkdir -p "$TD_GPU_BUILD/$at"
  cp "$PLANTS/../program" "$TD_GPU_BUILD/$at/$t" && chmod +x "$TD_GPU_BUILD/$at/$t"
done
"""
SANITIZER = """#!/bin/sh
echo "sanitizer $* TD_NO_CACHING=$TD_NO_CACHING" >>"$CALLS"
while [ "${1#--}" != "$1" ]; do
  case $1 in --tool | --error-exitcode | --report-api-errors) shift ;; esac
  shift
done
exec "$@"
"""
COMPARISON = """import os, sys
open(os.environ["CALLS"], "a").write("compare_gpu " + " ".join(sys.argv[1:]) + "\\n")
open(sys.argv[sys.argv.index("--json") + 1], "w").write('{"float32, eager": {"td": {"median": 1e-5}}}')
print("float32, eager: 12.5 us (12 us - 13 us); PyTorch 50 us (4.00 x)")
"""
SEEN_RUNNING = """import os, sys
open(os.environ["CALLS"], "a").write("seen_running " + " ".join(sys.argv[1:]) + "\\n")
"""
NVIDIA_SMI = """#!/bin/sh
case "$*" in -L) echo "GPU 0: Made-up" ;; *) echo "Made-up, 9.0, 81920 MiB, 580.1" ;; esac
"""
faults = []


def expect(what, condition, *about):
    if not condition:
        faults.append(what)
        print("fail:", what, *about, sep="\n  ")


class Course:
    """A made-up course: some areas and chapters, and one exercise."""

    def __init__(self, folder):
        self.root = folder / "course"
        for name in ("gpu_check.sh", "gpu_report.py", "shell/gpu_stages.sh"):
            (self.root / "tools" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / "tools" / name, self.root / "tools" / name)
        for name in ["CMakeLists.txt", "cmake/a.cmake", "common/a.h", "solutions/01_one/scatter.cpp",
                     *(f"chapters/{chapter}/main.cpp" for chapter in CHAPTERS),
                     *(f"tests/common/{folder}/norm_test.cpp"
                       for folder in ["td/backends/cuda/gpu", "td/ops/half", "td/nn", "td/ops", "td/optim",
                                      "sim"])]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text("kSIM" if "sim" in name else "kCUDA")
        (self.root / "tools/bench").mkdir()
        (self.root / "tools/bench/compare_gpu.py").write_text(COMPARISON)
        (self.root / "tools/seen_running.py").write_text(SEEN_RUNNING)
        self.plants, self.calls, self.out = folder / "plants", folder / "calls", folder / "out"
        self.plants.mkdir()
        (folder / "program").write_text(PROGRAM)
        for name, text in (("cmake", CMAKE), ("compute-sanitizer", SANITIZER),
                           ("nvidia-smi", NVIDIA_SMI)):
            path = folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        self.environment = {
            **os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "CALLS": str(self.calls),
            "PLANTS": str(self.plants), "TARGETS": " ".join(
                [*(f"test_{area}" for area in AREAS), *(f"ch{chapter}" for chapter in CHAPTERS),
                 "check_ch01", "course-tool", "bench_device", "bench_graph", "bench_compare_gpu"]),
            "TD_GPU_BUILD": str(folder / "build"),
            "GIT_DIR": str(folder / "none"), "TD_GPU_COMMIT": "abc123"}

    def plant(self, program, text):
        """From now on `program` begins with this shell text."""
        (self.plants / program).write_text(text + "\n")

    def run(self, *arguments, code, says=(), **environment):
        """Runs the script; leaves what was called, and the JSON."""
        self.calls.write_text("")
        result = subprocess.run(
            ["bash", self.root / "tools/gpu_check.sh", "--out", self.out, *arguments], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**self.environment, **environment},
            timeout=120, check=False)
        self.called = self.calls.read_text()
        report = self.out / "gpu.json"
        self.text = report.read_text() if report.exists() else "{}"
        self.report = json.loads(self.text)
        output = re.sub(r"\(\d+ s\)", "(N s)", result.stdout)
        about = (" ".join(arguments), output)
        expect(f"exit code {code}, not {result.returncode}", result.returncode == code, *about)
        for text in says:
            expect(f"it says: {text}", text in output, *about)
        return output

    def stage(self, name):
        return self.report["stages"][name]


def test_usage(course):
    course.run(code=2, says=["which stages?", "configure build-core core-tests"])
    course.run("core-test", code=2, says=["there is no stage or option core-test"])
    course.run("--seconds", "soon", "all", code=2, says=["--seconds wants a number"])
    course.run("--out", code=2, says=["--out wants a value"])
    course.plant("../bin/nvidia-smi", "#!/bin/sh\nexit 9")
    course.run("all", code=2, says=["there is no GPU here; --without-gpu tries"])
    (course.plants / "../bin/nvidia-smi").write_text(NVIDIA_SMI)
    course.run("core-tests", code=2, says=["core-tests needs build-core first"])
    course.run("build-core", code=2, says=["build-core needs configure first"])


def test_all(course):
    output = course.run("all", code=0, says=["results: "])
    expect("stages in order", re.findall("^[a-z-]+$", output, re.M) == STAGES, output)
    expect("a configuration that warnings cannot stop",
           re.search("^cmake -S .*-DTD_CUDA=ON -DTD_WERROR=OFF", course.called, re.M), course.called)
    expect("only what is needed", "td_all test_cuda_gpu test_half test_nn test_ops test_optim --" in
           course.called and "test_sim" not in course.called, course.called)
    expect("chapters on cuda", "ch01_one --device cuda:0" in course.called, course.called)
    expect("what was seen on cuda is recorded", re.search(
        "seen_running run --kinds cuda --build .* --out .*/out/seen_running.json$", course.called, re.M), course.called)
    expect("checkers by exercise", "check_ch01 [scatter]" in course.called, course.called)
    expect("every stage is finished",
           all(course.stage(name)["status"] == "finished" for name in STAGES), course.text)
    expect("passes are counted", course.stage("core-tests")["passed"] == 5, course.stage("core-tests"))
    expect("the machine", course.report["machine"]["gpus"] == [
        {"name": "Made-up", "compute_cap": "9.0", "memory.total": "81920 MiB",
         "driver_version": "580.1"}] and course.stage("measure")["commit"] == "abc123", course.text)
    expect("what was measured", course.stage("measure")["items"]["device"]["values"]
           == {"copy to the device": "12.5 GB/s"}, course.text)
    expect("td and PyTorch are compared", re.search("compare_gpu --build .* --json .* large_mlp$",
                                                    course.called, re.M), course.called)
    expect("every figure of a comparison", course.stage("compare")["figures"]["mlp"]
           == {"float32, eager": {"td": {"median": 1e-5}}}, course.stage("compare"))
    expect("logs lie beside the JSON", {path.name for path in course.out.iterdir()}
           == {"gpu.json", *(f"{name}.log" for name in STAGES)}, list(course.out.iterdir()))
    course.run("all", code=0, says=["core-tests: finished before: 5 passed, 0 failed, 0 skipped"])
    expect("finished stages rest", "test_" not in course.called, course.called)
    course.run("core-tests", code=0)
    expect("a stage that is named begins again", "test_cuda_gpu" in course.called
           and "ch01" not in course.called, course.called)


def test_sanitizers(course):
    course.plant("test_cuda_gpu", "echo 'Error: Device not supported'; exit 1")
    course.run("sanitize", code=0)
    expect("memcheck sees every block, and no expected error of the API", re.search(
        "sanitizer --tool memcheck .*--report-api-errors no .*test_ops -# .*norm_test.*NO_CACHING=1",
        course.called), course.called)
    expect("racecheck looks at shared memory", re.search(
        "sanitizer --tool racecheck .*NO_CACHING=$", course.called, re.M), course.called)
    expect("a device that the tool refuses is a skip", course.stage("sanitize")["items"][
        "memcheck_cuda_gpu"]["status"] == "skipped", course.stage("sanitize"))
    course.plant("test_cuda_gpu", "exit 99")
    course.run("sanitize", code=1, says=["failed   memcheck_cuda_gpu (N s): exit code 99"])
    course.plant("test_cuda_gpu", "")


def test_failures(course):
    course.plant("test_cuda_gpu", "echo 'test cases: 3 | 1 failed'; exit 1")
    course.plant("test_optim", "echo 'no NCCL here'; exit 77")
    course.run("core-tests", code=1, says=["failed   test_cuda_gpu (N s): exit code 1: test cases: 3 | 1"])
    expect("a failure is named", course.stage("core-tests")["failures"] == ["test_cuda_gpu"], course.text)
    expect("a skip tells why", course.stage("core-tests")["items"]["test_optim"]
["text"] == "no NCCL here", course.text)
    expect("other stages stay", course.stage("chapters")["status"] == "finished", course.text)
    course.run("all", code=1)
    course.plant("test_ops", "kill -KILL $$")
    course.plant("test_cuda_gpu", "kill -SEGV $$")
    course.plant("test_optim", "sleep 30")
    course.run("core-tests", code=1, TD_GPU_SECONDS="1",
               says=["test_cuda_gpu (N s): exit code 139", "test_ops (N s): exit code 137",
                     "test_optim (N s): took more than 1 s"])
    course.plant("test_cuda_gpu", "")
    course.plant("test_optim", "")
    course.plant("test_ops", "")
    course.run("core-tests", code=0)
    expect("a new run replaces the old", course.stage("core-tests")["failures"] == [], course.text)


def test_going_on(course):
    course.plant("test_optim", "sleep 30")
    course.run("--seconds", "6", "core-tests", "chapters", code=3,
               says=["not done, because the time ran out: test_optim", "the same command resumes it"])
    expect("what is not done is told", course.stage("core-tests")["not_done"] == ["test_optim"]
           and course.stage("core-tests")["status"] == "not finished", course.text)
    expect("no stage follows", "ch01" not in course.called, course.called)
    course.plant("test_optim", "")
    course.run("core-tests", code=0)
    expect("it goes on where it was stopped", "test_optim" in course.called
           and "test_cuda_gpu" not in course.called, course.called)
    expect("both parts are one stage", course.stage("core-tests")["passed"] == 5, course.text)
    course.plant("cmake", "case $* in *td_all*) sleep 30 ;; esac")
    (course.root / "common/a.h").write_text("changed")
    shutil.rmtree(pathlib.Path(course.environment["TD_GPU_BUILD"]) / "tests")
    course.run("--seconds", "6", "all", code=3, says=["not done, because the time ran out: build"])
    expect("changed sources begin again", "cmake -S" in course.called, course.called)
    course.plant("cmake", "")
    course.run("all", code=0, says=["configure: finished before"])
    expect("programs that were not there are built", "test_cuda_gpu" in course.called, course.called)
    course.plant("cmake", "exit 1")
    shutil.rmtree(pathlib.Path(course.environment["TD_GPU_BUILD"]) / "chapters")
    course.run("chapters", code=1, says=["failed   build", "ch01_one was not built"])


def test_page(course):
    """Cells are filled only with known values."""
    course.plant("cmake", "")
    tests = pathlib.Path(course.environment["TD_GPU_BUILD"]) / "tests/CTestTestfile.cmake"
    tests.write_text("add_test([=[on_stand_in_ch01]=] a)\nadd_test(on_stand_in_ops b)\n")
    course.run("all", code=1)  # the failures of the chapters
    page = course.root / "gpu.md"
    page.write_text("| the cores | `core-tests/test_cuda_gpu` | not measured |\n"
                    "| copies | `measure/device: copy to the device` | not measured |\n"
                    "| all | `measure` | as before | not measured |\n"
                    "| other | `measure/device: nothing` | not measured |\n"
                    "| MLP | `compare/mlp: float32, eager` | 3 x PyTorch | not measured |\n"
                    "<!-- differences -->\n| - | - | - |\n<!-- end of differences -->\n")
    subprocess.run([sys.executable, course.root / "tools/gpu_report.py", "fill", page,
                    course.out / "gpu.json"], check=True)
    rows, differences = page.read_text().split("<!-- differences -->\n")
    cells = [line.split("|")[-2].strip() for line in rows.splitlines()]
    date = course.report["date"][:10]
    expect("filled cells", cells == [f"passed (Made-up, abc123, {date})",
                                     f"12.5 GB/s (Made-up, abc123, {date})",
                                     f"8 passed, 0 failed, 2 skipped (Made-up, abc123, {date})",
                                     "not measured", "12.5 us (12 us - 13 us); PyTorch 50 us (4.00 x) "
                                     f"(Made-up, abc123, {date})"], cells)
    expect("what only the stand-in lets pass", differences.splitlines()[2:] == [
        "| `on_stand_in_ch01` | `chapters/ch01_one` | ch01_one was not built |",
        "<!-- end of differences -->"], differences)


def test_dry_run(folder):
    """All stages with the real programs, which must reject cuda with a clear error; a stand-in runs the tests
    instead of compute-sanitizer. The page of what a GPU has to confirm names what there is."""
    shutil.rmtree(BUILD / "check-dry", ignore_errors=True)
    (folder / "tools").mkdir()
    shutil.copy(folder / "bin/compute-sanitizer", folder / "tools")
    start = time.monotonic()
    result = subprocess.run(
        [SOURCE / "tools/gpu_check.sh", "--without-gpu", "--out", folder / "dry", "all"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=280, check=False,
        env={**os.environ, "TD_GPU_BUILD": str(BUILD), "CALLS": str(folder / "calls"),
             "PATH": f"{folder / 'tools'}:{os.environ['PATH']}"})
    print(f"dry run: {time.monotonic() - start:.0f} s")
    expect("the dry run passes", result.returncode == 0, result.stdout)
    report = json.loads((folder / "dry" / "gpu.json").read_text())
    expect("every stage is finished", all(
        report["stages"][name]["status"] == "finished" for name in STAGES), result.stdout)
    chapters = report["stages"]["chapters"]["items"]
    for program in SOURCE.glob("chapters/[0-9]*"):
        item = chapters.get(f"ch{program.name}", {})
        expect(f"{program.name} refuses cuda in words",
               item.get("status") == "skipped" and "cuda" in item.get("text", ""), item)
    core = report["stages"]["core-tests"]["items"]
    expect("the core's tests start", core.get("test_device", {}).get("status") == "passed", core)
    page = (SOURCE / "docs/measurements/gpu.md").read_text()
    rows = re.findall(r"\| `([\w-]+)/([\w.-]+)[:`]", page)
    unknown = [f"{name}/{item}" for name, item in rows
               if item not in report["stages"].get(name, {}).get("items", {})]
    expect("the page asks for what the stages do", len(rows) > 60 and not unknown, unknown)
    expect("nothing was measured on a machine without a GPU", report["dry_run"], report["dry_run"])


with tempfile.TemporaryDirectory() as name:
    made_up = Course(pathlib.Path(name))
    for test in (test_usage, test_all, test_sanitizers, test_failures, test_going_on, test_page):
        print(test.__name__)
        test(made_up)
    if BUILD.exists():
        test_dry_run(pathlib.Path(name))
sys.exit(1 if faults else 0)
