#!/usr/bin/env python3
"""Runs a chapter's program on the GPUs of the stand-in for CUDA: what it prints must be what it prints elsewhere.

    stand_in_program_test.py PROGRAM_FOLDER CHAPTER

Called by CTest, with the stand-in's libraries on LD_LIBRARY_PATH. Losses and accuracies on cuda are compared with those on cpu,
and texts with those on sim, which has two devices as well. Times are whatever they are. Programs that launch much run without
the observers of memory accesses, which cost a factor of ten and more.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from training_program_test import write_cifar, write_grey

PATIENCE = 300  # seconds; a busy machine is no fault
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if k.startswith("TD_STAND_IN_") or not k.startswith(("TD_", "OPENBLAS_"))}
FAST = {"TD_STAND_IN_OBSERVE": "0"}
EPOCH = re.compile(r"Loss: ([\d.]+|nan|inf)(?:, test accuracy: ([\d.]+))?")
faults = []


def expect(condition, what):
    if not condition:
        faults.append(what)


def run(program, *arguments, variables=None):
    """What one run prints, stdout and stderr together; it must succeed."""
    done = subprocess.run([program, *map(str, arguments)], env={**ENVIRONMENT, **(variables or {})}, timeout=PATIENCE,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, f"{' '.join(map(str, arguments))}: exit code {done.returncode}:\n{done.stdout}")
    return done.stdout


def losses(text):
    """Losses and accuracies, in the order in which they were printed."""
    return [float(value) for pair in EPOCH.findall(text) for value in pair if value]


def same_losses(program, on_cuda, on_cpu, *arguments, variables=None):
    """Sums of floats in another order change the last printed digit, and with it the class of a picture at most."""
    found = losses(run(program, *on_cuda, *arguments, variables=variables))
    expected = losses(run(program, *on_cpu, *arguments, variables=variables))
    close = len(found) == len(expected) and all(abs(f - e) < 2e-3 * abs(e) for f, e in zip(found, expected))
    expect(expected and close, f"{' '.join(map(str, [*on_cuda, *arguments]))}: expected {expected}, got {found}")


def same_text(program, *arguments, without=r"$^", variables=None):
    """The lines on cuda:0 are those on sim:0, but for the device's name and lines that match `without`."""
    def lines(kind):
        text = run(program, "--device", kind + ":0", *arguments, variables=variables)
        text = re.sub(r"this process has|this machine has", "there are", text.replace(kind, "DEVICE"))
        return [line for line in text.splitlines() if not re.search(without, line)]
    found, expected = lines("cuda"), lines("sim")
    for got, wanted in zip(found, expected):
        expect(got == wanted, f"on sim:0:\n  {wanted}\non cuda:0:\n  {got}")
    expect(len(found) == len(expected) > 0, f"{len(found)} lines on cuda:0, {len(expected)} on sim:0:\n" + "\n".join(found))


def says(text, *patterns):
    for pattern in patterns:
        expect(re.search(pattern, text, re.M), f"expected '{pattern}' in:\n{text}")


def device_check(program, _):
    """Chapter 01."""
    def on_cuda(name):
        return run(program.with_name(f"ch01-{name}"), "--device", "cuda:0", variables=FAST)
    says(run(program, "--device", "cuda:0", variables=FAST), r"^device: cuda:0$", r"^cuda: 2$", r"^  cuda:0  Stand-in$",
         r"^  cuda:1  Stand-in$", r"^Is a GPU available\? yes; so use cuda:0$", r"^x \* x tensor\(\[1., 4., 9.\], device='cuda:0'\)$")
    says(on_cuda("names"), "^using sim:0", "^device: cuda:0$",
         "^cuda:7 is not used: there is no cuda:7: this process has 2 cuda devices")
    says(on_cuda("memory"), r"at the start +0 +0 +4096 of 4096", r"with a tensor +64 +64 +4032 of 4096",
         r"most free memory: +cuda:1$", r"tensor released +0 +64 +4032 of 4096", r"after empty_cache +0 +0 +4096 of 4096")
    says(on_cuda("speed"), r"^  cuda:0 .* us .* GB/s .* GFLOP/s$")
    says(on_cuda("driver"), "^  driver 550.54.14, program of CUDA 13.0: finds no GPU$")
    says(run(program, "--device", "cpu", variables={"TD_STAND_IN_GPUS": "0"}),
         r"^cuda: 0$", "^  there is an NVIDIA driver but no GPU for this process", r"^Is a GPU available\? no; so use cpu$")


def tensor_moves(program, _):
    """Chapter 02."""
    for name in (None, "errors", "copies", "gradients", "send", "bandwidth"):
        same_text(program.with_name(f"ch02-{name}") if name else program,
                  without=r" GB/s$|x\.cuda\(15\)|x\.DEVICE\(15\)|there is no \w+:15")


def model_moves(program, _):
    """Chapter 03."""
    for name in (None, "parts", "copies", "checkpoint"):
        same_text(program.with_name(f"ch03-{name}") if name else program)


def training_loop(program, folder):
    """Chapter 04."""
    color, grey = write_cifar(folder / "color"), write_grey(folder / "grey", 8)
    cuda, cpu = ("--device", "cuda:0"), ("--device", "cpu")
    for name in ("simple", "one_step", "loader", "two_styles"):
        same_losses(program.with_name(f"ch04-{name}"), cuda, cpu)
    same_losses(program, cuda, cpu, variables=FAST | {"TD_DATA": str(color)})
    train = program.with_name("ch04-train")
    for device, how in (("cuda:0", ["--channels-last"]), ("cuda:1", [])):
        same_losses(train, ("--device", device), cpu, "--data", color, "--epochs", 1, "--batch-size", 16, *how, variables=FAST)
    same_losses(train, cuda, cpu, "--data", grey, "--model", "lenet", "--epochs", 1, "--batch-size", 16)


def data_parallel(program, folder):
    """Chapter 05."""
    main, program = program, program.with_name("ch05-train")
    data = ["--data", write_cifar(folder / "color"), "--epochs", 1, "--batch-size", 15]
    alone = ("--strategy", "single", "--devices", "cpu")
    for strategy in ("by-hand", "data-parallel"):
        for devices in ("cuda:0,cuda:1", "cuda:1,cuda:0,cuda:1"):
            same_losses(program, ("--strategy", strategy, "--devices", devices), alone, *data, variables=FAST)
    says(run(main, "--device", "cuda"), "^Using 2 cuda devices!", "^Epoch 5, 30 outputs on cuda:0")
    same_losses(main, ("--device", "cuda"), ("--device", "sim"))
    says(run(program, *data, "--devices", "cuda:0,cuda:1", "--timeline", "-", variables=FAST), r"^ cuda:0 \|", r"^ cuda:1 \|")
    one_gpu = {"TD_STAND_IN_GPUS": "1"}
    says(run(main, variables=one_gpu), "^device: cuda:0", "^Epoch 5, 30 outputs on cuda:0")
    says(run(program, *data, variables=one_gpu | FAST),
         r"^devices: sim:0 sim:1 \(this machine has 1 GPU, and 2 are needed; the software accelerator takes its place\)$")
    same_losses(program, ("--strategy", "single"), alone, *data, variables=FAST | one_gpu)


def pinned_memory(program, folder):
    """Chapter 08."""
    on = ["--device", "cuda:0"]
    def other(name, *options, **how):
        return run(program.with_name(f"ch08-{name}"), *on, *options, **how)
    same_losses(program, on, ("--device", "cpu"), variables=FAST)
    says(other("bandwidth", "--largest", 1), r"^ +4 KiB( +[\d.]+){5}$", r"^ +1 MiB( +[\d.]+){5}$")
    text = other("feeding", "--batch-size", 8, "--steps", 4, "--timeline", folder, variables=FAST)
    says(text, *(rf"^ *{way}( +-?[\d.]+){{4}}$" for way in ("plain", "pinned", "prefetched", "by hand")),
         r"^ cuda:0 .*\|[fbc.]+\|$")
    expect((folder / "prefetched.svg").stat().st_size > 1000, "no picture of the prefetched steps")
    says(other("graph", variables=FAST), r"^A step is \d+ launches", "^The loss went down meanwhile")


def together(program, _):
    """Chapter 09. The program itself compares the losses on one device with those on two."""
    same_losses(program, ("--device", "cuda:0"), ("--device", "cpu"), variables=FAST)
    on = ["--device", "cuda:0", "--batch-size", 8]
    for part, lines in (("split", [r"^  cuda:0 and cuda:1( +[\d.]+){3}$", r"^     cpu and cuda:0( +[\d.]+){3}$"]),
                        ("offload", [r"^ +Adam on the device +[\d.]+$"])):
        other = program.with_name(f"ch09-{part}")
        text = run(other, *on, variables=FAST)
        on_sim = run(other, "--device", "sim:0", "--batch-size", 8)
        loss, expected = (re.findall(r"^After 5 steps the loss is ([\d.]+)[ ;]", one, re.M) for one in (text, on_sim))
        expect(loss and abs(float(loss[0]) - float(expected[0])) < 1.5e-4, f"{part}: the loss is {loss}, on sim {expected}")
        says(text, *lines)
    for part, lines in (("split_memory", [r"^  cuda:0 and cuda:1( +[\d.]+){2}$"]), ("bubble", [r"^ +cuda:0 .*\|[fbkc.]+\|$", r"^ +cuda:1 .*\|[fbkc.]+\|$"]),
                        ("offload_memory", [r"^Adam on the host( +[\d.]+){2}$"]), ("doubling", [r" ms on cuda:0$"])):
        says(run(program.with_name(f"ch09-{part}"), *on, variables=FAST), *lines)


def pipeline(program, _):
    """Chapter 09: one batch after another through host, link and device, in four ways."""
    on = ["--device", "cuda:0", "--batch-size", 2]
    text = run(program.with_name("ch09-pipeline"), *on, variables=FAST)
    says(text, "^All losses are bitwise identical.", r"^ +cuda:0 .*\|[w.]+\|$")
    says(run(program.with_name("ch09-workers"), *on, variables=FAST), r"^      4( +[\d.]+){4}$")


def kernels(program, _):
    """Chapters 11 to 13: the main program and the checksums of the exercises."""
    same_text(program, variables=FAST)
    same_text(program.with_name(f"ch{program.name[2:4]}-values"), variables=FAST)


def speed(program, folder):
    """Chapter 13: networks learn the same with the chapter's kernel, and a trace has its name."""
    trace = folder / "trace.json"
    kernels(program, folder)
    training = program.with_name("ch13-training")
    text = run(training, "--device", "cuda:0", "--trace", trace, variables=FAST)
    steps = re.findall(r"^  step +\d+ +([\d.]+) +([\d.]+)$", text, re.M)
    expect(len(steps) == 5 and all(abs(float(a) - float(b)) < 2e-4 for a, b in steps), f"the losses differ:\n{text}")
    on_sim = re.findall(r"^  step +\d+ +([\d.]+)", run(training, "--device", "sim:0"), re.M)
    expect(len(on_sim) == 5 and all(abs(float(a) - float(b[0])) < 2e-4 for a, b in zip(on_sim, steps)),
           f"on sim the losses are {on_sim}:\n{text}")
    spans = trace.read_text()
    expect('"matmul"' in spans, "no span of matmul in the trace")


def inference(program, _):
    """Chapter 04's table of modes."""
    text = run(program.with_name("ch04-inference"), "--device", "cuda:0", "--batch-size", 8, variables=FAST)
    says(text, "^The classes are the same.", *(rf"^{re.escape(mode)} .* {recorded} +{moves} +[-\d.e]+$" for mode, recorded, moves in (
        ("training mode", "yes", "move"), ("eval()", "yes", "stay"), ("eval(), no_grad", "no", "stay"),
        ("inference mode", "no", "stay"))))


def which_device(program, _):
    """Chapter 15."""
    on = ["--device", "cuda:0"]
    small = ["--width", 16, "--largest", 4, "--runs", 1]
    says(run(program, *on, variables=FAST), r"^ +1024( +[\d.]+){2} +(cpu|cuda:0)$")
    says(run(program.with_name("ch15-advise"), *small, variables=FAST), "^Use$", "cuda:0")
    says(run(program.with_name("ch15-predictions"), *small, variables=FAST), r"^ +cuda:0( +[-\d.]+){3} +\d+ %$")
    says(run(program.with_name("ch15-imagine"), *small, variables=FAST), "^With a device of", "cuda:0")
    says(run(program.with_name("ch15-report"), *on, "--batch-size", 8, variables=FAST), "on 2 devices", "the largest loss")


CHAPTERS = {"01": device_check, "02": tensor_moves, "03": model_moves, "04": training_loop, "05": data_parallel,
            "08": pinned_memory, "09": together, "09_pipeline": pipeline, "11": kernels, "12": kernels,
            "13": speed, "04_inference": inference, "15": which_device}


def main():
    program = next(pathlib.Path(sys.argv[1]).glob(f"ch{sys.argv[2][:2]}_*"))
    with tempfile.TemporaryDirectory() as folder:
        CHAPTERS[sys.argv[2]](program, pathlib.Path(folder))
    print("\n".join(faults) or f"{program.name} does on cuda what it does elsewhere")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
