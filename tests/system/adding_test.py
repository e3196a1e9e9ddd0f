#!/usr/bin/env python3
"""Follows the recipes of docs/adding.md in a copy of the project: adding_test.py PROJECT BUILD RECIPE COMPILER.

    adding_test.py --self-test    checks that a recipe that does not work is noticed

Called by CTest, once per recipe. It does what the page says and nothing else: writes the files, appends the lines,
runs the commands, and looks for the lines that they print.

The recipe "core" changes what all files include. It has a directory of its own, which is configured before as a
reader's is, but compiled without optimization, because nothing there is timed, and by clang where it is, which takes
half the time. The recipe "chapter" changes nothing
that is built already, so it has the project itself with its build, behind an overlay that takes all that is written:
in a mount namespace, which ends with the test. Invariant: the project stays as it is.

Marks of the page, each before a fenced block:
    <!-- recipe: NAME -->              what follows belongs to this recipe
    <!-- file: PATH -->                the block is the file
    <!-- append: PATH -->              the block is appended to the file
    <!-- entry: PATH -->               the block follows the last line that begins with the same word
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

STEP = re.compile(r"<!-- (recipe|file|append|entry|run|prints)(?:: (\S+)|, exit code (\d+))? -->(?:\n+(`{3,})\w*\n(.*?)\n\4(?=\n))?", re.S)
MARK = re.compile(r"<!-- (?:recipe|file|append|entry|run|prints)\b")
PATIENCE = 800
UNOPTIMIZED = ["-DTD_CUDA=OFF", "-DTD_NATIVE=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -g0"]
SKIPPED = 77
# A tmpfs for what is written, because not every file system can hold the upper side of an overlay.
OVERLAY = """mount -t tmpfs tmpfs "$1" && mkdir "$1/up" "$1/work" &&
mount -t overlay overlay -o "lowerdir=$2,upperdir=$1/up,workdir=$1/work$3" "$2" && cd "$2" || exit 77
shift 3
exec "$@"
"""


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


def add_entry(path, block):
    """Puts the block into a list, after its last entry."""
    word = re.match(r"\w+", block)[0]
    before, entry, after = path.read_text().rpartition(f"\n{word}(")
    if not entry:
        raise Fault(f"entry: {path.name} has no line that begins with \"{word}(\"")
    line, _, rest = after.partition("\n")
    path.write_text(f"{before}{entry}{line}\n{block}{rest}")


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
            if (kind == "file") == path.exists():
                raise Fault(f"{kind}: {argument} {'exists already' if path.exists() else 'does not exist'}")
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind == "entry":
                add_entry(path, block)
                continue
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


def in_overlay(project, build):
    """Runs this test for "chapter" again, where writing leaves the project as it is. Returns its exit code."""
    if build != project / "build/release":
        print(f"skipped: the commands of the page build in build/release, not in {build}")
        return SKIPPED
    # Other users than root are root in a namespace of users, where an overlay keeps its notes in other attributes.
    namespace, option = ("-m", "") if os.geteuid() == 0 else ("-Urm", ",userxattr")
    # In a container and below chroot even root may not have one.
    if subprocess.run(["unshare", namespace, "true"], check=False).returncode:
        print("skipped: this machine allows no mount namespace")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        inside = [sys.executable, "-B", __file__, "--inside", project]
        code = subprocess.run(["unshare", namespace, "sh", "-c", OVERLAY, "sh", folder, project, option, *inside],
                              check=False).returncode
    if code == SKIPPED:
        print("skipped: this machine allows no overlay in a mount namespace of its own")
    return code


def follow_page(project, copy, recipe):
    """All of one recipe. @throws SystemExit with the first fault."""
    try:
        steps = steps_of((project / "docs/adding.md").read_text(), recipe)
        follow(steps, copy)
    except Fault as fault:
        sys.exit(f"docs/adding.md, recipe \"{recipe}\": {fault}")
    print(f"{len(steps)} steps of the recipe \"{recipe}\"")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1] == "--inside":
        project = pathlib.Path(sys.argv[2])
        return follow_page(project, project, "chapter")
    project, build, recipe, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]
    if recipe == "chapter":
        return in_overlay(project, build)
    copy = build / "tests/system/adding"
    copy.mkdir(parents=True, exist_ok=True)
    make_copy(project, copy, [f"-DCMAKE_CXX_COMPILER={shutil.which('clang++') or compiler}", *UNOPTIMIZED])
    return follow_page(project, copy, recipe)


if __name__ == "__main__":
    sys.exit(main())
