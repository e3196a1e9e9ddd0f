#!/usr/bin/env python3
"""Follows the recipes of docs/adding.md in a copy of the project: adding_test.py PROJECT BUILD RECIPE COMPILER TD_CUDA.

    adding_test.py --self-test    checks that a recipe that does not work is noticed

Called by CTest, once per recipe ("core" or "chapter"). It does what the page says and nothing else: writes the files,
appends the lines, runs the commands, and looks for the lines that they print. Before that it configures the copy, as
the reader's own build directory is: with the compiler of the surrounding build, so that ccache has what did not
change. The copy whose core changes is compiled without optimization, because nothing there is timed.

Marks of the page, each before a fenced block:
    <!-- recipe: NAME -->              what follows belongs to this recipe
    <!-- file: PATH -->                the block is the file
    <!-- append: PATH -->              the block is appended to the file
    <!-- run --> <!-- run, exit code 1 -->   the block is commands for a shell in the project's directory
    <!-- prints -->                    each line is part of a line that the last commands printed
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STEP = re.compile(r"<!-- (recipe|file|append|run|prints)(?:: (\S+)|, exit code (\d+))? -->(?:\n+(`{3,})\w*\n(.*?)\n\4(?=\n))?", re.S)
MARK = re.compile(r"<!-- (?:recipe|file|append|run|prints)\b")
PATIENCE = 800
# Half of the time of an unoptimized file goes into the same headers.
FASTER = "cmake_language(DEFER CALL target_precompile_headers td PRIVATE <td/tensor/tensor.h>)\n"
UNOPTIMIZED = ["-DTD_CUDA=OFF", "-DTD_NATIVE=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -g0"]


class Fault(Exception):
    """A step of the page does not do what the page says."""


def steps_of(page, recipe):
    """The steps of one recipe: (kind, argument, exit code, block). @throws Fault for a mark that has none."""
    found, here = [], None
    for kind, argument, code, _, block in STEP.findall(page):
        if kind == "recipe":
            here = argument
        elif here == recipe:
            if not block:
                raise Fault(f"the mark \"{kind}: {argument}\" is not followed by a fenced block")
            found.append((kind, argument, int(code or 0), block + "\n"))
    if len(STEP.findall(page)) != len(MARK.findall(page)):
        raise Fault("a mark of the page is not written as the others are")
    if not any(step[0] == "run" for step in found):
        raise Fault(f"the recipe \"{recipe}\" runs nothing")
    return found


def run(commands, copy, expected):
    """What the commands print; the first one that fails ends them."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "CTEST_", "OPENBLAS_"))}
    environment["CI"] = "1"  # nothing is asked and nothing is installed
    done = subprocess.run(["bash", "-e", "-c", commands], cwd=copy, env=environment, timeout=PATIENCE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(commands + done.stdout, flush=True)
    if done.returncode != expected:
        raise Fault(f"exit code {done.returncode}, expected {expected}, of\n{commands}")
    return done.stdout


def follow(steps, copy):
    """Takes all steps. @throws Fault naming the first that fails."""
    printed = ""
    for kind, argument, code, block in steps:
        if kind == "run":
            printed = run(block, copy, code)
        elif kind == "prints":
            for line in block.splitlines():
                if line not in printed:
                    raise Fault(f"the commands do not print \"{line}\"")
        else:
            path = copy / argument
            if kind == "append" and not path.exists() or kind == "file" and path.exists():
                raise Fault(f"{kind}: {argument} {'exists already' if path.exists() else 'does not exist'}")
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "a") as file:
                file.write(block)


def make_copy(project, copy, options):
    """All that git has, configured. A folder of an earlier run keeps its build, which is then faster."""
    for path in copy.glob("*"):
        if path.name != "build":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    names = subprocess.run(["git", "-C", project, "ls-files"], capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        if (project / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project / name, copy / name)
    (copy / "build").mkdir(exist_ok=True)
    (copy / "build/faster.cmake").write_text(FASTER)
    subprocess.run(["cmake", "--preset", "release", *options], cwd=copy, check=True, stdout=subprocess.DEVNULL)


def self_test():
    block = "<!-- recipe: a -->\n<!-- file: x -->\n```\none\n```\n<!-- append: x -->\n\n```\ntwo\n```\n"
    right = block + "<!-- run, exit code 3 -->\n```sh\ncat x\nexit 3\n```\n<!-- prints -->\n```\ntwo\n```\n"
    faulty = [right.replace("code 3", "code 2"), right.replace("prints -->\n```\ntwo", "prints -->\n```\nthree"), block,
              right.replace("append: x", "append: y"), right.replace("file: x -->", "file: x -->\n\ntext"),
              right.replace("<!-- append:", "<!-- append"), right.replace("append:", "file:"), right.replace("cat x", "false")]
    for page, fails in [(right, False), *((page, True) for page in faulty)]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                follow(steps_of(page, "a"), pathlib.Path(folder))
                failed = False
            except Fault:
                failed = True
        if failed != fails:
            sys.exit(f"self-test: expected {'a fault' if fails else 'none'} of\n{page}")
    print(f"{len(faulty) + 1} cases as expected")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    project, build, recipe, compiler, cuda = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]
    steps = steps_of((project / "docs/adding.md").read_text(), recipe)
    copy = build / "adding" / recipe
    copy.mkdir(parents=True, exist_ok=True)
    options = [f"-DCMAKE_CXX_COMPILER={compiler}"]
    options += [*UNOPTIMIZED, f"-DCMAKE_PROJECT_INCLUDE={copy}/build/faster.cmake"] if recipe == "core" else [f"-DTD_CUDA={cuda}"]
    make_copy(project, copy, options)
    try:
        follow(steps, copy)
    except Fault as fault:
        sys.exit(f"docs/adding.md, recipe \"{recipe}\": {fault}")
    print(f"{len(steps)} steps of the recipe \"{recipe}\"")
    return None


if __name__ == "__main__":
    main()
