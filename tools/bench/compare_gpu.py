#!/usr/bin/env python3
"""Compares td with PyTorch on a GPU: one piece of work, both sides (and CUDA itself) interleaved.

  compare_gpu.py [OPTION...] simple|mlp|large_mlp|lenet|cifar|scaler|host|copies|startup|warm

Starts the programs of tools/bench/worker.h, checks that both sides compute the same losses, on cpu
first, and only then times them in interleaved rounds. Prints each result as "name: value", which
tools/gpu_report.py writes into docs/measurements/gpu.md, and everything as JSON with --json.
`warm` lets torch.compile fill its cache for all networks. Exit codes: 0, 1 where the sides disagree
or a td program fails, 77 without PyTorch.
"""
import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from workers import HERE, Comparison

NETWORKS = ["simple", "mlp", "large_mlp", "lenet", "cifar"]
PRECISIONS = ["float32", "tf32", "bfloat16", "float16"]


def in_words(seconds):
    for unit, size in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def against(mine, other, name):
    """How many times as long as `mine` another side takes, in words."""
    if "error" in other:
        return f"{name} has no figure, {other['error']}"
    return f"{name} {in_words(other['median'])} ({other['median'] / mine['median']:.2f} x)"


def figure(compared, name, mine, others):
    """Prints one figure of td beside others'."""
    mine = mine.figures()
    others = {other: config.figures() for other, config in others.items() if config}
    if "error" in mine:
        print(f"{name}, no figure, {mine['error']}")
        compared.report[name] = {"error": mine["error"]}
        return
    text = f"{in_words(mine['median'])} ({in_words(mine['p10'])} - {in_words(mine['p90'])})"
    texts = [text, *(against(mine, times, other) for other, times in others.items())]
    compared.note(name, "; ".join(texts), td=mine, others=others)


def train(compared, work):
    """A network in all precisions, eager and as a graph; losses are compared on cpu first."""
    on_gpu = compared.options.device.startswith("cuda")
    precisions = PRECISIONS if on_gpu else ["float32", "bfloat16"]
    for side in compared.commands:  # they start at the same time
        compared.worker(side)
    small = compared.configs(["td", "torch"], work, ["float32"], ["eager"], "cpu", "tiny")
    compared.agree(small, 1e-5)
    if compared.failed:
        return
    configs = compared.configs(["td", "torch"], work, precisions, ["eager", "graph"])
    configs.update(compared.compiled(work, precisions))
    if work == "large_mlp" and "raw" in compared.commands:
        configs.update(compared.configs(["raw"], work, precisions, ["eager"]))
    compared.agree(configs)
    compared.interleave(configs.values())
    for precision in precisions:
        show_training(compared, configs, precision)


def show_training(compared, configs, precision):
    """The results of one precision."""
    mine, theirs = (configs[side, precision, "eager"] for side in ("td", "torch"))
    others = {"PyTorch": theirs, "compiled": configs.get(("compiled", precision, "compile")),
              "its products alone": configs.get(("raw", precision, "eager"))}
    figure(compared, f"{precision}, eager", mine, others)
    figure(compared, f"{precision}, graph", configs["td", precision, "graph"],
           {"PyTorch": configs["torch", precision, "graph"]})
    if not mine.error and not theirs.error:
        compared.note(f"{precision}, memory", f"{mine.peak / 2**20:.3g} MiB; PyTorch "
                      f"{theirs.peak / 2**20:.3g} MiB")


def scaler(compared, _):
    """A GradScaler's share of a step."""
    ways = ["float32", "scaled"]
    configs = compared.configs(["td", "torch"], "cifar", ways, ["eager", "graph"])
    compared.agree(configs)
    compared.interleave(configs.values())
    for mode in ("eager", "graph"):
        texts = []
        for side, name in (("td", ""), ("torch", "PyTorch ")):
            plain, scaled = (configs[side, way, mode].figures() for way in ways)
            if "error" in plain or "error" in scaled:
                texts.append(name + str(plain.get("error") or scaled.get("error")))
            else:
                texts.append(f"{name}{100 * (scaled['median'] / plain['median'] - 1):.1f} %")
        if texts[0][0] in "-0123456789":
            compared.note(f"share of a step, {mode}", "; ".join(texts))


def host(compared, _):
    """The host's time to enqueue an operation."""
    for work in ("add", "add_recorded", "mm", "linear"):
        configs = compared.configs(["td", "torch"], work, ["float32"], ["eager"])
        compared.agree(configs)
        for _ in range(compared.options.rounds):
            for config in configs.values():
                config.host += config.run(200, compared.options.seconds).get("host", [])
        mine, theirs = (sorted(configs[side, "float32", "eager"].host) for side in ("td", "torch"))
        name = work.replace("_", ", ")
        if mine and theirs:
            a, b = statistics.median(mine), statistics.median(theirs)
            compared.note(f"host, {name}", f"{in_words(a)} ({in_words(mine[len(mine) // 10])} - "
                          f"{in_words(mine[len(mine) * 9 // 10])}); PyTorch {in_words(b)} ({b / a:.2f} x)",
                          td=a, torch=b)


def copies(compared, _):
    """Copies each way, and how much of one hides behind a product."""
    amount = 4 * ((1 << 10) if compared.options.size == "tiny" else 64 << 20)
    sides = ["td", "torch"] + (["raw"] if "raw" in compared.commands else [])
    if not compared.options.torch_device.startswith("cuda"):
        sides.remove("torch")
    works = ["to_device_pageable", "to_device_pinned", "to_host_pageable", "to_host_pinned"]
    for work in works + ["product", "overlap"]:
        wanted = sides if work in works else [side for side in sides if side != "raw"]
        configs = compared.configs(wanted, work, ["float32"], ["eager"])
        compared.agree(configs)
        compared.interleave(configs.values())
        found = {side: config.figures() for (side, _, _), config in configs.items()}
        compared.report[work] = found
        if work in works and "error" not in found["td"]:
            texts = [f"{name}{amount / found[side]['median'] / 1e9:.3g} GB/s" for side, name in
                     (("td", ""), ("torch", "PyTorch "), ("raw", "CUDA alone "))
                     if side in found and "error" not in found[side]]
            compared.note(work.replace("_", " "), "; ".join(texts), **found)
    overlap(compared, sides)


def overlap(compared, sides):
    """How much of the shorter of copy and product is hidden by the longer one."""
    texts = []
    for side in (side for side in ("td", "torch") if side in sides):
        times = [compared.report[work].get(side, {}).get("median")
                 for work in ("to_device_pinned", "product", "overlap")]
        if all(times):
            copy, product, both = times
            texts.append(f"{'PyTorch ' if side == 'torch' else ''}"
                         f"{100 * (copy + product - both) / min(copy, product):.0f} %")
    if texts:
        compared.note("copy hidden by a product", "; ".join(texts))


def startup(compared, _):
    """From the start of a process to the loss of a first step."""
    times = {"td": [], "torch": []}
    for _ in range(min(3, compared.options.rounds)):
        for side, known in times.items():
            begin = time.perf_counter()
            worker = compared.started(side)
            worker.send("setup", "first", compared.devices[side], "simple", "float32", "eager", "full")
            answer = worker.answer()
            known.append(time.perf_counter() - begin)
            worker.end()
            if "error" in answer:
                sys.exit(f"{side} does not start: {answer['error']}")
    mine, theirs = (statistics.median(times[side]) for side in ("td", "torch"))
    compared.note("start to first result", f"{in_words(mine)}; PyTorch {in_words(theirs)} "
                  f"({theirs / mine:.2f} x)", **times)


def warm(compared, _):
    """One compiling program per network, all at the same time."""
    until = time.monotonic() + 2.5 * compared.options.compile_seconds
    workers = {work: compared.started("torch") for work in NETWORKS}
    for work, worker in workers.items():
        for precision in PRECISIONS:
            worker.send("setup", precision, compared.options.torch_device, work, precision, "compile",
                        compared.options.size)
    ready = 0
    for worker in workers.values():
        for _ in PRECISIONS:
            ready += "error" not in worker.answer(until - time.monotonic())
        worker.end()
    compared.note("steps that torch.compile made ready", f"{ready} of {len(workers) * len(PRECISIONS)}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=[*NETWORKS, "scaler", "host", "copies", "startup", "warm"])
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--device", default="cuda:0", help="td's")
    parser.add_argument("--torch-device", help="PyTorch's: cuda:0 where td's is cuda, else cpu")
    parser.add_argument("--python", help="the Python that has PyTorch")
    parser.add_argument("--raw", help="another program instead of bench_raw_cuda")
    parser.add_argument("--size", choices=["full", "tiny"], default="full")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="of one side in one round")
    parser.add_argument("--compile-seconds", type=float, default=40, help="for torch.compile; 0: it is left out")
    parser.add_argument("--json", type=Path, help="writes everything there")
    options = parser.parse_args()
    if not options.torch_device:
        options.torch_device = "cuda:0" if options.device.startswith("cuda") else "cpu"
    return options


def main():
    options = parse()
    compared = Comparison(options)
    do = {"scaler": scaler, "host": host, "copies": copies, "startup": startup, "warm": warm}
    try:
        do.get(options.work, train)(compared, options.work)
    finally:
        for worker in compared.workers.values():
            worker.end()
        if options.json:
            options.json.write_text(json.dumps(compared.report, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if compared.passed() else 1)


if __name__ == "__main__":
    main()
