#!/usr/bin/env python3
"""How `./course time` measures: options, the order of the samples, failures, Ctrl-C, PyTorch.

    COURSE_TOOL=TOOL driver_test.py PROGRAM [CASE...]

Called by CTest; course_time.py runs the cases. TOOL is course-tool.
"""

import os
import signal
import subprocess
import sys
import time

from course_time import (ENVIRONMENT, FAKE, PATIENCE, benchmarks, case, command, expect, expect_run, main,
                         ran, requests)

TOOL = os.environ.get("COURSE_TOOL")


@case
def help_shows_the_exercises_and_an_example(folder):
    texts = ["cpu-against-device", "one-against-several", "Example: ./course time one-against-several lenet"]
    output = expect_run(0, texts, folder, "--help", samples=False)
    expect("--worker-program" not in output, "the option for tests is in the help")


@case
def options_are_checked_before_anything_is_built(folder):
    done = subprocess.run([TOOL, "--build", folder / "none", "time", "--foo"], text=True, capture_output=True,
                          cwd=folder, timeout=PATIENCE, check=False)
    expect(done.returncode == 2 and done.stderr.startswith("There is no option --foo."),
           f"exit code {done.returncode}: {done.stdout}{done.stderr}")


@case
def quick_has_other_defaults_than_the_usual(folder):
    for options, text in [([], "7 rounds of 0.3 s"), (["--quick"], "3 rounds of 0.05 s"),
                          (["--quick", "--rounds", "2"], "2 rounds of 0.05 s"),
                          (["--quick", "--seconds", "0.3"], "3 rounds of 0.3 s")]:
        expect_run(0, [text], folder, "copy", *options, samples=False)


@case
def the_tool_becomes_the_program(folder):
    done = subprocess.run([TOOL, "time", "--rounds", "none"], text=True, capture_output=True, cwd=folder,
                          timeout=10 * PATIENCE, check=False)
    expect(done.returncode == 2 and '--rounds is "none"; expected an integer from 1 to 1000' in done.stderr,
           f"exit code {done.returncode}: {done.stdout}{done.stderr}")


@case
def wrong_usage_is_one_message_and_exit_code_2(folder):
    for arguments, text in [
            (["--rounds", "0"], '--rounds is "0"; expected an integer from 1 to 1000, for example --rounds 7.'),
            (["--quick", "--rounds", "x"], "for example --rounds 3."),
            (["--seconds", "0"], '--seconds is "0"; expected a number from 0.001 to 60, for example --seconds 0.3.'),
            (["--quick", "--seconds", "0"], "for example --seconds 0.05."),
            (["--rounds", "2.5"], '--rounds is "2.5"; expected an integer from 1 to 1000'),
            (["--seconds", "-1"], '--seconds is "-1"; expected a number from 0.001 to 60'),
            (["--seconds", "long"], '--seconds is "long"; expected a number from 0.001 to 60'),
            (["--limit", "0"], '--limit is "0"; expected a number from 0.1 to 3600, for example --limit 120.'),
            (["--devices", "cpu,gpu"], '--devices is "cpu,gpu"; expected one of cpu, sim, cuda'),
            (["--against", "jax"], '--against is "jax"; expected pytorch.'),
            (["--merge"], "Which reports? ./course time --merge laptop.json h100.json."),
            (["--python", "python3"], "--python belongs to --against pytorch"),
            (["--merge", "a.json", "--list"], "--merge shows reports and measures nothing"),
            (["--secondes", "1"], "There is no option --secondes; did you mean --seconds?")]:
        expect_run(2, [text, "./course time --help shows the options."], folder, *arguments, samples=False)
    expect_run(2, ['There is no workload "lenett". There are: copy matmul simple lenet cifar mlp.', "--list"],
               folder, "lenett")
    expect_run(2, ["No case is left to measure", "cuda: this machine has no GPU.",
                   "This machine has --devices sim,cpu; ./course time --list shows its cases."],
               folder, "--devices", "cuda")


@case
def unreadable_files_are_named(folder):
    expect_run(1, ["missing.json", "./course time --json FILE writes a report"],
               folder, "--compare", "missing.json")
    (folder / "page.json").write_text("<html>")
    (folder / "other.json").write_text('{"context": {}, "benchmarks": []}')
    for name in ("page.json", "other.json"):
        texts = [f"{name} is not a report of ./course time", "./course time --json FILE writes one."]
        expect_run(1, texts, folder, "--merge", name, samples=False)


@case
def list_measures_nothing(folder):
    texts = ["lenet: LeNet, training step", "lenet/sim:2/ddp 2 × sim, DDP", "cuda: this machine has no GPU"]
    expect_run(0, texts, folder, "--list")
    expect(requests(folder) == ["todevice list"], f"--list sent {requests(folder)}")


@case
def rounds_are_interleaved_and_rotated(folder):
    expect_run(0, [], folder, "lenet", "--devices", "cpu")
    names = [name.split("/", 1)[1] for name in ran(folder)]
    order = ["cpu/1thread", "cpu", "cpu/amp:bfloat16", "cpu:2/ddp"]
    rounds = [names[i:i + 4] for i in range(0, len(names), 4)]
    expect(rounds == [order[i:] + order[:i] for i in range(3)], f"the rounds were {rounds}")


@case
def cpu_against_device_chooses_its_cases(folder):
    expect_run(0, ["LeNet, training step: sim is 0.50 times as fast as cpu, 2 threads (24.0 ms against"],
               folder, "cpu-against-device")
    wanted = {"matmul/cpu", "matmul/sim", "lenet/cpu", "lenet/cpu/1thread", "lenet/sim", "mlp/cpu", "mlp/sim"}
    expect(set(ran(folder)) == wanted, f"it ran {set(ran(folder))}")


@case
def one_against_several_chooses_its_cases_and_says_why(folder):
    texts = ["LeNet, training step: 2 × sim, DDP is 1.85 times as fast as sim", "efficiency 92 %",
             "These times are of another run than the table's", "LeNet, training step, 2 × sim, DataParallel: 16.0 ms per step, 12.0 ms of it (75 %) "
             "computation. Lost to waiting 1.76 ms (11 %), longer computation 1.20 ms"]
    expect_run(0, texts, folder, "one-against-several", "lenet")
    wanted = {"lenet/sim", "lenet/sim:2/ddp", "lenet/sim:2/data_parallel"}
    expect(set(ran(folder)) == wanted, f"it ran {set(ran(folder))}")


@case
def a_failing_case_is_named_and_the_others_go_on(folder):
    expect_run(0, ["lenet/sim: this case has no <memory> left", "2 × sim, DDP"], folder, "lenet",
               FAKE_FAIL="lenet/sim")
    expect(ran(folder).count("lenet/sim") == 1, "a case that failed was run again")
    page = (folder / "out/index.html").read_text()
    expect("no &lt;memory&gt; left" in page, "the page does not escape the sentence")
    expect_run(1, ["Nothing was measured."], folder, "copy", FAKE_FAIL="copy/sim copy/sim/pinned")
    expect_run(0, ["answer was not understood"], folder, "lenet", FAKE_GARBAGE="lenet/sim")


@case
def a_worker_that_ends_is_started_once_more(folder):
    texts = ['the worker of todevice ended by the signal "Segmentation fault" at "run lenet/sim 0.001"',
             "it is started again.", "2 × sim, DDP"]
    expect_run(0, texts, folder, "lenet", FAKE_DIE="lenet/sim")
    count = len([one for one in benchmarks(folder) if one["name"] == "lenet/sim:2/ddp"])
    expect(count == 3, f"after the restart a case has {count} samples, expected 3")


@case
def a_worker_that_ends_twice_is_given_up(folder):
    texts = ["it is not started again.", "not measured, because the worker of todevice ended"]
    expect_run(0, texts, folder, "lenet", FAKE_DIE="lenet/sim* lenet/sim:2/data_parallel*")
    names = {one["name"] for one in benchmarks(folder)}
    expect("lenet/cpu_median" in names and "lenet/sim:2/ddp_median" not in names, f"kept {names}")


@case
def a_worker_that_hangs_is_ended(folder):
    texts = ['did not answer "run lenet/sim 0.001" within 1 s and was ended; --limit allows more',
             "2 × sim, DDP"]
    expect_run(0, texts, folder, "lenet", "--limit", "1", FAKE_HANG="lenet/sim")


@case
def ctrl_c_keeps_what_was_measured(folder):
    environment = {**ENVIRONMENT, "FAKE_SLEEP": "0.2", "FAKE_LOG": str(folder / "log")}
    child = subprocess.Popen(command(folder, ["lenet"]), env=environment, text=True, cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and (not (folder / "log").exists() or len(ran(folder)) < 3):
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGINT)
    output, _ = child.communicate(timeout=PATIENCE)
    expect(child.returncode == 130, f"exit code {child.returncode}")
    expect("Ctrl-C ended the measurement early" in " ".join(output.split()), output)
    samples = [one["name"] for one in benchmarks(folder) if one["run_type"] == "iteration"]
    # The sample in hand when the signal came is kept, and nothing is measured after it.
    expect(samples == ran(folder) and 3 <= len(samples) < 21, f"kept {samples}, ran {ran(folder)}")


@case
def pytorch_is_interleaved_and_its_losses_are_compared(folder):
    texts = ["todevice against PyTorch 2.6", "lenet, cpu, 2 threads 12.0 ms 18.0 ms 1.50 agree",
             "lenet, cpu, 1 thread 20.0 ms 30.0 ms 1.50 DIFFER by 21 %"]
    expect_run(0, texts, folder, "lenet", "--against", "pytorch", "--python", FAKE,
               FAKE_LOSS="lenet/cpu/1thread")
    order = [line.split()[0::2] for line in requests(folder) if " run " in line]
    for number, pair in enumerate(zip(*[iter(call for call in order if "/cpu" in call[1])] * 2)):
        expect(pair[0][1] == pair[1][1], f"{pair} is no pair")
        first = ("todevice", "PyTorch")[number // 4 % 2]  # four cases per round
        expect(pair[0][0] == first, f"pair {number}: {pair}")
    names = {one["name"] for one in benchmarks(folder)}
    expect("PyTorch 2.6/lenet/cpu_median" in names and "lenet/cpu_median" in names, f"names: {names}")


@case
def a_python_without_pytorch_is_named(folder):
    expect_run(1, ["PyTorch was not found by", "python3-torch", "--python PATH"], folder, "--against",
               "pytorch", "--python", FAKE, FAKE_NO_TORCH="1")
    expect_run(1, ["PyTorch was not found by no_such_python"], folder, "--against", "pytorch", "--python",
               "no_such_python")


if __name__ == "__main__":
    sys.exit(main())
