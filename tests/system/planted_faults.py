#!/usr/bin/env python3
"""Plants faults in the cuda backend, one at a time, and expects a test to fail: planted_faults.py BUILD.

Called by CTest with --quick, and by hand. planted_faults/*.toml list the faults: each replaces text in
one file of common/. The changed file and what is compiled from it lie in a scratch directory, which
also gets the library on the stand-in (or the program) that holds them, linked again. The named test
must pass without the fault and must fail with it.
Invariant: neither the checkout nor the build directory is written to.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

PROJECT = pathlib.Path(__file__).resolve().parents[2]
LISTS = sorted((PROJECT / "tests/system/planted_faults").glob("*.toml"))
TABLE = PROJECT / "docs/measurements/planted_faults.md"
# The libraries on the stand-in, and the one that serves every device.
LIBRARIES = ["cuda_stand_in/libtd_device.so", "cuda_stand_in/libtd_trace.so", "cuda_stand_in/libtd.so", "cuda_stand_in/libtd_more.so",
             "cuda_stand_in/libtd_cuda_libs.so", "lib/libtd_distributed.so"]
PAGE = """# Planted faults

A test that has never failed may not be able to find faults. Therefore `tests/system/planted_faults.py` plants {count} faults,
one at a time, in a copy of the cuda backend, of its kernels and of the process group. For each it runs a test on the stand-in for CUDA
(`tests/support/cuda_stand_in`), without a GPU. The test passes without the fault and fails with it, and its output then contains the text
in the last column. CTest plants {quick} of the faults in its entry `planted_faults`; this command plants all of them and writes this page:

```
cmake --preset release -DTD_CUDA=ON && cmake --build --preset release --target {programs}
python3 tests/system/planted_faults.py build/release --markdown
```

*Review* means a fault that a code review found and that was fixed: planting it undoes the fix. *List* means that the
fault is on the list of faults that a stand-in for CUDA must find. *Own* means a fault that was added to these.

"""
VERBOSE = "--verbose" in sys.argv
CACHE = shutil.which("ccache")


@dataclasses.dataclass
class Fault:
    """An entry of a list."""
    name: str
    source: str                 # "review 5", a finding of a review, or "list"
    file: str                   # below common/
    before: str                 # occurs once in the file
    after: str
    units: list                 # source files below common/ that are compiled again; [] is the file itself
    more: list                  # further texts to replace, as [before, after]
    test: str                   # program, then its arguments
    expect: str                 # words of the failing test's output
    environment: dict = dataclasses.field(default_factory=dict)
    may_hang: bool = False      # the test finds the fault by not ending
    quick: bool = False         # one of those that CTest plants

    def sources(self):
        return self.units or [self.file]

    def program(self):
        return self.test.split()[0]

    def changed_text(self):
        text = (PROJECT / self.file).read_text()
        for before, after in [(self.before, self.after), *self.more]:
            if text.count(before) != 1:
                raise LookupError(f"{self.file} must hold this text once, not {text.count(before)} times: {before}")
            text = text.replace(before, after)
        return text

    def command(self):
        return tuple(shlex.split(self.test)), tuple(sorted(self.environment.items()))


def read_faults():
    faults = []
    for path in LISTS:
        common = tomllib.loads(path.read_text())
        for entry in common["fault"]:
            entry["environment"] = {k: str(v) for k, v in entry.get("environment", {}).items()}
            faults.append(Fault(**{"units": [], "more": [], **entry}))
    for fault in faults:
        fault.changed_text()
    names = [fault.name for fault in faults]
    assert len(names) == len(set(names)), "two faults have the same name"
    return faults


class Build:
    """How the build directory compiles and links."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        entries = json.loads((self.folder / "compile_commands.json").read_text())
        self.compile = {self.output(entry["command"]): entry["command"] for entry in [*entries, *self.kernels()]}
        self.link = {library: self.link_command(library) for library in LIBRARIES}

    def kernels(self):
        """The core's kernels for the stand-in, which commands of the project compile. Without the compiler's cache."""
        entries = json.loads(subprocess.run(["ninja", "-C", self.folder, "-t", "compdb", "CUSTOM_COMMAND"], check=True,
                                            capture_output=True, text=True).stdout)
        # "cd FOLDER && the compilation && what CMake does with the list of headers"
        return [{"command": re.sub(r".*/ccache\.sh .* gcc ", "", entry["command"].split(" && ")[1])}
                for entry in entries if entry["output"].endswith(".cu.o")]

    def link_command(self, target):
        return subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "-s", target], check=True,
                              capture_output=True, text=True).stdout.splitlines()[-1]

    @staticmethod
    def output(command):
        words = shlex.split(command)
        return words[words.index("-o") + 1]

    def place_of(self, source, program):
        """What holds the source file, the program or a library of the stand-in, and the object in it."""
        self.link.setdefault(program, self.link_command(program))
        for linked in [program, *LIBRARIES]:
            for word in self.link[linked].split():
                if word.endswith(f"/{source.removeprefix('common/')}.o") and word in self.compile:
                    return linked, word
        raise LookupError(f"no library on the stand-in is made from {source}")


def run(command, seconds=300, **more):
    """The exit code, which is None when the time is up, and the output. Ends what the command started."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True, **more) as process:
        try:
            return process.communicate(timeout=seconds)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return process.communicate()[0], None


class Planting:
    """One fault in a scratch directory of its own."""

    def __init__(self, build, fault, scratch):
        self.build, self.fault = build, fault
        self.scratch = scratch / re.sub(r"\W+", "_", fault.name)

    def change(self):
        changed = self.scratch / self.fault.file
        changed.parent.mkdir(parents=True)
        changed.write_text(self.fault.changed_text())

    def compile(self, source, target):
        """The object in place of the build's `target`. Paths in the scratch directory are relative, so
        that ccache knows a compilation again in the next run."""
        words = shlex.split(self.build.compile[target])
        (self.scratch / target).parent.mkdir(parents=True, exist_ok=True)
        if source == self.fault.file:
            words[-1] = source
        words[1:1] = ["-Icommon", "-w"]
        text, code = run([CACHE] * bool(CACHE) + words, cwd=self.scratch,
                         env={**os.environ, "CCACHE_NOHASHDIR": "1"})
        if code != 0:
            raise LookupError(f"{source} does not compile:\n{text}")
        return self.scratch / target

    def link(self):
        """A directory with the program and the stand-in's libraries, those with the fault linked again."""
        folder, program = self.scratch / "linked", f"tests/{self.fault.program()}"
        folder.mkdir()
        objects = {}
        for source in self.fault.sources():
            linked, target = self.build.place_of(source, program)
            objects.setdefault(linked, {})[target] = self.compile(source, target)
        for linked in [program, *LIBRARIES]:
            made = folder / pathlib.Path(linked).name
            if linked not in objects:
                made.symlink_to(self.build.folder / linked)
                continue
            command = self.build.link[linked].replace(f"-o {linked} ", f"-o {made} ")
            for target, replacement in objects[linked].items():
                command = command.replace(f" {target} ", f" {replacement} ")
            text, code = run(["sh", "-c", command], cwd=self.build.folder)
            if code != 0:
                raise LookupError(f"{made.name} cannot be linked:\n{text}")
        return folder


def run_test(build, command, programs, libraries, seconds):
    (program, *arguments), environment = command
    more = {**os.environ, **dict(environment), "LD_LIBRARY_PATH": f"{libraries}:{build.folder}/cuda_stand_in"}
    return run([programs / program, *arguments, "-w", "NoTests"], seconds, env=more)


def verdict_without(build, command, seconds):
    """Why the test is of no use: it does not pass without the fault. Empty when it does."""
    text, code = run_test(build, command, build.folder / "tests", build.folder / "cuda_stand_in", seconds)
    return "" if code == 0 else f"{shlex.join(command[0])} fails without a fault:\n{text[-4000:]}"


def verdict_with(build, fault, scratch, seconds):
    """Why the fault was not found; empty when it was."""
    planting = Planting(build, fault, scratch)
    try:
        planting.change()
        folder = planting.link()
    except LookupError as error:
        return str(error)
    text, code = run_test(build, fault.command(), folder, folder, seconds)
    shutil.rmtree(planting.scratch)
    if code is None:
        return "" if fault.may_hang else f"the test did not end within {seconds} s:\n{text[-4000:]}"
    if code == 0:
        return "the test passes"
    if VERBOSE:
        print(f"--- {fault.name}\n{text[-3000:]}")
    if " ".join(fault.expect.split()) not in " ".join(text.split()):
        return f"the test fails, but not with the words \"{fault.expect}\":\n{text[-4000:]}"
    return ""


def plant(build, faults, seconds):
    """The names of the faults that were not found."""
    missed = []
    with tempfile.TemporaryDirectory(prefix="planted_faults") as scratch, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        commands = list(dict.fromkeys(fault.command() for fault in faults))
        without = dict(zip(commands, pool.map(lambda one: verdict_without(build, one, seconds), commands)))
        verdicts = pool.map(lambda fault: without[fault.command()] or
                            verdict_with(build, fault, pathlib.Path(scratch), seconds), faults)
        for fault, verdict in zip(faults, verdicts):
            print(f"{'NOT FOUND' if verdict else 'found'}: {fault.name}", flush=True)
            if verdict:
                print(verdict, flush=True)
                missed.append(fault.name)
    return missed


def write_table(faults):
    programs = " ".join(sorted({fault.program() for fault in faults}))
    text = PAGE.format(count=len(faults), quick=sum(fault.quick for fault in faults), programs=programs)
    text += "| fault | from | file below `common/` | test that fails | words of the failure |\n|---|---|---|---|---|\n"
    for f in faults:
        text += f"| {f.name} | {f.source} | {f.file.removeprefix('common/')} | `{f.test}` | `{f.expect}` |\n"
    TABLE.write_text(text)


def chosen(faults, options):
    for name in options.only:
        if name not in [fault.name for fault in faults]:
            sys.exit(f"there is no fault \"{name}\"; --list names them")
    if options.only:
        return [fault for fault in faults if fault.name in options.only]
    return [fault for fault in faults if fault.quick or not options.quick]


def main():
    parser = argparse.ArgumentParser(description="Plants faults in the cuda backend and expects tests to fail.")
    parser.add_argument("build", nargs="?", default=PROJECT / "build/release", help="build directory")
    parser.add_argument("--list", action="store_true", help="name the faults and plant none")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="plant this fault")
    parser.add_argument("--quick", action="store_true", help="plant those that CTest plants, in a minute")
    parser.add_argument("--seconds", type=int, default=120, help="that a test may take (120)")
    parser.add_argument("--markdown", action="store_true", help=f"write {TABLE.relative_to(PROJECT)}")
    parser.add_argument("--verbose", action="store_true", help="show what the failing tests print")
    options = parser.parse_args()
    faults = chosen(read_faults(), options)
    if options.list:
        print("\n".join(f"{fault.name} ({fault.source}): {fault.file}" for fault in faults))
        return 0
    missed = plant(Build(options.build), faults, options.seconds)
    if options.markdown and not missed and len(faults) == len(read_faults()):
        write_table(faults)
    print(f"{len(faults) - len(missed)} of {len(faults)} planted faults were found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
