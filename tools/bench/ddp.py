#!/usr/bin/env python3
"""Steps of DistributedDataParallel on two ranks: against one rank, PyTorch 1.13, and slow links.

Builds bench_ddp, runs everything interleaved, and prints medians next to the goal of each.
Needs a machine that does nothing else, Debian's python3-torch, and for shaped links root and
iproute2. `ddp.py` alone takes about six minutes; `ddp.py cifar mlp` measures only these.
"""
import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAPS = "1,4,25"  # MiB per bucket


def start(command, rank, namespace, **env):
    """One rank of a variant, in its own network if one is given."""
    into = ["nsenter", "-t", str(namespace), "-n"] if namespace else []
    return subprocess.Popen([*into, *map(str, command)], stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1", "RANK": str(rank),
                                 "WORLD_SIZE": "2", "LOCAL_RANK": str(rank),
                                 "LOCAL_WORLD_SIZE": "2", **env})


def run(command, networks=(None, None), **env):
    """Two ranks; the JSON that rank 0 prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(part).replace("STORE", f"{folder}/store") for part in command]
        env = {"TD_RENDEZVOUS": f"file://{folder}", "MASTER_ADDR": "127.0.0.1",
               "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": Path(folder).name, **env}
        ranks = []
        try:
            for rank, network in enumerate(networks):
                address = {"GLOO_SOCKET_IFNAME": f"veth{rank}"} if network else {}
                ranks.append(start(command, rank, network, **env, **address))
            out = [rank.communicate(timeout=300)[0] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
                rank.wait()
        if any(rank.returncode for rank in ranks):
            raise SystemExit(f"{' '.join(command)} failed")
        return json.loads(out[0])


@contextlib.contextmanager
def shaped(gigabits):
    """Two networks with a link of that rate between them."""
    holders = [subprocess.Popen(["unshare", "-n", "sleep", "3600"]) for _ in range(2)]
    try:
        time.sleep(0.3)
        a, b = (holder.pid for holder in holders)
        subprocess.run(["ip", "link", "add", "veth0", "netns", str(a), "type", "veth", "peer",
                        "name", "veth1", "netns", str(b)], check=True)
        for rank, pid in enumerate((a, b)):
            for command in (f"ip addr add 10.8.0.{rank + 1}/24 dev veth{rank}",
                            f"ip link set veth{rank} up", "ip link set lo up",
                            f"tc qdisc add dev veth{rank} root tbf rate {gigabits}gbit burst 256kb "
                            "latency 50ms"):
                subprocess.run(["nsenter", "-t", str(pid), "-n", *command.split()], check=True)
        yield a, b
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


def show(title, figures, goal, reached):
    print(f"{title}: {figures}  [{goal}: {'reached' if reached else 'MISSED'}]", flush=True)


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def one_rank(bench, work, what, goal, rounds, seconds):
    """How many times faster two ranks are than one, at the best size of the first bucket."""
    runs = [run([bench, work, "--first", "1,25", "--json", "--seconds", seconds])
            for _ in range(rounds)]
    names = [name for name in runs[0] if name.startswith("ddp")]
    best = min(names, key=lambda name: statistics.median(r[name] for r in runs))
    factors = [r["alone"] / r[best] for r in runs]
    ceiling = [r["alone"] / r["no_sync"] for r in runs]
    show(f"{work}, {runs[0]['transport']}", f"{what} {spread(factors)} ({best}); without communication "
         f"{spread(ceiling)}", f">= {goal}", statistics.median(factors) >= goal)


def against_torch(bench, title, batch, rounds, seconds, networks=(None, None)):
    """Each side at its best bucket size."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(run([bench, "deep", "--batch", batch, "--caps", CAPS, "--json", "--seconds",
                         seconds], networks, TD_TRANSPORT="gloo"))
        theirs.append(run(["/usr/bin/python3", ROOT / "tools/bench/ddp_torch.py", "STORE", batch,
                           seconds, CAPS], networks))
    best = []
    for runs in (ours, theirs):
        medians = {name: statistics.median(r[name] for r in runs)
                   for name in runs[0] if name.startswith("ddp")}
        best.append(min(medians.items(), key=lambda item: item[1]))
    ratios = [a[best[0][0]] / b[best[1][0]] for a, b in zip(ours, theirs)]
    show(f"deep, {title}, {batch} rows", f"{best[0][1]:.1f} ms ({best[0][0]}), PyTorch "
         f"{best[1][1]:.1f} ms ({best[1][0]}), ratio {spread(ratios)}", "<= 0.95",
         statistics.median(ratios) <= 0.95)


def hidden(bench, rounds, seconds):
    """How much of the link's work is hidden when it takes as long as the backward pass."""
    runs = [run([bench, "deep", "--batch", 64, "--caps", CAPS, "--balance", "--json", "--seconds",
                 seconds]) for _ in range(rounds)]
    shares = {cap: [1 - (r[f"link {cap}"] - r[f"ddp {cap}"]) / r["backward"] for r in runs]
              for cap in CAPS.split(",")}
    for cap, share in shares.items():
        print(f"hidden at {cap} MiB: {spread(share)}")
    best = max(shares.values(), key=statistics.median)
    show("hidden on a simulated link", f"backward {runs[0]['backward']:.1f} ms, best share "
         f"{spread(best)}", ">= 0.80", statistics.median(best) >= 0.8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = ["cifar", "mlp", "loopback", "5gbit", "1gbit", "hidden"]
    parser.add_argument("rows", nargs="*", default=every, help=f"of {', '.join(every)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4, help="for each run of a variant")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    options = parser.parse_args()
    for setting in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(setting, None)
    subprocess.run(["cmake", "--build", options.build, "--target", "bench_ddp"], check=True,
                   stdout=subprocess.DEVNULL)
    bench = options.build / "tools/bench/bench_ddp"
    turns = options.rounds, options.seconds
    for row in options.rows:
        if row == "cifar":
            one_rank(bench, "cifar", "two ranks on a batch of 128 are faster than one", 1.8, *turns)
        elif row == "mlp":
            one_rank(bench, "mlp", "efficiency with 64 rows a rank", 0.85, *turns)
        elif row == "loopback":
            for batch in (64, 256):
                against_torch(bench, "loopback", batch, *turns)
        elif row in ("5gbit", "1gbit"):
            if os.geteuid() or not shutil.which("tc"):
                print(f"{row}: skipped, it needs root and iproute2")
                continue
            with shaped(int(row[0])) as networks:
                against_torch(bench, f"{row[0]} Gbit/s", 256, *turns, networks)
        elif row == "hidden":
            hidden(bench, *turns)
        else:
            sys.exit(f"there is no row {row}; expected {', '.join(every)}")


if __name__ == "__main__":
    main()
