#!/usr/bin/env python3
"""Compiles a whole CUDA program with nvcc and runs it on the GPU: gpu_program.py [--sanitizers] FILE.cu...

Called by tools/gpu_check.py for programs that CI runs with `./course cuda`, to see that a GPU does the same. The first
file says in comments what it prints (`// prints: LINE`) and which options nvcc needs (`// nvcc: -rdc=true`).
With --sanitizers the program has a mistake, and the answer is which tools of compute-sanitizer report it.
Exit codes: 0, 1 where the program does not compile or prints something else, 77 without nvcc.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = ["memcheck", "racecheck", "synccheck", "initcheck"]
PATIENCE = 30


def run(words, seconds=PATIENCE):
    """Exit code and output; the code is None where the program did not end in time."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=seconds, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace")


def said_in(file, word):
    return re.findall(rf"^// {word}: (.*)$", file.read_text(encoding="utf-8"), re.M)


def check_output(program, file):
    code, out = run([program])
    missing = [line for line in said_in(file, "prints") if line not in out.splitlines()]
    print(out)
    if code != 0 or missing:
        print(f"{file.name} ends with {code} and does not print {missing}")
        return 1
    return 0


def report_sanitizers(program, file):
    found = []
    for tool in TOOLS:
        leaks = ["--leak-check", "full"] if tool == "memcheck" else []
        code, out = run(["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *leaks, program])
        print(f"== {tool} ends with {code}\n{out}")
        if code is None or re.search(r"ERROR SUMMARY: [1-9]|RACECHECK SUMMARY: [1-9]|LEAK SUMMARY: [1-9]", out):
            found.append(tool if code is not None else f"{tool} (did not end)")
    print(f"{file.name}: reported by {', '.join(found) or 'none'}")
    return 0


def main():
    words = sys.argv[1:]
    sanitizers = words[0] == "--sanitizers"
    files = [pathlib.Path(word) for word in words[sanitizers:] if word.endswith((".cu", ".cc"))]
    options = [word for word in words[sanitizers:] if not word.endswith((".cu", ".cc"))]
    if not shutil.which("nvcc"):
        print("skipped: there is no nvcc here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        for line in said_in(files[0], "nvcc"):
            options += line.split()
        code, out = run(["nvcc", "-arch=native", "-lineinfo", "-o", program, *map(str, files), *options], 120)
        if code != 0:
            print(f"nvcc ends with {code} for {files[0].name}:\n{out}")
            return 1
        return report_sanitizers(program, files[0]) if sanitizers else check_output(program, files[0])


if __name__ == "__main__":
    sys.exit(main())
