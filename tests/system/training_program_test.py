#!/usr/bin/env python3
"""Runs chapter 04's programs as a user does: every model on small data, Ctrl-C, and bad input.

    training_program_test.py PROGRAM_FOLDER COURSE_TOOL

Called by CTest; the tool draws the pictures. Each case states the exit code and a part of the text; a program that leaves a file
behind in the data folder, or that is ended by a signal, fails.
"""

import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
PATIENCE = 120  # seconds; a busy machine is no fault
faults = []


def expect(condition, what):
    if not condition:
        faults.append(what)


def write_cifar(folder, count=40):
    """A training file and a test file of random-looking pictures in CIFAR-10's binary format."""
    folder.mkdir(parents=True)
    for name in ("data_batch_1.bin", "test_batch.bin"):
        records = [bytes([i % 10]) + bytes((i * 7 + k * (i + 3)) % 256 for k in range(3072))
                   for i in range(count)]
        (folder / name).write_bytes(b"".join(records))
    return folder


def write_grey(folder, count=40):
    """The same in MNIST's IDX format."""
    folder.mkdir(parents=True)
    for kind in ("train", "t10k"):
        pixels = bytes((i * 5) % 256 for i in range(count * 28 * 28))
        (folder / f"{kind}-images-idx3-ubyte").write_bytes(
            struct.pack(">4I", 0x0803, count, 28, 28) + pixels)
        (folder / f"{kind}-labels-idx1-ubyte").write_bytes(
            struct.pack(">2I", 0x0801, count) + bytes(i % 10 for i in range(count)))
    return folder


def ends(program, arguments, code, *texts, variables=None):
    """One run: its exit code, and what stdout and stderr together must contain. Returns the output."""
    run = subprocess.run([program, *map(str, arguments)], env=ENVIRONMENT | (variables or {}), timeout=PATIENCE, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    shown = f"{program.name} {' '.join(map(str, arguments))}"
    expect(run.returncode == code, f"{shown}: exit code {run.returncode}, not {code}:\n{run.stdout}")
    for text in texts:
        expect(text in run.stdout, f"{shown}: expected '{text}' in:\n{run.stdout}")
    return run.stdout


def stops(program, arguments):
    """Ctrl-C in training: the step in hand is finished, the text says where, the code is 130."""
    run = subprocess.Popen([program, *map(str, arguments)], env=ENVIRONMENT, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for line in run.stdout:  # after one epoch, training has surely begun
        if line.startswith("Epoch 1,"):
            run.send_signal(signal.SIGINT)
            break
    _, errors = run.communicate(timeout=PATIENCE)
    shown = f"Ctrl-C in {program.name} {' '.join(map(str, arguments))}"
    expect(run.returncode == 130, f"{shown}: exit code {run.returncode}, not 130:\n{errors}")
    expect("Stopped by Ctrl-C after epoch " in errors and ", step " in errors, f"{shown} says:\n{errors}")


def programs_without_options(main, colour):
    """The chapter's main program and its short ones, on every device; TD_DATA names the images of the main one."""
    for device in ("cpu", "sim", "sim:1"):
        on = ["--device", device]
        ends(main, on, 0, "Epoch 1, Loss: ", "Epoch 5, Loss: ", "test accuracy: ", variables={"TD_DATA": str(colour)})
        ends(main.with_name("ch04-simple"), on, 0, "Epoch 1, Loss: ", "Epoch 10, Loss: ")
        ends(main.with_name("ch04-one_step"), on, 0, "outputs [5, 10] on " + device, "Loss after the step: ")
        ends(main.with_name("ch04-loader"), on, 0, "32 samples on " + device, "\n4 samples on " + device)
        styles = ends(main.with_name("ch04-two_styles"), on, 0, "scattered\n", "central\n")
        losses = re.findall(r"Loss: ([\d.]+)", styles)
        expect(len(losses) == 6 and losses[:3] == losses[3:], f"the two styles differ on {device}:\n{styles}")
    ends(main, ["--device", "sim:9"], 1, "there is no sim:9")
    ends(main, ["--epochs", "3"], 2, "There is no option --epochs")
    ends(main, [], 1, "nowhere", variables={"TD_DATA": "/nowhere"})
    ends(main, ["--help"], 0, "Trains a network for images on one device.", "--device")


def models(program, colour, grey):
    """Every model; training lines for each."""
    for device in ("cpu", "sim", "sim:1"):
        on = ["--device", device, "--epochs", 1]
        ends(program, on + ["--data", colour], 0, "test accuracy: ", " samples/s", "One step of ")
        ends(program, on + ["--data", colour, "--channels-last"], 0, "test accuracy: ")
        ends(program, on + ["--model", "linear", "--data", colour], 0, "test accuracy: ")
        ends(program, on + ["--model", "lenet", "--data", grey], 0, "test accuracy: ")


def damaged(program, folder):
    """Each damage is reported with the file, the position and what was expected."""
    def changed(name, write, change):
        data = write(folder / "damaged" / str(len(list((folder / "damaged").glob("*")))))
        change(data / name)
        return data
    (folder / "damaged").mkdir()
    cut = changed("data_batch_1.bin", write_cifar, lambda f: f.write_bytes(f.read_bytes()[:-100]))
    ends(program, ["--data", cut], 1, "data_batch_1.bin: the file ends at offset", "record 39")
    label = changed("test_batch.bin", write_cifar, lambda f: f.write_bytes(b"\x63" + f.read_bytes()[1:]))
    ends(program, ["--data", label], 1, "test_batch.bin: byte 99 at offset 0")
    empty = changed("data_batch_1.bin", write_cifar, lambda f: f.write_bytes(b""))
    ends(program, ["--data", empty], 1, "data_batch_1.bin: the file is empty")
    missing = changed("test_batch.bin", write_cifar, lambda f: f.unlink())
    ends(program, ["--data", missing], 1, "test_batch.bin")
    ends(program, ["--data", folder / "nowhere"], 1, str(folder / "nowhere"))
    lenet = ["--model", "lenet", "--data"]
    packed = changed("train-images-idx3-ubyte", write_grey, lambda f: f.write_bytes(b"\x1f\x8b" + f.read_bytes()))
    ends(program, lenet + [packed], 1, "train-images-idx3-ubyte: the number at offset 0", "compressed")
    short = changed("t10k-labels-idx1-ubyte", write_grey, lambda f: f.write_bytes(f.read_bytes()[:-1]))
    ends(program, lenet + [short], 1, "t10k-labels-idx1-ubyte: the file ends at offset 47", "truncated")
    nothing = write_grey(folder / "damaged" / "no_pictures", 0)
    ends(program, lenet + [nothing], 1, "no images")


def refused(program):
    """Options and devices that are not there: 2 for wrong usage, 1 for what the machine lacks."""
    ends(program, ["--epoch", "3"], 2, "--epoch", "--help")
    ends(program, ["--devices", "sim:0"], 2, "--devices")
    ends(program, ["--model", "resnet"], 2, "resnet", "lenet")
    for wrong in ("0", "-1", "many"):
        ends(program, ["--epochs", wrong], 2, "--epochs")
        ends(program, ["--batch-size", wrong], 2, "--batch-size")
    ends(program, ["--device", "sim:9"], 1, "there is no sim:9")
    ends(program, ["--device", "cuda:99"], 1, "there is no cuda:99")
    ends(program, ["--device", "gpu"], 2, "gpu")
    ends(program, ["--device", "sim:x"], 2, "sim:x")


def learns(program, tool, folder):
    """The chapter's promise, in fewer epochs: the network distinguishes the shapes, a linear classifier does not."""
    subprocess.run([tool, "data", "--data", folder], check=True, timeout=PATIENCE,
                   stdout=subprocess.DEVNULL)
    def last_accuracy(*arguments):
        run = subprocess.run([program, "--data", folder / "shapes10", *arguments], env=ENVIRONMENT,
                             timeout=PATIENCE * 2, text=True, stdout=subprocess.PIPE, check=False)
        return float(re.findall(r"test accuracy: ([0-9.]+) %", run.stdout)[-1])
    for device in ("cpu", "sim"):
        network = last_accuracy("--device", device, "--epochs", "2", "--channels-last")
        expect(network > 90, f"the network on {device}: {network} % after two epochs, expected over 90")
    linear = last_accuracy("--device", "cpu", "--model", "linear", "--epochs", "10", "--lr", "0.001")
    expect(20 < linear < 60, f"a linear classifier: {linear} %, expected 20 to 60")


def main():
    main_program = pathlib.Path(sys.argv[1]) / "ch04_training_loop"
    program = main_program.with_name("ch04-train")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        colour, grey = write_cifar(folder / "colour"), write_grey(folder / "grey")
        before = sorted(folder.rglob("*"))
        programs_without_options(main_program, colour)
        models(program, colour, grey)
        for device in ("cpu", "sim"):
            stops(program, ["--device", device, "--data", colour, "--epochs", 1000000, "--batch-size", 8])
        refused(program)
        expect(sorted(folder.rglob("*")) == before, "a run left files behind in the data folder")
        damaged(program, folder)
        learns(program, pathlib.Path(sys.argv[2]), folder / "drawn")
    print("\n".join(faults + [f"{len(faults)} faults"]))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
