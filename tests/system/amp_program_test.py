#!/usr/bin/env python3
"""Runs chapter 07's program precisions as a user does: each precision, td::amp against the exercises, an overflow, the picture.

    amp_program_test.py PROGRAM_FOLDER [DEVICE]

Called by CTest. With a DEVICE, such as one of the stand-in for CUDA, only the training on it. The network is small and its data random, so that a run takes a second; the figures of the network for
pictures are in docs/measurements/amp.md.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ENVIRONMENT = {k: v for k, v in os.environ.items()
               if k.startswith("TD_STAND_IN_") or not k.startswith(("TD_", "OPENBLAS_"))}
SMALL = ["--model", "mlp", "--width", "64", "--samples", "1024", "--lr", "0.01"]
faults = []


def expect(condition, what):
    if not condition:
        faults.append(what)


def run(program, *arguments, code=0):
    """What one run prints, stdout and stderr together; its exit code must be `code`."""
    done = subprocess.run([program, *map(str, arguments)], env=ENVIRONMENT, timeout=120, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    shown = " ".join(map(str, arguments))
    expect(done.returncode == code, f"{shown}: exit code {done.returncode}, not {code}:\n{done.stdout}")
    return done.stdout


def losses(text):
    """{precision: [loss of each epoch's last step]}"""
    found = {}
    for name, loss in re.findall(r"^(\w+) +epoch \d+, Loss: ([\d.]+|nan|inf),", text, re.M):
        found.setdefault(name, []).append(float(loss))
    return found


def training_is_the_same(program, device, reference):
    """float32 learns what it learns on cpu, each precision the same, and the exercises do what td::amp does, to the last digit."""
    text = run(program, "--device", device, *SMALL)
    core = losses(text)
    with_tf32 = ["tf32"] if device.startswith("cuda") else []
    expect(list(core) == ["float32", *with_tf32, "bfloat16", "float16"], f"{device}: precisions {list(core)}")
    expect(len(reference) == 3 and reference[-1] < 0.7 * reference[0], f"float32 did not learn: {reference}")
    found = core.get("float32", [0])
    expect(all(abs(a - b) < 2e-3 for a, b in zip(found, reference)), f"{device}: float32 {found}, on cpu {reference}")
    for name, values in core.items():
        expect(abs(values[-1] - reference[-1]) < 0.05 * reference[0],
               f"{device}: {name} ends with loss {values[-1]}, float32 with {reference[-1]}")
    by_hand = losses(run(program, "--device", device, "--by-hand", *SMALL))
    expect(by_hand == core, f"{device}: by hand {by_hand}, td::amp {core}")


def overflow_is_skipped(program, device, *how):
    """One forced overflow: that step is skipped, the scale halves, grows again, and training continues."""
    text = run(program, "--device", device, "--precision", "float16", "--overflow-at", "5", "--growth-interval", "9",
               "--epochs", "1", *SMALL, *how)
    said = re.findall(r"^  step .*$", text, re.M)
    expect(said == ["  step 5: overflow, skipped; the scale is 32768 now", "  step 14: the scale grows to 65536"],
           f"{how}: the scale went another way: {said}")
    row = re.search(r"^float16 +[\d.]+ % +[\d.]+ +[\d.]+ MiB +[\d.]+ MiB +(\d+) +(\d+)$", text, re.M)
    expect(row and row.groups() == ("1", "65536"), f"{how}: the table has no such row:\n{text}")
    expect("nan" not in text and "inf" not in text, f"{how}: the overflow went into the parameters:\n{text}")


def picture_is_drawn(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "amp.svg"
        run(program, "--device", "cpu", "--overflow-at", "5", "--epochs", "1", "--picture", path, *SMALL)
        tags = [element.tag.split("}")[1] for element in xml.etree.ElementTree.parse(path).iter()]
        expect(tags.count("polyline") == 4, f"{tags.count('polyline')} curves: expected three losses and a scale")
        expect(tags.count("circle") == 1, f"{tags.count('circle')} skipped steps are marked, not one")
        text = run(program, "--device", "cpu", "--epochs", "1", "--picture", path / "no.svg", *SMALL, code=1)
        expect("cannot be written" in text, f"a picture in a file's place:\n{text}")


def main():
    program = pathlib.Path(sys.argv[1]) / "ch07-precisions"
    devices = sys.argv[2:] or ["cpu", "sim"]
    reference = losses(run(program, "--device", "cpu", "--precision", "float32", *SMALL))["float32"]
    for device in devices:
        training_is_the_same(program, device, reference)
    for how in ([], ["--by-hand"], ["--clip", "0.5"], ["--clip", "0.5", "--by-hand"]):
        overflow_is_skipped(program, devices[-1], *how)
    if devices[-1] == "sim":
        picture_is_drawn(program)
        text = run(program, "--device", "sim", "--precision", "tf32", *SMALL, code=77)
        expect("take --precision float32" in text, f"tf32 on sim:\n{text}")
        run(program, "--precision", "float8", code=2)
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
