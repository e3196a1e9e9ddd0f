#!/usr/bin/env python3
"""How long a step of chapter 14's program step takes with each way to average gradients.

    strategies.py BUILD_FOLDER [--runs 3] [--steps 10] [--batch 512] [--cap 4] [--only shm,gloo,1gbit]

Two ranks of one thread each train the deep model on the cpu: over shared memory, over gloo's loopback,
and over gloo between two network namespaces whose link carries 1 Gbit/s. Strategies run interleaved, so
that other load on the machine slows all of them. Prints a table in Markdown: the median of the runs'
medians, and the smallest and the largest.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

STRATEGIES = ["naive", "flat", "buckets", "overlap", "ddp"]
LINKS = {"shm": "shared memory", "gloo": "gloo, one host", "1gbit": "gloo, 1 Gbit/s"}
TRANSPORTS = {"shm": "shared memory", "gloo": "gloo", "1gbit": "gloo"}


def environment(rank, size, link, folder):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TD_", "OPENBLAS_"))}
    ours = {"RANK": rank, "LOCAL_RANK": rank if link != "1gbit" else 0, "WORLD_SIZE": size,
            "LOCAL_WORLD_SIZE": size if link != "1gbit" else 1, "OMP_NUM_THREADS": 1,
            "TD_RENDEZVOUS": "file://" + folder}
    if link != "shm":
        ours["TD_TRANSPORT"] = "gloo"
    return {**kept, **{k: str(v) for k, v in ours.items()}}


def step_time(program, arguments, link, hosts, size=2):
    """Milliseconds of one step, as rank 0 prints them."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = []
        for rank in range(size):
            enter = ["nsenter", "-t", str(hosts[rank]), "-n", "-u"] if link == "1gbit" else []
            ranks.append(subprocess.Popen(enter + [program, *arguments], stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True,
                                          env=environment(rank, size, link, folder)))
        try:
            outputs = [rank.communicate(timeout=200)[0] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
    text = outputs[0]
    if size > 1 and f"transport: {TRANSPORTS[link]}\n" not in text:
        sys.exit(f"expected the transport {TRANSPORTS[link]}:\n" + "\n".join(outputs))
    return float(re.search(r"per rank: ([\d.]+) ms", text).group(1))


def connect_hosts():
    """Two network namespaces with a link of 1 Gbit/s between them; the processes that hold them."""
    hosts = [subprocess.Popen(["unshare", "-n", "-u", "sh", "-c", f"hostname host{i}; exec sleep 3600"])
             for i in range(2)]
    time.sleep(0.5)
    first, second = (str(h.pid) for h in hosts)
    commands = [["ip", "link", "add", "va", "netns", first, "type", "veth", "peer", "name", "va",
                 "netns", second]]
    for number, host in enumerate((first, second), 1):
        inside = ["nsenter", "-t", host, "-n"]
        commands += [inside + ["ip", "addr", "add", f"10.8.0.{number}/24", "dev", "va"],
                     inside + ["ip", "link", "set", "va", "up"], inside + ["ip", "link", "set", "lo", "up"],
                     inside + ["tc", "qdisc", "add", "dev", "va", "root", "tbf", "rate", "1gbit",
                               "burst", "256kb", "latency", "50ms"]]
    for command in commands:
        subprocess.run(command, check=True)
    return hosts


def measure(options):
    program = str(pathlib.Path(options.build) / "chapters" / "ch14-step")
    common = ["--device", "cpu", "--model", "deep", "--steps", str(options.steps), "--batch-size",
              str(options.batch)]
    hosts = []
    if "1gbit" in options.only:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        hosts = connect_hosts()
    times = {}
    try:
        for _ in range(options.runs):
            times.setdefault(("alone", ""), []).append(step_time(program, common, "shm", [], 1))
            for link in options.only:
                for strategy in STRATEGIES:
                    more = ["--strategy", strategy, "--bucket-cap-mb", str(options.cap)]
                    times.setdefault((link, strategy), []).append(
                        step_time(program, common + more, link, [h.pid for h in hosts]))
    finally:
        for host in hosts:
            host.kill()
    return times


def cell(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--cap", type=float, default=4)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(LINKS))
    options = parser.parse_args()
    if "1gbit" in options.only and "INSIDE_NAMESPACE" not in os.environ:
        # Network namespaces need no root inside a user namespace.
        os.environ["INSIDE_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "-Urnmu", sys.executable, *sys.argv])
    times = measure(options)
    print(f"one rank alone: {cell(times['alone', ''])} ms\n")
    print("| ms a step | " + " | ".join(STRATEGIES) + " |\n" + "|---" * (1 + len(STRATEGIES)) + "|")
    for link in options.only:
        print(f"| {LINKS[link]} | " + " | ".join(cell(times[link, s]) for s in STRATEGIES) + " |")


if __name__ == "__main__":
    main()
