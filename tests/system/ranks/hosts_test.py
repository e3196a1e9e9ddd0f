#!/usr/bin/env python3
"""Trains on two hosts made of namespaces: hosts_test.py COURSE_TOOL RANK_PROGRAM.

Called by CTest. Asserts the transport by name, that the data really used the link, and that a cut
link ends every rank with a message.
"""

import pathlib
import sys
import tempfile
import time

from support import (Hosts, Redis, Run, Skipped, case, enter_namespace, expect, expect_no_orphan, finish, needs,
                     run)

TOOL, PROGRAM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
NUMEL, STEPS = 1 << 18, 5
# Each of 4 ranks sends a quarter of its tensor to either rank of the other host, to be summed, and sends
# them a quarter of the sum: 4 * 2 * 2 quarters, no more and no less, and what protocols and joining need.
LEAST_BYTES = 4 * NUMEL * 4 * STEPS
MOST_BYTES = LEAST_BYTES * 11 // 10


def launch(hosts, rendezvous, name, *words):
    """`./course launch` on each host, as on two terminals."""
    return [Run([*hosts.inside(number), TOOL, "launch", "-n", 2, "--nnodes", 2, "--node-rank", number,
                 "--rdzv", rendezvous, "--rdzv-id", name, PROGRAM, f"numel={NUMEL}", f"steps={STEPS}", *words])
            for number in range(2)]


def expect_bytes(sent, what):
    expect(LEAST_BYTES <= sent <= MOST_BYTES,
           f"{what}: {sent} bytes crossed the cable, expected {LEAST_BYTES} to {MOST_BYTES}")


def expect_two_hosts(hosts, runs, before, what):
    for number, result in enumerate(runs):
        result.wait().ends_with(0)
        result.shows(*(f"[{rank}] rank {rank} of 4 on gloo\n" for rank in (2 * number, 2 * number + 1)))
        expect(result.output.count("done\n") == 2, f"{what}, host {number}: not done:\n{result.output}")
    sent = hosts.wire_bytes() - before
    print(f"{what}: {sent} bytes on the wire for {STEPS} sums of {NUMEL * 4} bytes")
    expect_bytes(sent, what)
    expect_no_orphan(what, hosts.pids)
    return sent


def meet_by_file(hosts):
    with tempfile.TemporaryDirectory() as folder:
        before = hosts.wire_bytes()
        expect_two_hosts(hosts, launch(hosts, f"file://{folder}", "monday"), before, "two hosts, by file")


def meet_by_redis(hosts):
    with Redis(hosts.inside(0), hosts.ADDRESSES[0]) as redis:
        before = hosts.wire_bytes()
        expect_two_hosts(hosts, launch(hosts, redis.url, "tuesday"), before, "two hosts, by redis")


def one_host_stays_off_the_wire(hosts):
    """Two ranks of one host share memory: no data uses the link."""
    before = hosts.wire_bytes()
    run([*hosts.inside(0), TOOL, "launch", "-n", 2, PROGRAM, f"numel={NUMEL}"]).ends_with(0).shows(
        "[0] rank 0 of 2 on shared memory\n", "[1] rank 1 of 2 on shared memory\n")
    sent = hosts.wire_bytes() - before
    expect(sent < 10000, f"one host: {sent} bytes crossed the cable")


def meet_by_mpirun(hosts):
    needs("mpirun")
    with tempfile.TemporaryDirectory() as folder:
        # mpirun reaches other hosts by a program that takes a host and a command, as ssh does.
        agent = pathlib.Path(folder, "agent")
        cases = "\n".join(f"  {address}) keeper={pid} ;;" for address, pid in zip(hosts.ADDRESSES, hosts.pids))
        agent.write_text(f'#!/bin/sh\nhost=$1\nshift\ncase $host in\n{cases}\nesac\n'
                         'exec nsenter -t $keeper -n -u sh -c "$*"\n')
        agent.chmod(0o755)
        before = hosts.wire_bytes()
        result = run([*hosts.inside(0), "mpirun", "--mca", "plm_rsh_agent", agent,
                      "--mca", "oob_tcp_if_include", "10.8.0.0/24",
                      "--host", ",".join(f"{address}:2" for address in hosts.ADDRESSES), "-np", 4,
                      PROGRAM, "url=pmix:", f"numel={NUMEL}", f"steps={STEPS}"])
        result.ends_with(0).shows(*(f"rank {rank} of 4 on gloo\n" for rank in range(4)))
        sent = hosts.wire_bytes() - before
        print(f"two hosts, by mpirun and PMIx: {sent} bytes on the wire, {result.seconds:.1f} s")
        expect_bytes(sent, "mpirun on two hosts")
        expect_no_orphan("mpirun on two hosts", hosts.pids)


def slow_cable(hosts):
    """At 200 Mbit/s the bytes take their minimum time: the data uses no other path."""
    if not hosts.limit("200mbit"):
        raise Skipped("this kernel does not shape traffic (tbf)")
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        sent = expect_two_hosts(hosts, launch(hosts, f"file://{folder}", "slow"), hosts.wire_bytes(),
                                "two hosts, 200 Mbit/s")
        seconds = time.monotonic() - started
        least = (sent / 2 - 256 * 1024) * 8 / 200e6  # both directions at once, less the burst
        print(f"two hosts, 200 Mbit/s: {seconds:.2f} s, of which the bytes need {least:.2f} s")
        expect(seconds >= least, f"200 Mbit/s: {seconds:.2f} s, but the bytes alone need {least:.2f} s")


def pull_the_cable(hosts):
    with tempfile.TemporaryDirectory() as folder:
        runs = launch(hosts, f"file://{folder}", "pulled", "steps=100000", "pause=10", "timeout=3",
                      "silence=2")
        for result in runs:
            expect(result.wait_for("working", times=2), f"cable: the ranks did not begin to work: {result.output}")
        hosts.pull_cable()
        pulled = time.time()
        for number, result in enumerate(runs):
            result.wait().ends_with(1)
            took = [float(line.split("at ")[1].split(":")[0]) - pulled
                    for line in result.output.splitlines() if "failed at " in line]
            print(f"cable pulled, host {number}: told after {', '.join(f'{t:.1f} s' for t in took)}:",
                  *(line for line in result.output.splitlines() if "failed at" in line), sep="\n  ")
            expect(len(took) == 2, f"cable pulled: a message from each of 2 ranks expected in\n{result.output}")
            expect(all(t < 8 for t in took), f"cable pulled: told only after {took} s")
        expect_no_orphan("cable pulled", hosts.pids)


def main():
    enter_namespace()
    with Hosts() as hosts:
        for test in (meet_by_file, meet_by_redis, one_host_stays_off_the_wire, meet_by_mpirun, slow_cable,
                     pull_the_cable):
            case(test, hosts)
    finish()


if __name__ == "__main__":
    main()
