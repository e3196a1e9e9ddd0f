#!/usr/bin/env python3
"""Ranks that go wrong, each in its own way: faults_test.py COURSE_TOOL RANK_PROGRAM [CASE...].

Called by CTest. Every case ends in bounded time with a message that names rank and cause, an exit code
that is not 0, no process left behind and no half-written file. The times of failures are compared across the processes.
"""

import pathlib
import re
import socket
import sys
import tempfile

from support import Run, case, expect, expect_no_orphan, finish, free_port, run

TOOL, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
TRANSPORTS = ("shared memory", "gloo")


def launch(*words, ranks=3, transport="shared memory"):
    environment = {"TD_TRANSPORT": "gloo"} if transport == "gloo" else {}
    return run([TOOL, "launch", "-n", ranks, PROGRAM, *words], environment)


def clock(output, what):
    """When each rank printed it: {rank: seconds since 1970}."""
    return {int(rank): float(at) for rank, at in re.findall(rf"\[(\d+)\] {what}.* ?at ([0-9.]+)", output)}


def failures(output):
    """What each rank printed when it failed: {rank: text}."""
    return {int(rank): text for rank, text in re.findall(r"\[(\d+)\] failed at [0-9.]+: (.*)", output)}


def expect_told(result, who, *texts):
    """Each of these ranks failed with the same error, which contains all of `texts`."""
    said = failures(result.output)
    expect(sorted(said) == sorted(who), f"{result.words}: ranks {sorted(said)} spoke, not {sorted(who)}:\n"
                                        f"{result.output}")
    expect(len(set(said.values())) == 1, f"{result.words}: not the same words on all ranks: {said}")
    for rank, text in said.items():
        for part in texts:
            expect(part in text, f"{result.words}: rank {rank} said '{text}', without '{part}'")


def killed():
    """All ranks notice it within 1 s, and the launcher returns within 2 s; rank 0 watches the other ranks."""
    for transport in TRANSPORTS:
        for victim in (0, 1):
            kill_rank(transport, victim)


def kill_rank(transport, victim):
    what = f"killed rank {victim}, {transport}"
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder, "checkpoint")
        result = launch("fault=kill", f"rank={victim}", "step=30", "steps=100000", "pause=5", f"save={saved}",
                        transport=transport)
        result.ends_with(137).shows(f"launch: rank {victim} of 3 was killed by signal 9 (SIGKILL) after")
        expect_told(result, {0, 1, 2} - {victim}, f"rank {victim}")
        died = clock(result.output, "fault kill").get(victim, 0)
        seen = [at - died for at in clock(result.output, "failed").values()]
        returned = result.ended_at - died
        print(f"{what}: seen by the others after {', '.join(f'{1000 * s:.0f} ms' for s in seen)};"
              f" the launcher returned after {1000 * returned:.0f} ms")
        expect(all(s <= 1 for s in seen), f"{what}: seen only after {seen} s")
        expect(returned <= 2, f"{what}: the launcher returned only after {returned} s")
        whole = saved.read_bytes()
        expect(len(whole) == 1 << 20 and len(set(whole)) == 1, f"{what}: a half-written file")


def stopped():
    """A rank that is stopped is named by the heartbeat timeout, also if it is the rank that watches the others."""
    for transport, victim in zip(TRANSPORTS, (2, 0)):
        what = f"stopped rank {victim}, {transport}"
        result = launch("fault=stop", f"rank={victim}", "steps=100000", "pause=5", "timeout=20", "silence=2",
                        transport=transport)
        result.ends_with(1).shows(f"launch: rank {victim} of 3 stands still: it was stopped by a signal")
        expect_told(result, {0, 1, 2} - {victim}, f"rank {victim}", "silent")
        stop = clock(result.output, "fault stop").get(victim, 0)
        seen = [at - stop for at in clock(result.output, "failed").values()]
        print(f"{what}: seen after {', '.join(f'{s:.1f} s' for s in seen)} with a silence of 2 s; the launcher "
              f"returned after {result.ended_at - stop:.1f} s")
        expect(all(s <= 6 for s in seen), f"{what}: seen only after {seen} s")


def crash_in_construction():
    result = launch("fault=construct", "rank=1", "timeout=20")
    result.ends_with(1).shows("[1] failed at", "no such file: weights.bin",
                              "launch: rank 1 of 3 ended with exit code 1 after")
    expect(result.seconds < 15, f"a rank that crashed before joining: the launcher took {result.seconds} s")


def own_exception():
    """A rank's own error reaches the others, who stop."""
    result = launch("fault=throw", "rank=2", "steps=100000", "pause=5")
    result.ends_with(1).shows("[2] failed at", "the disk is full")
    said = failures(result.output)
    expect(sorted(said) == [0, 1, 2], f"own exception: only {sorted(said)} spoke:\n{result.output}")
    for rank in (0, 1):
        expect("rank 2" in said.get(rank, ""), f"own exception: rank {rank} said: {said.get(rank)}")


def missing():
    """A rank that never joins: with a launcher that does not know of it."""
    with tempfile.TemporaryDirectory() as folder:
        script = " ".join(f"RANK={rank} WORLD_SIZE=3 {PROGRAM} url=file://{folder} timeout=1 &"
                          for rank in (0, 2)) + " wait %1; code=$?; wait %2; exit $code"
        result = run(["bash", "-c", script]).ends_with(1)
        expect(result.output.count("failed at") == 2, f"missing: {result.output}")
        result.shows("rank 1 of 3")
        expect(result.seconds < 15, f"missing: {result.seconds} s for a timeout of 1 s")
    result = launch("fault=missing", "rank=1", "timeout=1").ends_with(1)
    result.shows("rank 1 of 3")


def rank_twice():
    """Two processes with one number, as from a copied command line. Rank 2 never joins: all wait for it."""
    with tempfile.TemporaryDirectory() as folder:
        script = " ".join(f"RANK={rank} WORLD_SIZE=3 {PROGRAM} url=file://{folder} timeout=10 &"
                          for rank in (0, 1, 1)) + " wait"
        result = run(["bash", "-c", script])
        expect(result.output.count("failed at") == 3, f"rank twice: expected 3 messages: {result.output}")
        expect(result.output.count("two processes say that they are rank 1: process") == 3,
               f"rank twice: {result.output}")
        expect(result.seconds < 8, f"rank twice: {result.seconds} s")


def wrong_world_size():
    result = launch("fault=world", "rank=2", "timeout=3").ends_with(1)
    expect_told(result, (0, 1, 2), "rank 0 says 3, rank 2 says 4")


def different_order():
    result = launch("fault=order", "rank=1", "timeout=10").ends_with(1)
    expect_told(result, (0, 1, 2), "rank 1", "barrier", "all_reduce")


def different_sizes():
    for transport in TRANSPORTS:
        result = launch("fault=size", "rank=2", "timeout=10", transport=transport).ends_with(1)
        expect_told(result, (0, 1, 2), "rank 2", "65536", "32768")


def mismatched_model():
    result = launch("fault=model", "rank=1", "timeout=10").ends_with(1)
    expect_told(result, (0, 1, 2), "rank 1", "[2, 4]", "[3, 4]")


def uneven_batches():
    for transport in TRANSPORTS:
        result = launch("fault=leave", "rank=1", "timeout=10", transport=transport).ends_with(1)
        expect_told(result, (0, 2), "rank 1")


def too_long():
    """A rank that computes longer than the others may wait."""
    result = launch("fault=sleep", "rank=1", "timeout=2")
    expect(result.code != 0, "too long: exit code 0")
    expect_told(result, (0, 2), "rank 1")
    expect(result.seconds < 20, f"too long: {result.seconds} s for a timeout of 2 s")


def bad_meeting_places():
    """A file instead of a directory, no server at the port, another server at the port, an unknown host."""
    with socket.create_server(("127.0.0.1", 0)) as stranger, tempfile.NamedTemporaryFile() as file:
        nobody, taken = free_port(), stranger.getsockname()[1]
        for url, *texts in ((f"file://{file.name}", file.name),
                            (f"redis://127.0.0.1:{nobody}", f"127.0.0.1:{nobody}"),
                            (f"redis://127.0.0.1:{taken}", f"127.0.0.1:{taken}"),
                            ("redis://no-such-host.invalid:6379", "no-such-host.invalid"),
                            ("tcp://127.0.0.1:29500", "tcp://127.0.0.1:29500", "redis://")):
            result = launch(f"url={url}", "timeout=1", ranks=2).ends_with(1).shows(*texts)
            expect(failures(result.output), f"{url}: nobody said why:\n{result.output}")
            expect(result.seconds < 15, f"{url}: {result.seconds} s")


def stale_meeting_place():
    """Files of a killed run are not taken for those of the new one."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"url=file://{folder}"
        launch(url, "fault=kill", "rank=0", ranks=2).ends_with(137)
        result = launch(url, ranks=2).ends_with(0)
        expect(result.output.count("done") == 2, f"stale folder: {result.output}")


def restarted():
    """--max-restarts: the second start works, in another location."""
    script = f'[ $TORCHELASTIC_RESTART_COUNT = 0 ] && exec {PROGRAM} fault=kill rank=1; exec {PROGRAM}'
    result = run([TOOL, "launch", "-n", "2", "--max-restarts", "1", "bash", "-c", script]).ends_with(0)
    result.shows("launch: all ranks are started again (restart 1 of 1)", "[0] done", "[1] done")


def launcher_killed():
    """kill -9 for the launcher itself: no rank survives it."""
    running = Run([TOOL, "launch", "-n", 2, PROGRAM, "steps=1000000", "pause=5"])
    expect(running.wait_for("working", times=2), f"launcher killed: the ranks did not work: {running.output}")
    running.process.kill()
    running.wait().ends_with(-9)


CASES = (killed, stopped, crash_in_construction, own_exception, missing, rank_twice, wrong_world_size,
         different_order, different_sizes, mismatched_model, uneven_batches, too_long, bad_meeting_places, stale_meeting_place, restarted,
         launcher_killed)


def main():
    for fault in CASES:
        if len(sys.argv) == 3 or fault.__name__ in sys.argv[3:]:
            case(fault)
            expect_no_orphan(fault.__name__)
    finish()


if __name__ == "__main__":
    main()
