#!/usr/bin/env python3
"""Tests tools/bench/compare_gpu.py: compare_gpu_test.py SOURCE BUILD [RAW].

Called by CTest. td on cpu and sim beside PyTorch on cpu, with small sizes; then programs in td's place
that compute something else, or end early: no time may be reported of them. With RAW, a bench_raw_cuda
that was linked with the stand-in for CUDA, also td on cuda, which is the stand-in's. Skipped (exit code
77) without PyTorch.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
RAW = sys.argv[3:]
# Hands lines to the real program, and changes its answers.
LIAR = """#!/usr/bin/env python3
import json, subprocess, sys
real = subprocess.Popen([{real!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    real.stdin.write(line)
    real.stdin.flush()
    answer = json.loads(real.stdout.readline())
    words = line.split()
    {lie}
    print(json.dumps(answer), flush=True)
"""
LIES = {
    "another loss on cpu": "if words[0] == 'setup': answer['values'][4] *= 1.002",
    "another loss on sim": "if words[0] == 'setup' and words[2] == 'sim:0': answer['values'][4] *= 1.002",
    "a loss that grows": "if words[0] == 'run': answer['loss'] = 1000",
    "no number as the loss": "if words[0] == 'run': answer['loss'] = None",
    "an early end": "if words[0] == 'run': sys.exit(3)",
    "a refusal": "answer = dict(error='no memory')",
}
faults = []


def expect(what, condition, *about):
    if not condition:
        faults.append(what)
        print("fail:", what, *about, sep="\n  ")


def compare(folder, *arguments, build=BUILD):
    result = subprocess.run(
        [sys.executable, "-B", SOURCE / "tools/bench/compare_gpu.py", "--build", build, "--size", "tiny",
         "--rounds", "1", "--seconds", "0.01", "--json", folder / "figures.json", *arguments],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    if result.returncode == 77:
        print(result.stdout)
        sys.exit(77)
    return result


def test_figures(folder, device, work, names):
    result = compare(folder, "--device", device, "--torch-device", "cpu", *RAW_OPTION, work)
    expect(f"{work} on {device} ends well", result.returncode == 0, result.stdout)
    figures = json.loads((folder / "figures.json").read_text())
    for name in names:
        expect(f"{work} on {device}, {name}", re.search(rf"^{name}: -?[0-9]", result.stdout, re.M)
               and name in figures, result.stdout)


def test_lie(folder, name, lie):
    place = folder / name.replace(" ", "_") / "tools/bench/bench_compare_gpu"
    place.parent.mkdir(parents=True)
    place.write_text(LIAR.format(real=str(BUILD / "tools/bench/bench_compare_gpu"), lie=lie))
    place.chmod(0o755)
    result = compare(folder, "--device", "sim:0", "simple", build=place.parents[2])
    expect(f"{name} is a failure", result.returncode == 1, result.stdout)
    said = re.findall(r"^float32, (?:eager|graph): .*", result.stdout, re.M)
    expect(f"{name} is not timed", not said, result.stdout)


RAW_OPTION = ["--raw", RAW[0]] if RAW else []
with tempfile.TemporaryDirectory() as temporary:
    home = pathlib.Path(temporary)
    if RAW:
        test_figures(home, "cuda:0", "large_mlp", ["float32, eager", "float32, graph", "tf32, eager",
                                                   "bfloat16, graph", "float16, eager"])
        test_figures(home, "cuda:0", "copies", ["to device pinned", "to host pageable"])
    else:
        test_figures(home, "cpu", "lenet", ["float32, eager", "bfloat16, eager", "float32, memory"])
        test_figures(home, "sim:0", "large_mlp", ["float32, eager", "float32, graph", "bfloat16, graph"])
        test_figures(home, "sim:0", "host", ["host, add", "host, linear"])
        test_figures(home, "sim:0", "scaler", ["share of a step, eager"])
        test_figures(home, "cpu", "startup", ["start to first result"])
        for lie_name, text in LIES.items():
            test_lie(home, lie_name, text)
sys.exit(1 if faults else 0)
