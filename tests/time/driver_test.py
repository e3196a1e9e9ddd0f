#!/usr/bin/env python3
"""Runs `./course time` as a learner does, with a worker whose times are known: driver_test.py PROGRAM.

Called by CTest. Each function below is one case; it gets an empty directory. A fault names the command and
what was expected. Invariant: nothing here depends on how fast the machine is.
"""

import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
FAKE = pathlib.Path(__file__).resolve().parent / "fake_worker.py"
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE") and not name.startswith("FAKE_")}
ENVIRONMENT.update(LANG="C.UTF-8", COLUMNS="100")
PATIENCE = 60
faults = []
cases = []


def case(function):
    cases.append(function)
    return function


def expect(condition, what):
    if not condition:
        faults.append(f"{sys._getframe(1).f_code.co_name}: {what}")


def command(folder, arguments, samples=True):
    quick = ["--seconds", "0.001"] if samples else []
    if samples and "--rounds" not in arguments:
        quick += ["--rounds", "3"]
    return [PROGRAM, *quick, "--worker-program", FAKE, "--out", folder / "out", *arguments]


def course_time(folder, *arguments, samples=True, **environment):
    """One run: exit code and output of both kinds."""
    environment.setdefault("FAKE_LOG", str(folder / "log"))
    done = subprocess.run(list(map(str, command(folder, arguments, samples))), text=True, timeout=PATIENCE,
                          env={**ENVIRONMENT, **environment}, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


def expect_run(code, texts, folder, *arguments, **environment):
    got, output = course_time(folder, *arguments, **environment)
    shown = " ".join(map(str, arguments))
    if got != code:
        faults.append(f"{shown}: exit code {got}, expected {code}:\n{output}")
    for text in texts:
        if " ".join(text.split()) not in " ".join(output.split()):
            faults.append(f"{shown}: expected \"{text}\" in:\n{output}")
    return output


def requests(folder):
    return (folder / "log").read_text().splitlines()


def benchmarks(folder):
    return json.loads((folder / "out/time.json").read_text())["benchmarks"]


def median_of(folder, name):
    return next(one for one in benchmarks(folder) if one["name"] == name + "_median")


@case
def help_shows_the_exercises_and_an_example(folder):
    texts = ["cpu-against-device", "one-against-several", "./course time lenet cifar --devices cpu,sim", "--merge"]
    output = expect_run(0, texts, folder, "--help", samples=False)
    expect("--worker-program" not in output, "the option for tests is in the help")


@case
def wrong_usage_is_one_message_and_exit_code_2(folder):
    help_line = "./course time --help shows the options."
    for arguments, text in [
            (["--rounds", "0"], '--rounds: expected an integer from 1 to 1000, but got "0"'),
            (["--rounds", "2.5"], '--rounds: expected an integer from 1 to 1000, but got "2.5"'),
            (["--seconds", "-1"], '--seconds: expected a number from 0.001 to 60, but got "-1"'),
            (["--seconds", "long"], 'expected a number from 0.001 to 60, but got "long"'),
            (["--limit", "0"], '--limit: expected a number from 0.1 to 3600, but got "0"'),
            (["--devices", "cpu,gpu"], '--devices: expected cpu, sim, cuda, but got "gpu"'),
            (["--against", "jax"], '--against: expected pytorch, but got "jax"'),
            (["--python", "python3"], "--python belongs to --against pytorch"),
            (["--merge", "a.json", "--list"], "--merge shows reports and measures nothing"),
            (["--faster"], "--faster")]:
        expect_run(2, [text, help_line], folder, *arguments, samples=False)
    expect_run(2, ['There is no workload "lenett". There are: copy matmul lenet mlp.', "--list"], folder, "lenett")
    expect_run(2, ["No case is left to measure", "this machine has no GPU", "./course time --list"], folder,
               "--devices", "cuda")


@case
def unreadable_files_are_named(folder):
    expect_run(1, ["missing.json", "./course time --json FILE writes a report"], folder, "--compare", "missing.json")
    (folder / "page.json").write_text("<html>")
    (folder / "other.json").write_text('{"context": {}, "benchmarks": []}')
    for name in ("page.json", "other.json"):
        expect_run(1, [f"{name} is not a report of ./course time", "./course time --json FILE writes one."], folder,
                   "--merge", name, samples=False)


@case
def list_measures_nothing(folder):
    expect_run(0, ["lenet: LeNet, training step", "lenet/sim:2/ddp 2 × sim, DDP", "cuda: this machine has no GPU"],
               folder, "--list")
    expect(requests(folder) == ["todevice list"], f"--list sent {requests(folder)}")


@case
def rounds_are_interleaved_and_rotated(folder):
    expect_run(0, [], folder, "lenet", "--devices", "cpu")
    names = [line.split()[2].split("/", 1)[1] for line in requests(folder) if " run " in line]
    order = ["cpu/1thread", "cpu", "cpu/amp:bfloat16", "cpu:2/ddp"]
    rounds = [names[i:i + 4] for i in range(0, len(names), 4)]
    expect(rounds == [order[i:] + order[:i] for i in range(3)], f"the rounds were {rounds}")


@case
def the_exercises_choose_their_cases(folder):
    expect_run(0, ["LeNet, training step: sim is 0.50 times as fast as cpu, 2 threads (24.0 ms against 12.0 ms"],
               folder, "cpu-against-device")
    ran = {line.split()[2] for line in requests(folder) if " run " in line}
    expect(ran == {"matmul/cpu", "matmul/sim", "lenet/cpu", "lenet/cpu/1thread", "lenet/sim", "mlp/cpu", "mlp/sim"},
           f"cpu-against-device ran {ran}")
    (folder / "log").unlink()
    texts = ["LeNet, training step: 2 × sim, DDP is 1.85 times as fast as sim", "efficiency 92 %",
             "LeNet, training step, 2 × sim, DataParallel: 16.0 ms per step, 12.0 ms of it (75 %) computation. "
             "Lost to waiting 1.76 ms (11 %), longer computation 1.20 ms"]
    expect_run(0, texts, folder, "one-against-several", "lenet")
    ran = {line.split()[2] for line in requests(folder) if " run " in line}
    expect(ran == {"lenet/sim", "lenet/sim:2/ddp", "lenet/sim:2/data_parallel"}, f"one-against-several ran {ran}")


@case
def the_file_has_the_layout_of_google_benchmark(folder):
    expect_run(0, ["JSON: copy.json"], folder, "lenet", "--json", "copy.json", "--rounds", "5")
    written = json.loads((folder / "copy.json").read_text())
    expect(written == json.loads((folder / "out/time.json").read_text()), "--json differs from time.json")
    expect(written["context"]["json_schema_version"] == 1, "no version of the layout")
    median = median_of(folder, "lenet/sim")
    expect(median["run_type"] == "aggregate" and median["aggregate_name"] == "median", f"{median}")
    expect(abs(median["real_time"] - 24e6) < 1 and abs(median["step"] - 22e6) < 1, f"times: {median}")
    expect(median["time_unit"] == "ns" and abs(median["items_per_second"] - 64 / 0.024) < 0.1, f"rate: {median}")
    samples = [one for one in written["benchmarks"] if one["name"] == "lenet/sim"]
    expect(len(samples) == 5 and all(one["run_type"] == "iteration" for one in samples), f"samples: {samples}")
    expect(abs(median["p10"] - 23.616e6) < 1000, f"p10: {median['p10']}")  # 24 ms x (0.98 + 0.4 x 0.01)


@case
def a_failing_case_is_named_and_the_others_go_on(folder):
    expect_run(0, ["lenet/sim: this case has no <memory> left", "2 × sim, DDP"], folder, "lenet", FAKE_FAIL="lenet/sim")
    asked = [line for line in requests(folder) if line.split()[1:3] == ["run", "lenet/sim"]]
    expect(len(asked) == 1, f"a case that failed was asked for {len(asked)} times")
    page = (folder / "out/index.html").read_text()
    expect("no &lt;memory&gt; left" in page, "the page does not escape the sentence")
    expect_run(1, ["Nothing was measured."], folder, "copy", FAKE_FAIL="copy/sim copy/sim/pinned")
    expect_run(0, ["answer was not understood"], folder, "lenet", FAKE_GARBAGE="lenet/sim")


@case
def a_worker_that_ends_is_started_once_more(folder):
    expect_run(0, ["the worker of todevice ended by the signal \"Segmentation fault\" at \"run lenet/sim 0.001\"",
                   "it is started again.", "2 × sim, DDP"], folder, "lenet", FAKE_DIE="lenet/sim")
    count = len([one for one in benchmarks(folder) if one["name"] == "lenet/sim:2/ddp"])
    expect(count == 3, f"after the restart a case has {count} samples, expected 3")
    other = folder / "second"
    other.mkdir()
    expect_run(0, ["it is not started again.", "not measured, because the worker of todevice ended"], other, "lenet",
               FAKE_DIE="lenet/sim* lenet/sim:2/ddp*", FAKE_LOG=str(folder / "second_log"))


@case
def a_worker_that_hangs_is_ended(folder):
    expect_run(0, ["did not answer \"run lenet/sim 0.001\" within 1 s and was ended; --limit allows more",
                   "2 × sim, DDP"], folder, "lenet", "--limit", "1", FAKE_HANG="lenet/sim")


@case
def ctrl_c_keeps_what_was_measured(folder):
    environment = {**ENVIRONMENT, "FAKE_SLEEP": "0.2", "FAKE_LOG": str(folder / "log")}
    child = subprocess.Popen(list(map(str, command(folder, ["lenet"]))), env=environment, text=True, cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and not (folder / "log").exists() or len(requests(folder)) < 4:
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGINT)
    output, _ = child.communicate(timeout=PATIENCE)
    expect(child.returncode == 130, f"exit code {child.returncode}")
    expect("Ctrl-C ended the measurement early" in output, output)
    samples = [one["name"] for one in benchmarks(folder) if one["run_type"] == "iteration"]
    # The sample in hand is the third: list, run, run, run.
    expect(samples == ["lenet/cpu/1thread", "lenet/cpu", "lenet/cpu/amp:bfloat16"], f"kept {samples}")


@case
def pytorch_is_interleaved_and_its_losses_are_compared(folder):
    expect_run(0, ["todevice against PyTorch 2.6", "lenet, cpu, 2 threads 12.0 ms 18.0 ms 1.50 agree", "DIFFER by 21 %",
                   "PyTorch 2.6"], folder, "lenet", "--against", "pytorch", "--python", FAKE,
               FAKE_LOSS="lenet/cpu/1thread")
    ran = [line.split()[0::2] for line in requests(folder) if " run " in line]
    pairs = [(one, other) for one, other in zip(ran, ran[1:]) if other[0] == "PyTorch"]
    expect(len(pairs) >= 10 and all(one[1] == other[1] for one, other in pairs[:4]), f"order: {ran}")
    names = {one["name"] for one in benchmarks(folder)}
    expect("PyTorch 2.6/lenet/cpu_median" in names and "lenet/cpu_median" in names, f"names: {names}")
    expect_run(1, ["PyTorch was not found by", "python3-torch", "--python PATH"], folder, "--against", "pytorch",
               "--python", FAKE, FAKE_NO_TORCH="1")
    expect_run(1, ["PyTorch was not found by no_such_python"], folder, "--against", "pytorch", "--python",
               "no_such_python")


@case
def an_older_report_is_compared_before_it_is_replaced(folder):
    expect_run(0, [], folder, "lenet")
    expect_run(0, ["lenet, sim 24.0 ms 24.0 ms 0 % the same within the spread"], folder, "lenet", "--compare",
               "out/time.json")
    expect_run(0, ["lenet, sim 24.0 ms 48.0 ms +100 % slower"], folder, "lenet", "--compare", "out/time.json",
               FAKE_SCALE="2")
    expect_run(0, ["lenet, sim 48.0 ms 12.0 ms -75 % faster"], folder, "lenet", "--compare", "out/time.json",
               FAKE_SCALE="0.5")
    expect_run(0, ["The two reports have no case in common."], folder, "copy", "--compare", "out/time.json")


@case
def reports_of_several_machines_are_joined(folder):
    expect_run(0, [], folder, "lenet", "--json", "laptop.json")
    expect_run(0, [], folder, "lenet", "--json", "server.json", FAKE_SCALE="0.1", FAKE_GPU="1")
    (folder / "log").unlink()
    output = expect_run(0, ["laptop: Fake <Processor>, 2 cores, no GPU", "server: Fake <Processor>, 2 cores, Imaginary GPU",
                            "server: LeNet, training step"], folder, "--merge", "laptop.json", "server.json",
                        samples=False)
    rows = [line for line in output.splitlines() if re.match(r"  2 × sim, DDP ", line)]
    expect(len(rows) == 2 and "laptop" in rows[0] and "server" in rows[1], f"rows: {rows}")
    expect("1.30 ms" in rows[1] and "1.85" in rows[1], f"a base of another machine: {rows}")
    expect(not (folder / "log").exists(), "--merge started a worker")
    expect_run(0, ["lenet, 2 × sim, DDP 13.0 ms 13.0 ms 0 %"], folder, "--merge", "out/time.json", "--compare",
               "out/time.json", samples=False)


@case
def every_width_is_readable(folder):
    for width in (40, 60, 80, 200):
        _, output = course_time(folder, COLUMNS=str(width), FAKE_GPU="1")
        report = output[output.index("this machine:"):output.index("Page:")]
        wide = [line for line in report.splitlines() if len(line) > width]
        expect(not wide, f"at {width} columns: {wide[:3]}")
        for text in ("2 × cuda, DDP", "24.0 ms", "0.50"):
            expect(text in report, f"at {width} columns there is no {text}")
    _, output = course_time(folder, "lenet", LANG="C")
    expect(output.isascii() and "2 x sim, DDP" in output, f"without UTF-8: {ascii(output)}")
    expect("\x1b" not in output and "\r" not in output, "a pipe got control characters")


def on_a_terminal(folder, **environment):
    output = b""
    pid, terminal = pty.fork()
    if pid == 0:
        words = list(map(str, command(folder, ["lenet"])))
        os.execve(words[0], words, {**ENVIRONMENT, "TERM": "xterm", "FAKE_LOG": str(folder / "log"),
                                    "FAKE_SLEEP": "0.02", **environment})
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        output += part
    os.waitpid(pid, 0)
    return output.decode()


@case
def a_terminal_gets_a_moving_line_and_colors(folder):
    output = on_a_terminal(folder)
    expect(re.search(r"\r\[\d+/21\] round \d, \d+ s left: lenet, ", output), f"no moving line in {output!r}")
    expect("\x1b[1m" in output, "no color on a terminal")
    expect("\x1b[" not in on_a_terminal(folder, NO_COLOR="1"), "colors in spite of NO_COLOR")


@case
def the_page_stands_alone(folder):
    expect_run(0, ["Page: "], folder, FAKE_GPU="1")
    page = (folder / "out/index.html").read_text()
    # Apart from the first line the page is XML, too, so a parser finds every tag that is not closed.
    tree = xml.etree.ElementTree.fromstring(page.split("\n", 1)[1])
    for element in tree.iter():
        for name, value in element.attrib.items():
            expect(not re.search(r"(href|src|action)$", name), f"the page refers to {value}")
        expect(not element.tag.endswith(("script", "link", "img", "iframe")), f"the page has a {element.tag}")
    addresses = set(re.findall(r"https?://[^\"'\s)]+", page)) - {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    expect(not addresses and "url(" not in page, f"the page names {addresses}")
    text = "".join(tree.itertext())
    for part in ("Fake <Processor>", "./course time", "LeNet, training step", "2 × cuda, DDP", "prefers-color-scheme: dark"):
        expect(part in text, f"the page lacks {part}")
    identifiers = [element.attrib["id"] for element in tree.iter() if "id" in element.attrib]
    expect(len(identifiers) == len(set(identifiers)), "an identifier occurs twice")


@case
def pictures_need_gnuplot(folder):
    bare = folder / "bin"
    bare.mkdir()
    for name in ("env", "python3"):
        (bare / name).symlink_to(shutil.which(name))
    expect_run(0, ["There is no gnuplot, so there are no pictures (Debian package gnuplot-nox)."], folder, "lenet",
               PATH=str(bare))
    expect("<svg" not in (folder / "out/index.html").read_text(), "a picture without gnuplot")
    if not shutil.which("gnuplot"):
        print("There is no gnuplot here, so its pictures were not checked.")
        return
    expect_run(0, [], folder, "lenet")
    for name in ("speed-up", "step-parts", "steps-per-second"):
        svg = (folder / f"out/{name}.svg").read_text()
        text = "".join(xml.etree.ElementTree.fromstring(svg).itertext())
        expect("2 × sim, DDP" in text and "LeNet, training step" in text, f"{name}: {text}")
        expect("rgb( 31" not in svg and "currentColor" in svg, f"{name} does not follow the reader's mode")
    left = sorted(path.name for path in (folder / "out").iterdir())
    expect(left == ["index.html", "speed-up.svg", "step-parts.svg", "steps-per-second.svg", "time.json", "todevice.log"],
           f"the directory holds {left}")


def main():
    wanted = sys.argv[2:]
    for function in cases:
        if wanted and function.__name__ not in wanted:
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(pathlib.Path(folder))
            except (OSError, ValueError, StopIteration, subprocess.SubprocessError) as error:
                faults.append(f"{function.__name__}: {type(error).__name__}: {error}")
        print(f"{time.monotonic() - start:5.1f} s  {function.__name__}")
    print(*faults, f"{len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
