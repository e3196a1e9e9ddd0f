#!/usr/bin/env python3
"""Runs on a machine with a GPU what CI cannot run: tests, sanitizers, timings, programs.

  tools/gpu_check.py [OPTION...] [PART[/ITEM]...]    all parts, or only what is named, in this order:
      start backend operations solutions timings comparison programs sanitizers counters cuda
    --list          prints the names of the items, as PART/ITEM, and runs nothing; `operations/ops` names all
                    items that begin with `ops.`
    --build DIR     the build to run (build/gpu); tools/gpu_package.sh makes one on a machine without a GPU
    --out DIR       for gpu.json and logs.tar.xz (build/gpu-check)
    --seconds N     how long all of it may take (570)
    --stand-in      a rehearsal without a GPU, on the tests' stand-in for CUDA; its times mean nothing

Each part has its own limit, so a slow one cannot take the time of the next. A test program that crashes is repeated
with CUDA_LAUNCH_BLOCKING=1. `python3 tools/gpu_report.py fill docs/measurements/gpu.md OUT/gpu.json` writes the
results into the page. Exit codes: 0 all passed or skipped, 1 failures, 2 wrong usage, no build or no GPU, 3 not all
done in time.
Invariant: gpu.json is complete after each part, so a run that is ended loses one part at most.
"""

import argparse
import concurrent.futures
import datetime
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time

import gpu_report

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRASHED = re.compile(r"cuda error|CUDA error|illegal (memory access|instruction)|unspecified launch failure|SIG[A-Z]+")
SKIPPED = 77


def refuse(why):
    print(f"gpu_check: {why}", file=sys.stderr)
    sys.exit(2)


class Item:
    """One program of a part."""

    def __init__(self, name, *command, limit=60, skip_codes=(SKIPPED,), alone=False, needs=None,
                 **environment):
        self.name, self.command, self.limit = name, [str(word) for word in command], limit
        self.skip_codes, self.alone, self.environment = skip_codes, alone, environment
        self.needs = needs or command[0]  # a program of the build


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


class Check:
    """All parts, the time they have, and their results."""

    def __init__(self, options):
        self.options, self.build, self.out = options, options.build.resolve(), options.out.resolve()
        self.logs = self.build / "check-logs"
        self.parts = []
        self.all()

    def prepare(self):
        """The folders, the environment and an empty report."""
        self.began = time.monotonic()
        self.put_in_place()
        if (self.build / "commit").exists():  # of a build that was packed elsewhere
            os.environ["TD_GPU_COMMIT"] = (self.build / "commit").read_text().strip()
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)
        self.out.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        self.environment = self.surroundings()
        self.report = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                       "commit": gpu_report.commit(), "rehearsal": self.options.stand_in,
                       "machine": gpu_report.machine(self.build, self.environment),
                       "on_stand_in": gpu_report.stand_in_tests(self.build), "parts": {}}

    def put_in_place(self):
        """Programs know the folder where they were built: where it is another one, a link stands for it."""
        cache = self.build / "CMakeCache.txt"
        if not cache.exists():
            refuse(f"there is no build in {self.build}; unpack the archive of tools/gpu_package.sh")
        home = pathlib.Path(re.search("^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.M).group(1))
        if home.resolve() == ROOT:
            return
        try:
            home.parent.mkdir(parents=True, exist_ok=True)
            if home.is_symlink():
                home.unlink()
            home.symlink_to(ROOT)
        except OSError as error:
            refuse(f"the programs were built in {home}; put these sources there, or a link to {ROOT}: "
                   f"{error.strerror}")

    def surroundings(self):
        """The environment of all programs: what the build brings, and NVIDIA's libraries in Python's wheels."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
        wheels = [folder for path in sys.path for folder in sorted(glob.glob(f"{path}/nvidia/*/lib"))]
        folders = [str(self.build / "brought"), *wheels]
        if self.options.stand_in:
            folders.insert(0, str(self.build / "cuda_stand_in"))
            environment["TD_STAND_IN_OBSERVE"] = "0"  # observed kernels take many times as long
        known = environment.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = ":".join(folders + ([known] if known else []))
        environment["OMP_WAIT_POLICY"] = "passive"
        return environment

    def left(self):
        return self.options.seconds - (time.monotonic() - self.began)

    def run(self, item, limit, **more):
        """Exit code (None: it took too long), output and seconds of a program."""
        begin = time.monotonic()
        # To a file, because what a killed program said counts too.
        log = self.logs / f"{item.name}{'.blocking' if more else ''}.txt"
        with open(log, "wb") as file:
            file.write((" ".join(item.command) + "\n").encode())
            file.flush()
            child = subprocess.Popen(item.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                     env={**self.environment, **item.environment, **more}, start_new_session=True)
            try:
                code = child.wait(timeout=max(limit, 1))
            except subprocess.TimeoutExpired:
                code = None
            finally:
                try:
                    os.killpg(child.pid, 9)
                except ProcessLookupError:
                    pass
                child.wait()
        said = log.read_text(errors="replace").split("\n", 1)[1]
        return code, said, time.monotonic() - begin

    def one(self, part, item, until):
        """Runs an item, and tells its result on the screen."""
        limit = min(item.limit, until - time.monotonic(), self.left())
        if not shutil.which(item.needs):
            status, text, seconds, said = "failed", f"{item.needs} is not here", 0, ""
        elif limit < 2:
            status, text, seconds, said = "not done", "there was no time left", 0, ""
        else:
            code, said, seconds = self.run(item, limit)
            status, text = "failed", f"exit code {code}: {last_line(said)}"
            if code == 0:
                status, text = "passed", ""
            elif code in item.skip_codes or "Device not supported" in said:
                status, text = "skipped", last_line(said)
            elif code is None:
                text = f"took more than {limit:.0f} s; last it said: {last_line(said)}"
                if limit < item.limit:
                    status = "not done"
            elif (code < 0 or CRASHED.search(said)) and "sanitizer" not in item.command[0]:
                repeat, again, _ = self.run(item, min(item.limit, self.left()), CUDA_LAUNCH_BLOCKING="1")
                text += f"; with CUDA_LAUNCH_BLOCKING=1: exit code {repeat}: {last_line(again)}"
        about = {"status": status, "seconds": round(seconds, 1)}
        values = gpu_report.values_of(said)
        about.update({"text": text} if text else {}, **({"values": values} if values else {}))
        with self.lock:
            part["items"][item.name] = about
            if status != "passed":
                print(f"  {status:8} {item.name} ({seconds:.0f} s): {text}", flush=True)

    def part(self, name, seconds, items, at_once=1):
        """Adds a part: how long it may take, and how many of its items run at once."""
        self.parts.append((name, seconds, items, at_once))

    def choose(self, words):
        """Leaves only the parts, areas and items that the words name."""
        def fits(word, name, item):
            return word == name or f"{name}/{item.name}.".startswith(word + ".")

        for word in words:
            if not any(fits(word, name, item) for name, _, items, _ in self.parts for item in items):
                refuse(f"there is no part or item {word}; the parts are "
                       f"{' '.join(name for name, *_ in self.parts)}, and --list prints the items")
        chosen = [(name, seconds, [item for item in items if any(fits(word, name, item) for word in words)], at_once)
                  for name, seconds, items, at_once in self.parts]
        self.parts = [part for part in chosen if part[2]]

    def run_part(self, name, seconds, items, at_once):
        """Runs the items of a part, those that must be alone last."""
        begin = time.monotonic()
        until = begin + seconds
        part = self.report["parts"][name] = {"items": {}}
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            list(pool.map(lambda item: self.one(part, item, until), (item for item in items if not item.alone)))
        for item in items:
            if item.alone:
                self.one(part, item, until)
        part["seconds"] = round(time.monotonic() - begin, 1)
        print(gpu_report.line_of(name, part), flush=True)
        self.publish()

    def publish(self):
        (self.out / "gpu.json").write_text(json.dumps(self.report, indent=1) + "\n")
        with tarfile.open(self.out / "logs.tar.xz", "w:xz") as tar:
            tar.add(self.logs, "logs")

    # What there is to run.

    def test(self, area, file=None, **more):
        """The tests of an area of tests/common, or those of one of its files."""
        program = self.build / "tests" / f"test_{area}"
        words = ["-#", f"[#{file}]"] if file else []
        if self.options.stand_in:  # as in tests/on_stand_in.cmake
            words += ["~NVIDIA's libraries*"] if area == "cuda_build" else []
            more.update({"TD_STAND_IN_EDGES": "8", "TD_STAND_IN_MEMORY": "12288"} if file == "large_test" else {})
        return Item(f"{area}.{file.removesuffix('_test')}" if file else area, program, *words, **more)

    def tests_by_file(self, area, folder, alone=(), **more):
        """One process per file: an error of the device makes it unusable for the rest of a process."""
        files = sorted(path.stem for path in (ROOT / "tests/common" / folder).glob("*_test.cpp"))
        return [self.test(area, file, alone=file in alone, **more) for file in files]

    def sanitizer(self, tool, area, file):
        item, words, caching = self.test(area, file), [], {}
        if tool in ("memcheck", "initcheck"):  # which know the borders of a block only where none is kept for reuse
            words, caching = ["--report-api-errors", "no"], {"TD_NO_CACHING": "1"}
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *words]
        return Item(f"{tool}.{item.name}", *command, *item.command, limit=120, **caching)

    def solutions(self, chapter):
        """The checker of each solution; it also compares the kernels of chapters 11 to 13 with those of the GPU."""
        folder = next((ROOT / "solutions").glob(f"{chapter}_*"))
        program = self.build / "chapters" / f"check_ch{chapter}"
        return [Item(f"check_ch{chapter}.{path.stem}", program, f"[{path.stem}]", skip_codes=(4,))
                for path in sorted(folder.glob("*.c*"))]

    def program(self, number):
        """A chapter's program on the GPU; its row of the table in README.md lies beside the log."""
        command = [sys.executable, "-B", ROOT / "tools/seen_running.py", "run", number.lstrip("0"), "--kinds", "cuda"]
        return Item(f"ch{number}", *command, "--build", self.build, "--out", self.logs / f"seen_running.{number}.json")

    def xla_program(self):
        """Chapter 10 on the GPU, where this Python has JAX's plugin for it."""
        plugins = [file for path in sys.path for file in glob.glob(f"{path}/jax_plugins/xla_cuda*/xla_cuda_plugin.so")]
        chapters = self.build / "chapters"
        return [Item(name, chapters / program, PJRT_PLUGIN=plugin) for plugin in plugins[:1]
                for name, program in (("ch10.xla", "ch10_xla_and_tpu"), ("ch10.train", "ch10-train"))]

    def compared(self, work, limit, *more):
        """One piece of work of td and of PyTorch, interleaved."""
        program = self.build / "tools/bench/bench_compare_gpu"
        if self.options.stand_in:
            more = ["--size", "tiny", "--rounds", "1", "--seconds", "0.01", "--torch-device", "cpu"]
        return Item(work, sys.executable, "-B", ROOT / "tools/bench/compare_gpu.py", "--build", self.build, "--json",
                    self.logs / f"compare.{work}.json", *more, work, limit=limit, needs=program)

    def counted(self, chapter, kernel):
        """Sectors and bank conflicts of a kernel of chapters 12 and 13, as the GPU counts them."""
        counters = ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]
        command = ["ncu", "--clock-control", "none", "--metrics", ",".join(counters), "--launch-count", "4"]
        return Item(f"ncu.{kernel}", *command, "--kernel-name", f"regex:{kernel}",
                    self.build / f"chapters/check_ch{chapter}", f"[{kernel}]", limit=40)

    def whole_programs(self):
        """The CUDA programs that CI runs with `./course cuda`, and what compute-sanitizer says of mistakes."""
        script, folder = [sys.executable, "-B", ROOT / "tools/gpu_program.py"], ROOT / "tests/common/cuda"
        two_files = folder / "programs/two_files"
        right = sorted([*folder.glob("programs/*.cu"), *(ROOT / "chapters").glob("*/programs/*.cu")])
        # Not those with managed memory, whose mistakes can stop more than the program.
        wrong = [path for path in sorted(folder.glob("mistakes/*.cu")) if not path.stem.startswith("managed")]
        tool = [self.build / "tools/course/course-tool", "--build", self.build, "cuda"]
        return [*(Item(path.stem, *script, path) for path in right),
                Item("two_files", *script, two_files / "main.cu", two_files / "scale.cu", two_files / "host.cc",
                     "-DCOUNT=32", "-std=c++17", f"-I{two_files}"),
                *(Item(f"mistake.{path.stem}", *script, "--sanitizers", path, limit=100) for path in wrong),
                Item("course_cuda", *tool, ROOT / "chapters/11_kernels_threads/programs/scaled_add.cu", "--check",
                     alone=True)]

    def all(self):
        """Every part, and how long it may take at most."""
        bench, chapters = self.build / "tools/bench", self.build / "chapters"
        chapter_numbers = sorted(path.name[:2] for path in (ROOT / "chapters").glob("[0-9]*_*"))
        device = ["--device", "cuda:0"]
        quick = ["--quick"] if self.options.stand_in else []
        self.part("start", 40, [
            self.test("cuda_build"), self.test("cuda"),
            Item("check_ch11.add", chapters / "check_ch11", "[add]", skip_codes=(4,))])
        self.part("backend", 80, self.tests_by_file("cuda_gpu", "td/backends/cuda/gpu", ["large_test"], limit=40),
                  at_once=3)
        self.part("operations", 120, [
            *self.tests_by_file("ops", "td/ops"), *self.tests_by_file("half", "td/ops/half"),
            *self.tests_by_file("amp", "amp"), *self.tests_by_file("nn", "td/nn"),
            *self.tests_by_file("optim", "td/optim"), *self.tests_by_file("tensor", "td/tensor"),
            *self.tests_by_file("autograd", "td/autograd"), *self.tests_by_file("parallel", "parallel"),
            *self.tests_by_file("device", "td/device"), self.test("io"), self.test("machine"), self.test("blas"),
            self.test("observe"), self.test("nccl"), self.test("graphs")], at_once=8)
        self.part("solutions", 110, [item for number in chapter_numbers for item in self.solutions(number)], at_once=8)
        self.part("timings", 90, [
            Item("device", bench / "bench_device", "cuda:0", *quick), Item("graph", bench / "bench_graph", "cuda:0"),
            Item("grad_scaler", bench / "bench_grad_scaler", "--device", "cuda", limit=30),
            Item("kernel_costs", bench / "bench_kernel_costs", *device, limit=30)])
        rounds = ["--rounds", "3", "--compile-seconds", "0"]
        self.part("comparison", 150, [
            *(self.compared(work, 45, *rounds) for work in
              ("host", "simple", "mlp", "cifar", "copies", "lenet", "startup", "scaler")),
            self.compared("large_mlp", 120, *rounds)])
        self.part("programs", 110, [
            *(self.program(number) for number in chapter_numbers if number != "10"),  # which is for XLA's plugins
            Item("ch04.training", chapters / "ch04-train", *device, "--epochs", "2"),
            Item("ch04.channels_last", chapters / "ch04-train", *device, "--epochs", "2", "--channels-last"),
            Item("ch06.training", chapters / "ch06-train", *device, "--epochs", "2"),
            Item("ch07.amp", chapters / "ch07-precisions", *device, "--epochs", "2"),
            Item("ch08.bandwidth", chapters / "ch08-bandwidth", *device, "--largest", "256"),
            *(Item(f"ch09.{name}", chapters / f"ch09-{name}", *device) for name in ("pipeline", "split", "offload")),
            *(Item(f"ch{name}".replace("-", "."), chapters / f"ch{name}", *device) for name in (
                "11-values", "11-times", "12-values", "12-times", "13-values", "13-times", "13-roofline", "13-training")),
            Item("ch14.step", chapters / "ch14-step", *device),
            Item("ch15.advise", chapters / "ch15-advise", *device),
            Item("ch15.predictions", chapters / "ch15-predictions", *device), *self.xla_program()])
        self.part("sanitizers", 130, [
            *(self.sanitizer("memcheck", "ops", file) for file in
              ("suite_pointwise_test", "suite_reduce_test", "suite_index_test", "norm_test")),
            self.sanitizer("memcheck", "cuda_gpu", "graph_test"), self.sanitizer("memcheck", "optim", "sgd_test"),
            self.sanitizer("racecheck", "cuda_gpu", "reduce_test"), self.sanitizer("racecheck", "ops", "norm_test"),
            self.sanitizer("synccheck", "cuda_gpu", "reduce_test"), self.sanitizer("synccheck", "ops", "norm_test"),
            self.sanitizer("initcheck", "cuda_gpu", "reduce_test"),
            self.sanitizer("initcheck", "ops", "suite_index_test")],
            at_once=12)
        self.part("counters", 60, [self.counted(12, "transpose"), self.counted(13, "matmul"), self.counted(12, "block_sum")])
        if not self.options.stand_in:  # which is no GPU for programs that nvcc makes
            self.part("cuda", 100, self.whole_programs(), at_once=14)


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART[/ITEM]")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/gpu")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/gpu-check")
    parser.add_argument("--seconds", type=int, default=570)
    parser.add_argument("--stand-in", action="store_true")
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    check = Check(options)
    if options.parts:
        check.choose(options.parts)
    if options.list:
        for name, _, items, _ in check.parts:
            for item in items:
                print(f"{name}/{item.name}")
        return
    if not options.stand_in and not gpu_report.said_by("nvidia-smi", "-L"):
        refuse("there is no GPU here; --stand-in rehearses this script without one")
    check.prepare()
    for part in check.parts:
        check.run_part(*part)
    print(gpu_report.table_of(check.report))
    print(f"results: {check.out}/gpu.json, logs.tar.xz")
    statuses = {about["status"] for part in check.report["parts"].values() for about in part["items"].values()}
    sys.exit(1 if "failed" in statuses else 3 if "not done" in statuses else 0)


if __name__ == "__main__":
    main()
