#!/usr/bin/env python3
"""Compares our checkpoints with Python's package safetensors: safetensors_test.py SAMPLE PACKAGES.

Called by CTest. SAMPLE is the C++ side; PACKAGES the folder where `./course test --all` put the package.
Invariant: each side reads what the other wrote, byte for byte, over every type, scalars, empty
tensors and strings. Skipped (exit code 77) where the package is not there.
"""

import pathlib
import subprocess
import sys
import tempfile

sample, packages = sys.argv[1:]
sys.path.insert(0, packages)
try:
    import numpy
    import safetensors
    import safetensors.numpy
except ImportError as missing:
    print(f"skipped: {missing}; ./course test --all fetches Python's safetensors")
    raise SystemExit(77)

# Our name, the format's name, the numbers -2 to 3 as raw bytes (numpy has no bfloat16; its elements
# are the upper halves of float32's).
NUMBERS = numpy.arange(6, dtype=numpy.float32).reshape(2, 3) - 2
UPPER_HALVES = (NUMBERS.view(numpy.uint32) >> 16).astype(numpy.uint16)
TYPES = {
    "uint8": ("U8", NUMBERS.astype(numpy.int64).astype(numpy.uint8)),
    "int32": ("I32", NUMBERS.astype(numpy.int32)),
    "int64": ("I64", NUMBERS.astype(numpy.int64)),
    "float16": ("F16", NUMBERS.astype(numpy.float16)),
    "float32": ("F32", NUMBERS),
    "float64": ("F64", NUMBERS.astype(numpy.float64)),
    "bool": ("BOOL", NUMBERS.astype(bool)),
    "bfloat16": ("BF16", UPPER_HALVES),
}
NOTE = 'two "words" \u00e9'


def expect(actual, expected, what):
    """Ends the test unless both are equal."""
    if actual != expected:
        raise SystemExit(f"{what}: expected {expected}, got {actual}")


def check_ours(path):
    """Python reads a file of ours."""
    subprocess.run([sample, "write", path], check=True)
    entries = dict(safetensors.deserialize(path.read_bytes()))
    expect(len(entries), 4 * len(TYPES), "tensors in our file")
    for name, (code, numbers) in TYPES.items():
        one = entries[name + ".scalar"]
        expect((entries[name]["dtype"], entries[name]["shape"]), (code, [2, 3]), name)
        expect(bytes(entries[name]["data"]), numbers.tobytes(), name)
        expect(bytes(entries[name + ".sim"]["data"]), numbers.T.tobytes(), name + ".sim")
        expect((one["dtype"], one["shape"]), (code, []), name + ".scalar")
        # The number 1 stands at [1, 0].
        expect(bytes(one["data"]), numbers[1, 0].tobytes(), name + ".scalar")
        empty = entries[name + ".empty"]
        expect((empty["shape"], bytes(empty["data"])), ([0, 3], b""), name + ".empty")
    with safetensors.safe_open(path, framework="numpy") as file:
        expect(file.metadata(), {"note": NOTE, "alias.tied": "float32"}, "metadata of our file")
        expect(file.get_tensor("float64").tolist(), NUMBERS.tolist(), "float64 as numpy sees it")


def read_by_us(path):
    """The lines that the C++ side prints of a file."""
    done = subprocess.run([sample, "read", path], check=True, capture_output=True, text=True)
    return sorted(done.stdout.splitlines())


def check_theirs(path):
    """We read files of Python's, by its raw writer and by numpy's."""
    entries, lines = {}, [f"string note {NOTE}"]
    for name, (_, numbers) in TYPES.items():
        for suffix, part, shape in (("", numbers, "[2, 3]"), (".scalar", numbers[1, 0], "[]"),
                                    (".empty", numbers[:0], "[0, 3]")):
            entries[name + suffix] = {"dtype": name, "shape": part.shape, "data": part.tobytes()}
            lines.append(f"tensor {name}{suffix} {name} {shape} {part.tobytes().hex()}")
    safetensors.serialize_file(entries, path, {"note": NOTE})
    expect(read_by_us(path), sorted(lines), "a file of serialize_file")

    arrays = {name: numbers for name, (_, numbers) in TYPES.items() if name != "bfloat16"}
    safetensors.numpy.save_file(arrays, path)
    expect(read_by_us(path), sorted(f"tensor {name} {name} [2, 3] {numbers.tobytes().hex()}"
                                    for name, numbers in arrays.items()), "a file of save_file")


with tempfile.TemporaryDirectory() as folder:
    check_ours(pathlib.Path(folder) / "ours.safetensors")
    check_theirs(pathlib.Path(folder) / "theirs.safetensors")
print(f"safetensors {safetensors.__version__} and this library read each other's files")
