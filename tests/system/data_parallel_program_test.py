#!/usr/bin/env python3
"""Runs chapter 05's programs as a user does: its strategies, devices, Ctrl-C, and the timeline.

    data_parallel_program_test.py PROGRAM_FOLDER

Called by CTest. Whatever the strategy and the devices, one epoch over the same pictures ends with the same loss.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from training_program_test import ENVIRONMENT, PATIENCE, ends, expect, faults, stops, write_cifar

SHORT = ["--epochs", "1", "--batch-size", "15"]  # of 40 pictures: the last batch has 10


def loss(program, *arguments):
    run = subprocess.run([program, *map(str, arguments)], env=ENVIRONMENT, timeout=PATIENCE, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    found = re.search(r"Epoch 1, Loss: ([0-9.]+),", run.stdout)
    expect(run.returncode == 0 and found, f"{' '.join(map(str, arguments))}: {run.stdout}")
    return float(found.group(1)) if found else 0.0


def strategies(program, data):
    alone = loss(program, "--data", data, *SHORT, "--strategy", "single", "--devices", "cpu")
    expect(1 < alone < 100, f"the loss on one device is {alone}")
    for strategy in ("by-hand", "data-parallel"):
        for devices in ("sim:0,sim:1", "cpu,cpu", "sim:1,sim:0,sim:1"):
            other = loss(program, "--data", data, *SHORT, "--strategy", strategy, "--devices", devices)
            expect(abs(other - alone) < 2e-3 * alone, f"{strategy} on {devices}: {other}, alone {alone}")


def pictures(program, data, folder):
    picture = folder / "step.svg"
    draw = ["--data", data, "--devices", "sim:0,sim:1", "--timeline"]
    for strategy in ("single", "by-hand", "data-parallel"):
        ends(program, draw + [picture, "--strategy", strategy], 0, "sim:0 |", "f", "b")
        root = xml.etree.ElementTree.parse(picture).getroot()
        titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
        expect(len(titles) > 20, f"{strategy}: {len(titles)} launches in the picture")
        expect(any(t.startswith("Memcpy") for t in titles), f"{strategy}: no copy in the picture")
    ends(program, draw + [folder / "nowhere" / "step.svg"], 1, "cannot write", "step.svg")
    ends(program, ["--data", data, "--devices", "cpu,cpu", "--timeline", "-"], 2, "accelerator")


def main():
    program = pathlib.Path(sys.argv[1]) / "ch05-train"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = write_cifar(folder / "colour")
        strategies(program, data)
        pictures(program, data, folder)
        main_program = program.with_name("ch05_data_parallel")
        ends(main_program, ["--device", "sim"], 0, "Using 2 sim devices!", "(module): Sequential(", "Epoch 5, 30 outputs on sim:0")
        ends(main_program, ["--device", "cpu"], 0, "Epoch 5, 30 outputs on cpu")
        ends(program, ["--strategy", "magic"], 2, "magic", "by-hand")
        ends(program, ["--devices", "sim:0,sim:7", "--data", data], 1, "there is no sim:7")
        stops(program, ["--devices", "sim:0,sim:1", "--data", data, "--epochs", 1000000, "--batch-size", 8])
    print("\n".join(faults + [f"{len(faults)} faults"]))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
