#!/usr/bin/env python3
"""Chapter 10 on a real XLA plugin: xla_test.py SOURCE_FOLDER CHAPTERS_FOLDER COMPILER.

Called by CTest. PJRT_PLUGIN names the plugin; `./course test --all` fetches XLA's own for the cpu and
requires it, elsewhere its absence is a skip. The header that lies beside it judges our declarations.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


class Fault(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Fault(what)


def run_program(program, *options, code=0, **environment):
    done = subprocess.run([program, *options], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})
    expect(done.returncode == code, f"{' '.join(options)}: expected exit code {code}, got "
                                    f"{done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_declarations(source, compiler, plugin):
    """abi.h agrees with PJRT's own header, and the comparison can fail."""
    folders = [plugin.parent, plugin.parent / "include"]
    headers = [folder for folder in folders if (folder / "pjrt_c_api.h").exists()]
    expect(headers, f"there is no pjrt_c_api.h beside {plugin}")
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{source}/common", f"-I{headers[0]}",
               f"{source}/tests/system/pjrt_abi.cpp"]
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"abi.h differs from pjrt_c_api.h:\n{done.stderr}")
    planted = subprocess.run([*command, "-DPLANTED_FAULT"], capture_output=True, text=True)
    expect(planted.returncode != 0, "a planted fault in abi.h was not seen")


def losses(text):
    found = [float(x) for x in re.findall(r"^Epoch \d+, Loss: (\S+)$", text, re.M)]
    expect(found, f"no losses in\n{text}")
    return found


def check_training(train, loop):
    """XLA trains as the core does, and several replicas as one."""
    for model, epochs in (("linear", "6"), ("classifier", "4")):
        one = run_program(train, "--model", model, "--epochs", epochs)
        for replicas, program in (("1", train), ("2", train), ("2", loop)):
            text = run_program(program, "--model", model, "--epochs", epochs, "--replicas", replicas)
            expect(len(re.findall(r"^  xla:\d", text, re.M)) == int(replicas), text)
            expect("the weights were donated: yes" in text, text)
            difference = float(re.search(r"own training on the cpu: (\S+)", text)[1])
            expect(difference <= 1e-5, f"{model}, {replicas} replicas differ by {difference}")
            for a, b in zip(losses(one), losses(text)):
                expect(abs(a - b) <= 1e-5 + 2e-3 * abs(a), f"{model}: loss {b}, one replica has {a}")
        expect(losses(one)[-1] < losses(one)[0], f"{model} learned nothing")
    text = run_program(train, "--batch-size", "96", "--keep-last", "--epochs", "2")
    expect("programs compiled: 2\n8 steps" in text, f"a smaller last batch is a second program:\n{text}")
    difference = float(re.search(r"own training on the cpu: (\S+)", text)[1])
    expect(difference <= 1e-5, f"with a smaller last batch, the weights differ by {difference}")
    text = run_program(train, "--replicas", "8", "--batch-size", "56", "--epochs", "1")
    expect("5 steps per replica" in text and "copied 12320 bytes" in text, f"an incomplete group is dropped:\n{text}")


def check_lazy(lazy):
    """Lazy tensors give the same weights on XLA and by td, and compile once for each number of rows."""
    texts = [run_program(lazy), run_program(lazy, PJRT_PLUGIN="")]
    weights = [[float(x) for x in re.findall(r"first weight (\S+)$", text, re.M)] for text in texts]
    for text in texts:
        expect("programs compiled: 2\n" in text, f"expected two programs:\n{text}")
    expect(len(weights[0]) == 5, f"five steps:\n{texts[0]}")
    for a, b in zip(*weights):
        expect(abs(a - b) <= 1e-4 * (1 + abs(a)), f"XLA computed {a}, td {b}")


def check_main(program):
    """The main program trains; pytorch.py has the same losses, which the twins compare."""
    found = losses(run_program(program))
    expect(len(found) == 3 and found[0] > found[1] > found[2], f"the losses of main.cpp are {found}")
    text = run_program(program, "--epochs", "1", code=2)
    expect("There is no option --epochs" in text, text)


def check_exercises(train, loop, lazy):
    """The programs call every exercise but the one that is a program of its own, so that --mine runs the learner's."""
    built = (pathlib.Path(train).parents[1] / "exercises" / "stub").glob("libch10_*.so")
    stubs = sorted(stub for stub in built if "repair" not in stub.name)
    expect(len(stubs) == 7, f"the stubs are {stubs}")
    for stub in stubs:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / stub.name).symlink_to(stub)
            name = stub.stem.replace("libch10_", "")
            program = {"donate": loop, "lazy": lazy}.get(name, train)
            text = run_program(program, code=1, LD_LIBRARY_PATH=folder)
            expect(f"not done yet: {name}" in text, f"the program does not use {name}:\n{text}")


def check_refusals(program, train, stablehlo):
    """What is no plugin ends with 77 and words; wrong numbers with 1."""
    text = run_program(program, code=SKIPPED, PJRT_PLUGIN="")
    expect("PJRT_PLUGIN is not set" in text and "libtpu.so" in text, text)
    text = run_program(program, code=SKIPPED, PJRT_PLUGIN="/nowhere/plugin.so")
    expect("there is no PJRT plugin at /nowhere/plugin.so" in text, text)
    text = run_program(program, code=SKIPPED, PJRT_PLUGIN="/etc/passwd")
    expect("cannot be opened" in text, text)
    text = run_program(program, "--device", "cpu", code=SKIPPED)
    expect("there is no --device here" in text, text)
    text = run_program(train, code=SKIPPED, PJRT_PLUGIN="/nowhere/plugin.so")
    expect("there is no PJRT plugin at /nowhere/plugin.so" in text, text)
    text = run_program(train, "--replicas", "3", code=2)
    expect("--replicas 3 does not divide the batch of 32" in text, text)
    text = run_program(train, "--replicas", "2", "--keep-last", code=2)
    expect("--keep-last needs one replica" in text, text)
    expect("stablehlo.all_reduce" in run_program(stablehlo, PJRT_PLUGIN=""), "stablehlo")
    # Exercises that cannot be judged here are skipped, which is no failure. `lazy` needs no plugin.
    tool = str(pathlib.Path(program).parents[1] / "tools/course/course-tool")
    text = run_program(tool, "prove", "10", "--solutions", "--no-build", PJRT_PLUGIN="")
    expect("\n1 passed, 0 failed, 7 skipped\n" in text, text)


def main(source, chapters, compiler):
    plugin = os.environ.get("PJRT_PLUGIN")
    if not plugin:
        print("skipped: XLA's plugin is not here; ./course run 10 fetches it")
        return SKIPPED
    program, train, loop, lazy, stablehlo = (
        str(pathlib.Path(chapters) / name)
        for name in ("ch10_xla_and_tpu", "ch10-train", "ch10-loop", "ch10-lazy", "ch10-stablehlo"))
    try:
        check_declarations(source, compiler, pathlib.Path(plugin))
        check_main(program)
        check_training(train, loop)
        check_lazy(lazy)
        check_exercises(train, loop, lazy)
        check_refusals(program, train, stablehlo)
    except Fault as fault:
        print(f"failed: {fault}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
