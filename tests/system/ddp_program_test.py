#!/usr/bin/env python3
"""Runs the programs of chapters 06 and 14 as several ranks on small data: what N ranks print is what one prints.

    ddp_program_test.py PROGRAM_FOLDER [DEVICE]

Called by CTest. Two ranks with batches of 8 see in each step the 16 pictures that one rank with
batches of 16 sees, at the same learning rate: loss and accuracy must agree, and all strategies must have the same loss.
The ranks use DEVICE (cpu); the one rank always uses cpu. With cuda there must be three GPUs.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from training_program_test import write_cifar

ENVIRONMENT = {k: v for k, v in os.environ.items()
               if k.startswith("TD_STAND_IN_") or not k.startswith(("TD_", "OPENBLAS_"))}
DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
PATIENCE = 120  # seconds; a busy machine is no fault
EPOCH = re.compile(r"Epoch (\d+), Loss: ([\d.]+), test accuracy: ([\d.]+) %")
faults = []


def run(program, *arguments, variables=None, device=DEVICE):
    result = subprocess.run([program, "--device", device, *map(str, arguments)], timeout=PATIENCE, text=True,
                            env={**ENVIRONMENT, **(variables or {})}, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    return result.returncode, result.stdout


def epochs(program, *arguments, **how):
    """[(loss, accuracy)] of each epoch."""
    code, text = run(program, *arguments, **how)
    found = [(float(loss), float(accuracy)) for _, loss, accuracy in EPOCH.findall(text)]
    if code != 0 or len(found) != 2:
        faults.append(f"{arguments}: exit code {code}, {len(found)} epochs:\n{text}")
    if DEVICE == "cuda" and "--spawn" in arguments and "rank 0 on cuda:0; transport: nccl" not in text:
        faults.append(f"{arguments}: the ranks are not on GPUs and NCCL:\n{text}")
    return found


def agrees(found, expected, what):
    # Losses have four digits; sums of floats in another order may change the last one.
    if len(found) != len(expected) or any(abs(f[0] - e[0]) > 3e-4 or abs(f[1] - e[1]) > 0.01
                                          for f, e in zip(found, expected)):
        faults.append(f"{what}: expected {expected}, got {found}")


def fails(program, code, text, *arguments):
    got, printed = run(program, *arguments)
    if got != code or text not in printed:
        faults.append(f"{arguments}: expected exit code {code} and \"{text}\"; got {got} and:\n{printed}")


def two_ranks(program, device, *arguments, variables=None):
    launcher = program.parent.parent / "tools/course/course-tool"
    return subprocess.run([launcher, "launch", "-n", "2", program, "--device", device, *map(str, arguments)],
                          timeout=PATIENCE, text=True, env={**ENVIRONMENT, **(variables or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def two_ranks_of_main(programs, device, second, variables=None):
    """The short program, where rank 1 must have the device `second` and end with the weights of rank 0."""
    result = two_ranks(programs / "ch06_nccl_ddp", device, variables=variables)
    weight = re.search(r"\[0\] Rank 0 on .*; first weight 0 at the start, (-0\.\d+) at the end", result.stdout)
    for line in ("[0] Epoch 3, Loss: 1.124",
                 f"[1] Rank 1 on {second}: 50 samples in 2 steps per epoch; first weight 1 at the start, "
                 f"{weight and weight[1]} at the end\n"):
        if result.returncode or line not in result.stdout:
            faults.append(f"two ranks of main.cpp, {variables}: exit code {result.returncode}, no {line!r}:\n{result.stdout}")


def strategies_agree(programs):
    """The step of chapter 14: after 5 steps, all strategies must have the loss of the first one."""
    losses = {}
    for strategy in ("naive", "flat", "buckets", "overlap", "ddp"):
        result = two_ranks(programs / "ch14-step", DEVICE, "--strategy", strategy, "--model", "cnn", "--batch-size", 4,
                           "--steps", 2, "--bucket-cap-mb", 0.1)
        found = re.search(r"Loss of the last step: ([\d.]+)", result.stdout)
        if result.returncode or not found:
            faults.append(f"step, {strategy}: exit code {result.returncode}:\n{result.stdout}")
            continue
        losses[strategy] = float(found[1])
        if abs(losses[strategy] - next(iter(losses.values()))) > 3e-4:
            faults.append(f"step: the strategies have different losses: {losses}")


def by_hand_is_ddp(programs):
    """The short program of chapter 14: its average is that of the gradients of both ranks, and DDP's."""
    result = two_ranks(programs / "ch14_ddp_inside", DEVICE)
    found = re.findall(r"Rank \d: the first gradient is (\S+), averaged by hand (\S+), by DDP (\S+)", result.stdout)
    values = [list(map(float, line)) for line in found]
    if result.returncode or len(values) != 2 or result.stdout.count(" gradients starts\n") != 3:
        faults.append(f"main.cpp of chapter 14: exit code {result.returncode}:\n{result.stdout}")
    elif any(abs(value - (values[0][0] + values[1][0]) / 2) > 1e-7 for line in values for value in line[1:]):
        faults.append(f"main.cpp of chapter 14: the averages are wrong: {values}")


def main():
    program = pathlib.Path(sys.argv[1]) / "ch06-train"
    with tempfile.TemporaryDirectory() as temporary:
        data = ["--data", write_cifar(pathlib.Path(temporary) / "pictures", 48), "--epochs", 2, "--lr", 0.05]
        alone = epochs(program, *data, "--batch-size", 16, device="cpu")
        for strategy in ("naive", "ddp"):
            two = [*data, "--batch-size", 8, "--spawn", 2, "--strategy", strategy]
            agrees(epochs(program, *two), alone, f"two ranks, {strategy}")
        if DEVICE == "cpu":
            agrees(epochs(program, *two, variables={"TD_TRANSPORT": "gloo"}), alone, "two ranks over gloo")
        three = [*data, "--samples", 24, "--batch-size", 2, "--spawn", 3]
        six = epochs(program, *data, "--samples", 24, "--batch-size", 6, device="cpu")
        agrees(epochs(program, *three), six, "three ranks")
        # 47 images cannot be divided evenly; the test half still counts each of its images once.
        epochs(program, *data, "--samples", 47, "--spawn", 2)
        fails(program, 1, "rank 1: --devices names 1 device for 2 ranks on this host; name one per rank",
              *data, "--spawn", 2, "--devices", "cpu")
        fails(program, 2, "--strategy", *data, "--strategy", "psychic")
        if DEVICE == "cuda":  # with one GPU, two ranks do not use it
            code, text = run(program, *two, device="auto", variables={"TD_STAND_IN_GPUS": "1"})
            if code or "This host has 1 GPU for 2 ranks, so the ranks use sim devices" not in text \
                    or "rank 0 on sim:0; transport: shared memory" not in text:
                faults.append(f"two ranks with one GPU: exit code {code}:\n{text}")
            two_ranks_of_main(pathlib.Path(sys.argv[1]), "auto", "sim:0", {"TD_STAND_IN_GPUS": "1"})
        strategies_agree(pathlib.Path(sys.argv[1]))
        by_hand_is_ddp(pathlib.Path(sys.argv[1]))
        two_ranks_of_main(pathlib.Path(sys.argv[1]), DEVICE, "cuda:1" if DEVICE == "cuda" else DEVICE)
    print("\n".join(faults) or "what several ranks print is what one prints")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
