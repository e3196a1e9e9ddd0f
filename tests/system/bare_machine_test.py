#!/usr/bin/env python3
"""Runs the tests that are scripts once more, as on a machine that has only what the course needs:
bare_machine_test.py PROJECT BUILD [NAME...]; with names only these tests.

Called by CTest. Every program of an optional package and every optional Python module is hidden, and no namespace
can be made. Invariant: no such test fails; what it can't do is skipped, with the name of what is missing. Left out are
tests that take long and use nothing optional but the linker that the build was configured with.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CANNOT_RUN_HERE = 77
PATIENCE = 600
# Of the packages of the section base; what is essential to Debian is there on every machine.
BASE = """c++ g++ gcc cc cpp cmake ctest ninja git python3 python ar as ld nm objdump objcopy ranlib readelf strip
addr2line c++filt""".split()
HIDDEN_MODULES = ["torch", "numpy", "safetensors", "yaml", "pyte", "markdown_it", "pygments", "pip"]
LONG = re.compile(r"adding_core$|.*_program$|listings$|gpu_check$|compare_gpu$|ranks_faults|conformance_|on_stand_in|planted_faults$|old_gpu|nvcc_is|cuda_programs$")
SITE = f"""import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {HIDDEN_MODULES}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)
sys.meta_path.insert(0, Hidden())
"""


def said_by(*words):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, check=True).stdout


def essential_programs():
    """Paths of the programs that every Debian has."""
    rows = said_by("dpkg-query", "-W", "-f", "${Package} ${Essential}\n").splitlines()
    packages = [row.split()[0] for row in rows if row.endswith(" yes")]
    return [line for line in said_by("dpkg-query", "-L", *packages).splitlines()
            if re.match(r"(/usr)?/s?bin/[^/]+$", line)]


def make_machine(folder):
    """The environment of a bare machine, whose programs are links in `folder`."""
    programs, site = folder / "bin", folder / "site"
    programs.mkdir()
    site.mkdir()
    # Alternatives, such as awk, belong to no package.
    for name in [*essential_programs(), *BASE, "awk", "which"]:
        found = shutil.which(name)
        if found and not (programs / pathlib.Path(name).name).exists():
            (programs / pathlib.Path(name).name).symlink_to(found)
    (programs / "unshare").unlink()
    (programs / "unshare").write_text("#!/bin/sh\necho 'unshare: cannot change root filesystem propagation' >&2\nexit 1\n")
    (programs / "unshare").chmod(0o755)
    (site / "sitecustomize.py").write_text(SITE)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "CTEST_", "OPENBLAS_", "PYTHON"))}
    return {**environment, "PATH": str(programs), "PYTHONPATH": str(site)}


def script_tests(build, names):
    """CTest's entries that are scripts."""
    tests = json.loads(said_by("ctest", "--test-dir", str(build), "--show-only=json-v1"))["tests"]
    return [test for test in tests if any(word.endswith((".py", ".sh")) for word in test.get("command", []))
            and __file__ not in test["command"]
            and (test["name"] in names if names else not LONG.match(test["name"]))]


def properties_of(test):
    return {one["name"]: one["value"] for one in test.get("properties", [])}


def run(test, environment):
    """("passed", "skipped" or "failed", what it printed), by CTest's rules."""
    properties = properties_of(test)
    settings = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))
    done = subprocess.run(test["command"], cwd=properties["WORKING_DIRECTORY"], env={**environment, **settings},
                          timeout=PATIENCE, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    wanted = properties.get("PASS_REGULAR_EXPRESSION")
    if done.returncode == CANNOT_RUN_HERE:
        # A skip without a reason would not help anybody.
        return "skipped" if "skipped: " in done.stdout else "failed", done.stdout
    good = re.search(wanted[0], done.stdout, re.S) if wanted else done.returncode == 0
    return "passed" if bool(good) != properties.get("WILL_FAIL", False) else "failed", done.stdout


def main():
    build, names = pathlib.Path(sys.argv[2]), sys.argv[3:]
    if not shutil.which("dpkg-query"):
        print("skipped: there is no dpkg-query here, which knows what every machine has")
        return CANNOT_RUN_HERE
    tests = script_tests(build, names)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        environment = make_machine(pathlib.Path(folder))
        # CTest runs some alone, because they start ranks: here they come after the others, one at a time.
        tests.sort(key=lambda test: "RUN_SERIAL" in properties_of(test))
        together = [test for test in tests if "RUN_SERIAL" not in properties_of(test)]
        results = list(pool.map(lambda test: run(test, environment), together))
        results += [run(test, environment) for test in tests[len(together):]]
        # A second time alone: what fails only beside other tests is not caused by a missing part.
        again = {index: run(test, environment) for index, test in enumerate(tests) if results[index][0] == "failed"}
    failures = []
    for index, (test, (result, text)) in enumerate(zip(tests, results)):
        reasons = re.findall(r"skipped: .*", text)
        print(f"{result}: {test['name']}" + "".join(f"\n  {reason}" for reason in reasons))
        if index in again:
            failures.append(f"{test['name']} failed, and then, alone, {again[index][0]}:\n{text}")
            results[index] = again[index]
    print(*failures, sep="\n")  # last, because CTest's caller may show only the end
    # Enough of them, and some that miss something: else nothing is shown here.
    counts = [sum(result == which for result, _ in results) for which in ("passed", "failed", "skipped")]
    print("{} passed, {} failed, {} skipped".format(*counts))
    return 1 if counts[1] or not counts[0] or not (counts[2] or names) else 0


if __name__ == "__main__":
    sys.exit(main())
