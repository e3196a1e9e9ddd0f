#!/usr/bin/env python3
"""Runs whole CUDA programs with `./course cuda`: cuda_programs_test.py TOOL BUILD FOLDER.

Called by CTest. Programs that are right (programs/, and those of the chapters) print the lines that they begin with, and
--check finds nothing in them. Some of them also run plain, which takes another program, whose kernels have no hooks.
Programs with one mistake (mistakes/) make --check print the words that they begin with, and fail. The last part looks at the
command: its errors, the profile, and that a program is not compiled again.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PATIENCE = 120  # seconds; a busy machine is no fault
PLAIN = ("children", "instructions", "latch", "launches", "locks", "reduction", "specifiers", "symbols", "textures", "vectors", "volatile_flag")
CHAPTERS = pathlib.Path(__file__).resolve().parents[2] / "chapters"
faults = []


def expect(condition, what):
    if not condition:
        faults.append(what)


class Tool:
    def __init__(self, tool, build, folder):
        self.words = [str(pathlib.Path(tool).resolve()), "--build", str(pathlib.Path(build).resolve()), "cuda", "--cpu"]
        self.folder = folder

    def run(self, *words):
        """The exit code, stdout, and both outputs together."""
        done = subprocess.run([*self.words, *map(str, words)], cwd=self.folder, timeout=PATIENCE, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout, done.stdout + done.stderr


def wanted(program):
    lines = program.read_text(encoding="utf-8").splitlines()
    found = [line[len("// prints: "):] for line in lines if line.startswith("// prints: ")]
    expect(found, f"{program.name} does not say what it prints")
    return found


def check_right(tool, program, words=(), option="--check"):
    code, out, everything = tool.run(program, *words, *([option] if option else []))
    expect(code == 0 and "fault" not in out, f"{program.name} is right, but with \"{option}\" it says:\n{everything}")
    lines = out.splitlines()
    for line in wanted(program):
        expect(line in lines, f"{program.name} does not print \"{line}\" with \"{option}\":\n{everything}")


def check_mistake(tool, program):
    code, out, everything = tool.run(program, "--check")
    expect(code == 1 and "fault" in out, f"--check finds no fault in {program.name}:\n{everything}")
    for text in wanted(program):
        expect(text in everything, f"--check does not print \"{text}\" for {program.name}:\n{everything}")


def check_plain_runs(tool):
    code, _, everything = tool.run("mistakes/host_reads.cu")
    expect(code in (139, -11) and "host_reads.cu:12: the host reads" in everything,
           f"a plain run does not report a host access, or ends with {code}:\n{everything}")
    code, out, everything = tool.run("mistakes/without_syncwarp.cu")
    expect(code == 0 and out == "sum: 2016\n", f"lanes do not keep in step at volatile shared memory:\n{everything}")
    begin = time.monotonic()
    code, out, everything = tool.run("programs/vecadd.cu")
    expect(code == 0 and out == "0 wrong elements\n", f"vecadd.cu ends with {code} and prints:\n{everything}")
    expect(time.monotonic() - begin < 2 or "building" in everything,
           "a program that has not changed takes more than 2 seconds")


def check_profile(tool):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        code, out, everything = tool.run("programs/vecadd.cu", "--profile", "--json", folder / "p.json", "--pictures", folder / "p")
        expect(code == 0 and "add: grid (4), block (256)" in out and "store  c:" in out, f"the profile of vecadd.cu is:\n{everything}")
        profile = json.loads((folder / "p.json").read_text(encoding="utf-8"))
        expect(len(profile) == 1, f"the JSON has {len(profile)} launches")
        expect(len(list((folder / "p").glob("add-*.svg"))) == 3, "there are not 3 pictures")


def check_gpu(tool):
    """With a made-up GPU and a made-up nvcc, which makes a program that prints its words."""
    with tempfile.TemporaryDirectory() as folder:
        programs = {"nvidia-smi": "echo 'GPU 0: made up'", "compute-sanitizer": "echo sanitizer; shift 2; exec \"$@\"",
                    "nvcc": "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=\"$2\"; shift; done\n"
                            "printf '#!/bin/sh\\necho made by nvcc: $@\\nexit 3\\n' > \"$out\"; chmod +x \"$out\""}
        for name, script in programs.items():
            path = pathlib.Path(folder) / name
            path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
            path.chmod(0o755)
        path = f"{folder}:{os.environ['PATH']}"
        on_gpu = [word for word in tool.words if word != "--cpu"]
        for words, text in ([], "made by nvcc: a b"), (["--check"], "sanitizer\nmade by nvcc: a b"):
            done = subprocess.run([*on_gpu, "programs/vecadd.cu", *words, "--", "a", "b"], cwd=tool.folder, timeout=PATIENCE, text=True,
                                  env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            expect(done.returncode == 3 and done.stdout.strip() == text and "Runs on the GPU, compiled by nvcc" in done.stderr,
                   f"with a GPU and {words} it ends with {done.returncode} and prints:\n{done.stdout}{done.stderr}")


def check_errors(tool):
    with tempfile.TemporaryDirectory() as folder:
        broken = pathlib.Path(folder) / "broken.cu"
        broken.write_text("#define ANSWER 42\n__global__ void k(int* p) {\n  p[0] = ANSWER +;\n}\nint main() {}\n", encoding="utf-8")
        for words, code, text in [
                ([broken], 1, "broken.cu:3:"),
                (["none.cu"], 2, "There is no file none.cu"),
                (["CMakeLists.txt"], 2, "its name must end with .cu"),
                (["programs/vecadd.cu", "--chek"], 2, "There is no option --chek. Options: --check"),
                ([], 2, "Which program?")]:
            got, _, everything = tool.run(*words)
            expect(got == code and text in everything, f"{words} ends with {got} and prints:\n{everything}")
        program = pathlib.Path(folder) / "arguments.cu"
        program.write_text("int main(int count, char** words) { return count == 3 && words[2][0] == 'b' ? 7 : 1; }\n", encoding="utf-8")
        expect(tool.run(program, "--", "--a", "b")[0] == 7, "a program does not get its arguments, or its exit code is lost")


def main():
    folder = pathlib.Path(sys.argv[3]).resolve()
    tool = Tool(*sys.argv[1:3], folder)
    tool.run("programs/vecadd.cu")  # builds the runtime, once
    two_files = folder / "programs/two_files"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        right = sorted(folder.glob("programs/*.cu")) + sorted(CHAPTERS.glob("*/programs/*.cu"))
        jobs = [pool.submit(check_right, tool, program) for program in right]
        jobs += [pool.submit(check_right, tool, folder / f"programs/{name}.cu", (), "") for name in PLAIN]
        jobs += [pool.submit(check_mistake, tool, program) for program in sorted(folder.glob("mistakes/*.cu"))]
        jobs.append(pool.submit(check_right, tool, two_files / "main.cu",
                                [two_files / "scale.cu", two_files / "host.cc", "-D", "COUNT=32", "-std=c++17"]))
        jobs += [pool.submit(check, tool) for check in (check_plain_runs, check_profile, check_gpu, check_errors)]
        for job in jobs:
            job.result()
    print("\n".join(faults) or f"{len(jobs)} programs and commands as expected")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
