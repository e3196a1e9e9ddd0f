#!/usr/bin/env python3
"""Runs the chapters' programs with --trace FILE and reads what they wrote.

    trace_program_test.py PROGRAM_FOLDER

Called by CTest. Every program that works on td's devices must write a valid file, also when it fails or is stopped by Ctrl-C.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from training_program_test import ends, expect, faults, stops, write_cifar

FIRST_DEVICE = 5_000_000  # see common/trace/chrome.cpp
SMALL = {  # programs whose usual work takes long
    "ch04-train": ["--model", "linear", "--epochs", 1],
    "ch04-inference": ["--batch-size", 4],
    "ch04-batch_sizes": ["--batch-size", 4],
    "ch05-train": ["--timeline", "-", "--devices", "sim:0,sim:1"],
    "ch06-train": ["--samples", 64, "--epochs", 1],
    "ch07-precisions": ["--model", "mlp", "--width", 32, "--samples", 64, "--epochs", 1],
    "ch08-bandwidth": ["--largest", 1],
    "ch08-feeding": ["--steps", 4, "--batch-size", 8],
    "ch08-losses": ["--batch-size", 8],
    "ch09-pipeline": ["--batch-size", 2],
    "ch09-workers": ["--batch-size", 2],
    "ch09-split": ["--batch-size", 8],
    "ch09-split_memory": ["--batch-size", 8],
    "ch09-bubble": ["--batch-size", 8],
    "ch13-roofline_picture": ["--picture", "/dev/null"],
    "ch14-step": ["--steps", 1, "--batch-size", 8],
    "ch15-advise": ["--largest", 4, "--runs", 1],
    "ch15-predictions": ["--largest", 4, "--runs", 1],
    "ch15-imagine": ["--largest", 4, "--runs", 1],
}
WITHOUT_OUR_DEVICES = ("ch10_xla_and_tpu", "ch10-train", "ch10-loop")  # their devices are the plug-in's
HOST = ("user_annotation", "cpu_op", "cuda_runtime", "cuda_sync", "collective_comm")


def ticks(event, field):
    """Microseconds as integer nanoseconds."""
    return round(event[field] * 1000)


def nest(spans):
    """The first span of a row that begins within another and ends after it, or None."""
    open_until = []
    for span in sorted(spans, key=lambda s: (ticks(s, "ts"), -ticks(s, "dur"))):
        begin, end = ticks(span, "ts"), ticks(span, "ts") + ticks(span, "dur")
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        if open_until and end > open_until[-1]:
            return span
        open_until.append(end)
    return None


def read(path, shown):
    """The events of a file, checked: fields, rows with names that nest, arrows with two ends."""
    expect(path.exists(), f"{shown}: there is no {path.name}")
    if not path.exists():
        return []
    whole = json.loads(path.read_text())
    expect(whole["schemaVersion"] == 1 and whole["displayTimeUnit"] == "ms", f"{shown}: the head")
    rows, named, arrows = collections.defaultdict(list), set(), collections.Counter()
    for event in whole["traceEvents"]:
        missing = [field for field in ("name", "ph", "pid", "tid", "ts") if field not in event]
        expect(not missing, f"{shown}: {event} lacks {missing}")
        row = (event["pid"], event["tid"])
        if event["ph"] == "X":
            rows[row].append(event)
            on_device = event["pid"] >= FIRST_DEVICE
            expect(on_device == (event["cat"] not in HOST or "stream" in event.get("args", {})),
                   f"{shown}: {event} is in the wrong process")
        elif event["ph"] == "M" and event["name"] == "thread_name":
            named.add(row)
        elif event["ph"] in "sf":
            arrows[event["id"]] += 1
    expect(set(rows) <= named, f"{shown}: rows without a name: {set(rows) - named}")
    expect(all(count == 2 for count in arrows.values()), f"{shown}: an arrow has not two ends")
    for row, spans in rows.items():
        expect(nest(spans) is None, f"{shown}: in row {row}, {nest(spans)} overlaps its neighbour")
    return whole["traceEvents"]


def traced(program, folder, arguments, code=0, *texts):
    """The events that a run wrote."""
    path = folder / "trace.json"
    path.unlink(missing_ok=True)
    said = f"in {path}; open it at https://ui.perfetto.dev"
    ends(program, [*arguments, "--trace", path], code, "trace: ", said, *texts)
    expect([p.name for p in folder.glob("trace*")] == ["trace.json"], "other files were left behind")
    return read(path, f"{program.name} {' '.join(map(str, arguments))}")


def names(events, category):
    return collections.Counter(e["name"] for e in events if e["ph"] == "X" and e["cat"] == category)


def training(folder, programs, data):
    events = traced(programs / "ch04-train", folder,
                    ["--data", data, "--device", "sim", "--epochs", 1, "--batch-size", 10])
    steps = names(events, "user_annotation")["step"]
    expect(steps == 4, f"ch04: {steps} steps of 10 pictures out of 40")
    kernels = names(events, "kernel")
    launches = names(events, "cuda_runtime")
    expect(sum(kernels.values()) > 100, f"ch04: the kernels are {kernels}")
    for name, count in kernels.items():
        expect(launches[name] == count, f"ch04: {name}: {launches[name]} launches, {count} kernels")
    copies = names(events, "gpu_memcpy")
    expect(copies["Memcpy HtoD (Pinned -> Device)"] >= 8, f"ch04: the copies are {copies}")
    expect(copies == names(events, "copy_engine"), "ch04: an engine for every copy over the link")
    arrows = sum(e["ph"] == "s" for e in events)
    expect(arrows == sum(kernels.values()) + sum(copies.values()), f"ch04: {arrows} arrows")
    on_cpu = traced(programs / "ch04-train", folder,
                    ["--data", data, "--device", "cpu", "--epochs", 1])
    expect(sum(names(on_cpu, "cpu_op").values()) > 50 and not names(on_cpu, "kernel"), "ch04 on the cpu")


def several_devices(folder, programs, data):
    events = traced(programs / "ch05-train", folder,
                    ["--data", data, "--devices", "sim:0,sim:1", "--timeline", "-"])
    devices = {e["args"]["device"] for e in events if e["ph"] == "X" and e["cat"] == "kernel"}
    expect(devices == {"sim:0", "sim:1"}, f"ch05: kernels ran on {devices}")
    phases = names(events, "user_annotation")
    expect({"forward", "loss", "backward", "step"} <= set(phases), f"ch05: the phases are {phases}")


def several_ranks(folder, programs, data):
    program = programs / "ch06-train"
    path = folder / "ranks.json"
    ends(program, ["--data", data, "--device", "sim", "--spawn", 2, "--epochs", 1, "--batch-size", 10,
                   "--trace", path], 0, f"spans in {folder / 'ranks.rank0.json'}",
         f"spans in {folder / 'ranks.rank1.json'}")
    for rank in (0, 1):
        events = read(folder / f"ranks.rank{rank}.json", f"ch06, rank {rank}")
        sums = [e for e in events if e.get("cat") == "collective_comm" and e["name"] == "all_reduce"]
        expect(len(sums) >= 2 and all(e["args"]["bytes"] > 0 for e in sums), "ch06: the all-reduces")
        rows = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
        expect("collectives" in rows, f"ch06: the rows are {rows}")


def takes_trace(program):
    return "--trace" in subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout


def errors(folder, programs, data):
    program = programs / "ch04-train"
    nowhere = folder / "nowhere" / "trace.json"
    ends(program, ["--data", data, "--trace", nowhere], 1, f"cannot write {nowhere}", "make the folder first")
    ends(program, ["--data", data, "--trace", folder], 1, "it is a folder; name a file in it")
    ends(program, ["--trace"], 2, "--trace")
    traced(program, folder, ["--data", folder / "missing"], 1, "missing")
    path = folder / "stopped.json"
    stops(program, ["--data", data, "--device", "sim", "--epochs", 1000000, "--trace", path])
    expect(len(read(path, "ch04 after Ctrl-C")) > 100, "the trace after Ctrl-C")


def main():
    programs = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = write_cifar(folder / "colour")
        training(folder, programs, data)
        several_devices(folder, programs, data)
        if "--ranks" in sys.argv:
            several_ranks(folder, programs, data)
        errors(folder, programs, data)
        # The course's own; the build folder also holds chapters that only test the tool.
        chapters = pathlib.Path(__file__).resolve().parents[2] / "chapters"
        found = [programs / f"ch{source.parent.name}" for source in sorted(chapters.glob("*/main.cpp"))]
        found += [programs / f"ch{source.parts[-3][:2]}-{source.stem}" for source in sorted(chapters.glob("*/programs/*.cpp"))]
        for program in found:
            if not takes_trace(program) and program.name not in WITHOUT_OUR_DEVICES:
                continue  # a short main program, which takes --device alone
            if program.name in WITHOUT_OUR_DEVICES:
                ends(program, ["--trace", folder / "trace.json"], 2, "--trace")
            else:
                traced(program, folder, ["--device", "sim", *SMALL.get(program.name, [])])
    print("\n".join(faults + [f"{len(faults)} faults"]))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
