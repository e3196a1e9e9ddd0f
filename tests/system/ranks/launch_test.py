#!/usr/bin/env python3
"""Starts ranks in every way the course names and lets them work: launch_test.py COURSE_TOOL RANK_PROGRAM.

Called by CTest. Each way must give exact sums, the expected transport, and exit code 0.
"""

import pathlib
import sys
import tempfile

from support import Redis, Run, case, expect, expect_no_orphan, finish, needs, run

TOOL, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])


def expect_work(result, ranks=2, transport="shared memory", orphans=True):
    """All ranks have joined on this transport and finished."""
    result.ends_with(0)
    result.shows(*(f"rank {rank} of {ranks} on {transport}\n" for rank in range(ranks)))
    expect(result.output.count("done\n") == ranks,
           f"{' '.join(result.words)}: expected {ranks} times 'done' in:\n{result.output}")
    if orphans:
        expect_no_orphan(" ".join(result.words[:3]))


def launch(*words, ranks=2, environment=None):
    return run([TOOL, "launch", "-n", ranks, *words], environment)


def by_course_launch():
    for ranks in (1, 2, 3):
        expect_work(launch(PROGRAM, ranks=ranks), ranks, "one rank" if ranks == 1 else "shared memory")
    expect_work(launch(PROGRAM, environment={"TD_TRANSPORT": "gloo"}), transport="gloo")


def by_spawn():
    expect_work(run([PROGRAM, "spawn=2"]))
    fails = run([PROGRAM, "spawn=2", "fault=exit", "rank=1"]).ends_with(1)
    fails.shows("[1] fault exit", "rank 1 (process ", "spawn: rank 1 of 2 ended with exit code 3 after")
    expect_no_orphan("spawn of a rank that ends")


def two_launches_at_once():
    """On one host, and with one Redis server: neither run joins the other's ranks."""
    with Redis() as redis:
        for words in ([PROGRAM], ["--rdzv", redis.url, PROGRAM]):
            both = [Run([TOOL, "launch", "-n", ranks, *words, "steps=50", "pause=2"]) for ranks in (2, 3)]
            for ranks, one in zip((2, 3), both):
                expect_work(one.wait(), ranks, orphans=False)
    expect_no_orphan("two launches at once")


def by_redis():
    with Redis() as redis:
        for name in ("first", "second"):  # what the first run leaves there must not affect the second
            expect_work(launch("--rdzv", redis.url, PROGRAM))
        expect_work(launch(PROGRAM, f"url={redis.url}"))


def by_mpirun():
    needs("mpirun")
    words = ["mpirun", "--oversubscribe", "-np", "2", PROGRAM]
    expect_work(run(words))
    expect_work(run([*words, "url=pmix:"]))


def by_hand(variables, numbered, *words):
    """Two ranks with these variables, and with their number in those of `numbered`."""
    script = "\n".join(" ".join([f"{name}={rank}" for name in numbered] + [str(PROGRAM), *words, "&"])
                       for rank in (0, 1))
    return run(["bash", "-c", f"{script}\nwait -n && wait"], variables | {"OMP_NUM_THREADS": "1"})


def by_slurm():
    """As srun starts them: only the variables, and a folder that both ranks know."""
    with tempfile.TemporaryDirectory() as folder:
        expect_work(by_hand({"SLURM_NTASKS": "2", "SLURM_NTASKS_PER_NODE": "2"},
                            ("SLURM_PROCID", "SLURM_LOCALID"), f"url=file://{folder}"))


def by_torchrun():
    """Debian 12's torchrun needs the options -r, -t and --log_dir to work under its own Python. Debian 13's was built without
    libuv, which a rendezvous by TCP takes, so the rendezvous is a file."""
    needs("torchrun")
    with tempfile.TemporaryDirectory() as folder:
        expect_work(run(["torchrun", "--nnodes", "1", "--nproc_per_node", "2", "--monitor_interval", "0.2", "-r", "1", "-t", "1",
                         "--log_dir", folder, "--rdzv_backend", "c10d", "--rdzv_endpoint", f"{folder}/rendezvous",
                         "--rdzv_conf", "store_type=file", "--no_python", PROGRAM],
                        {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}))


def by_torchrun_again():
    """It calls every run "none" and has one port: what a killed run left must not affect the next."""
    variables = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500",
                 "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_RESTART_COUNT": "0"}
    killed = by_hand(variables, ("RANK", "LOCAL_RANK"), "fault=kill", "rank=0")
    expect("rank 0" in killed.output and killed.code != 0, f"torchrun's variables, a kill: {killed.output}")
    expect_work(by_hand(variables, ("RANK", "LOCAL_RANK")))


def main():
    for way in (by_course_launch, by_spawn, two_launches_at_once, by_redis, by_mpirun, by_slurm, by_torchrun,
                by_torchrun_again):
        case(way)
    finish()


if __name__ == "__main__":
    main()
