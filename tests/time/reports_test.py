#!/usr/bin/env python3
"""What `./course time` shows and writes: the terminal at any width, JSON, the page, pictures.

    reports_test.py PROGRAM [CASE...]

Called by CTest; course_time.py runs the cases.
"""

import json
import os
import pty
import re
import shutil
import sys
import xml.etree.ElementTree

from course_time import ENVIRONMENT, FAKE, benchmarks, case, command, course_time, expect, expect_run, main


def median_of(folder, name):
    return next(one for one in benchmarks(folder) if one["name"] == name + "_median")


@case
def the_file_has_the_layout_of_google_benchmark(folder):
    expect_run(0, ["JSON: copy.json"], folder, "lenet", "--json", "copy.json", "--rounds", "5")
    written = json.loads((folder / "copy.json").read_text())
    expect(written == json.loads((folder / "out/time.json").read_text()), "--json differs from time.json")
    expect(written["context"]["json_schema_version"] == 1, "no version of the layout")
    median = median_of(folder, "lenet/sim")
    expect(median["run_type"] == "aggregate" and median["aggregate_name"] == "median", f"{median}")
    expect(abs(median["real_time"] - 24e6) < 1 and abs(median["step"] - 22e6) < 1, f"times: {median}")
    expect(median["time_unit"] == "ns", f"unit: {median}")
    expect(abs(median["items_per_second"] - 64 / 0.024) < 0.1, f"rate: {median}")
    samples = [one for one in written["benchmarks"] if one["name"] == "lenet/sim"]
    kinds = {one["run_type"] for one in samples}
    expect(len(samples) == 5 and kinds == {"iteration"}, f"samples: {samples}")
    expect(abs(median["p10"] - 23.616e6) < 1000, f"p10: {median['p10']}")  # 24 ms x (0.98 + 0.4 x 0.01)


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
    texts = ["laptop: Fake <Processor>, 2 cores, no GPU", "server: Fake <Processor>, 2 cores, Imaginary GPU",
             "server: LeNet, training step"]
    output = expect_run(0, texts, folder, "--merge", "laptop.json", "server.json", samples=False)
    rows = [line for line in output.splitlines() if re.match(r"  2 × sim, DDP ", line)]
    expect(len(rows) == 2 and "laptop" in rows[0] and "server" in rows[1], f"rows: {rows}")
    expect("1.30 ms" in rows[1] and "1.85" in rows[1], f"a base of another machine: {rows}")
    expect(not (folder / "log").exists(), "--merge started a worker")
    expect_run(0, ["lenet, 2 × sim, DDP 13.0 ms 13.0 ms 0 %"], folder, "--merge", "laptop.json", "--compare",
               "laptop.json", samples=False)


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
        words = command(folder, ["lenet"])
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
    namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    addresses = set(re.findall(r"https?://[^\"'\s)]+", page)) - namespaces
    expect(not addresses and "url(" not in page, f"the page names {addresses}")
    text = "".join(tree.itertext())
    for part in ("Fake <Processor>", "./course time", "LeNet, training step", "2 × cuda, DDP",
                 "prefers-color-scheme: dark"):
        expect(part in text, f"the page lacks {part}")
    identifiers = [element.attrib["id"] for element in tree.iter() if "id" in element.attrib]
    expect(len(identifiers) == len(set(identifiers)), "an identifier occurs twice")


@case
def pictures_need_gnuplot(folder):
    bare = folder / "bin"
    bare.mkdir()
    for name in ("env", "python3"):
        (bare / name).symlink_to(shutil.which(name))
    expect_run(0, ["There is no gnuplot, so no pictures:\ninstall the Debian package gnuplot-nox."], folder,
               "lenet", PATH=str(bare))
    expect("<svg" not in (folder / "out/index.html").read_text(), "a picture without gnuplot")
    (bare / "gnuplot").write_text("#!/bin/sh\necho no fonts >&2\nexit 3\n")
    (bare / "gnuplot").chmod(0o755)
    (bare / "sh").symlink_to("/bin/sh")
    expect_run(0, ["There are no pictures: gnuplot could not draw the picture: no fonts", "Page: "], folder,
               "lenet", PATH=str(bare))
    shutil.rmtree(folder / "out")
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
    pictures = ["speed-up.svg", "step-parts.svg", "steps-per-second.svg"]
    expect(left == ["index.html", *pictures, "time.json", "todevice.log"], f"the directory holds {left}")


if __name__ == "__main__":
    sys.exit(main())
