#!/usr/bin/env python3
"""Holds the code to its layers: include_arrows.py COMMON_DIRECTORY.

Called by CTest. Compares the #include lines under common/ with BELOW, which is the picture of
docs/architecture.md as a table; looks for names of the house in the core; and looks for functions that
are declared in one directory and defined in another (definitions.py).
Invariant: an arrow never points up or sideways between layers, and never from the core to the house.
"""

import pathlib
import re
import sys

import definitions

# What each layer may include besides itself. A layer may use what is below through any depth.
CORE = {
    "td/base": [],
    "td/device": ["td/base"],
    "td/backends": ["td/device"],
    "td/tensor": ["td/device"],
    "td/kernels": ["td/tensor"],
    "td/autograd": ["td/tensor"],
    "td/ops": ["td/kernels", "td/autograd"],
    "td/optim": ["td/ops"],
    "td/nn": ["td/ops"],
}
HOUSE = {
    "libs": ["td/device"],
    "amp": ["td/optim", "td/nn"],
    "parallel": ["td/optim", "td/nn"],
    "td_more": ["td/nn"],
    "os": ["td/base"],
    "trace": ["td/device", "os"],
    "sim": ["trace"],
    "io": ["td/ops", "os"],
    "data": ["io"],
    "xla": ["td/ops"],
    "simt": ["sim"],
    "launch": ["td/ops", "libs", "simt"],
    "cuda": ["simt"],
    "distributed": ["td/nn", "td/optim", "libs", "data", "trace"],
    "app": ["trace", "amp", "data", "distributed", "xla"],
}
BELOW = CORE | HOUSE
# What a program includes: these may include everything.
FRONT_DOOR = {"td/td.h", "td/torch.h", "td/exercise.h"}
# What others may include although it is not below them, and why.
LEAVES = {
    "td/tensor/half.h",  # the two types of half the size, which kernels have, too
    "td/tensor/dtype.h",  # names of element types, so that backends may use types
    "td/exercise.h",  # the standard library alone; app reports a stub that was reached
}
# The files of the core that call the libraries of others.
CALL_LIBRARIES = {
    "td/ops/gemm/gemm.cu",
    "td/ops/conv/conv.cu",
    "td/ops/autocast_guard.cpp",  # asks whether a GPU can multiply bfloat16
}
# The only files outside backends/ that know a backend, and why.
KNOW_A_BACKEND = {
    "td/kernels/launch.h",  # starts a kernel on whichever device it is for
    "libs/communicator.cpp",  # asks for the id of a GPU
    "trace/cuda/stream_timer.cpp",  # records events around the work that the backend queues
    "launch/cuda_launch.cpp",  # starts a kernel that is no operation of td
    "launch/blas.cu",  # calls cuBLAS as a program of CUDA does
}
# The wrappers of NVIDIA's libraries.
WRAP_LIBRARIES = re.compile(r"libs/cuda/")
# Tensor's methods come from the lists of operations, and cast their arguments under autocast.
DECLARE_METHODS = {"td/tensor/tensor.h"}
LISTS_OF_OPERATIONS = re.compile(r"td/ops/(?:[\w/]+\.def|autocast\.h)$")
SUFFIXES = (".h", ".cpp", ".cu", ".inc", ".def")
INCLUDE = re.compile(r'^\s*#\s*include\s*"((?:td|%s)/[^"]+)"' % "|".join(HOUSE), re.M)
CUDA_CONDITION = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(TD_HAS_CUDA)\b", re.M)
HOUSE_NAME = re.compile(r"\bsim::|\bkSIM\b|\bis_sim\b")
LIST_OF_DEVICES = "td/device/devices.def"


def layer_of(name):
    """The layer of a file, or None for a file directly under td/ or common/."""
    parts = name.split("/")
    if parts[0] == "td":
        return "/".join(parts[:2]) if len(parts) > 2 else None
    return parts[0] if len(parts) > 1 else None


def reachable(layer):
    """All layers below `layer`."""
    return set(BELOW[layer]).union(*(reachable(below) for below in BELOW[layer]))


def may_include(name, layer, target):
    """Whether file `name` of `layer` may include the file `target`."""
    if target in LEAVES or layer_of(target) in reachable(layer) | {layer}:
        return True
    if layer_of(target) == "td/backends":
        return name in KNOW_A_BACKEND or bool(WRAP_LIBRARIES.match(name))
    if layer_of(target) == "libs":
        return name in CALL_LIBRARIES
    return name in DECLARE_METHODS and bool(LISTS_OF_OPERATIONS.match(target))


def faults_of(name, text):
    """The faults of one file, whose name is relative to common/."""
    if name in FRONT_DOOR:
        return
    layer = layer_of(name)
    if layer not in BELOW:
        yield f"{name}: it is in no layer; add its directory to {pathlib.Path(__file__).name}"
        return
    for match in INCLUDE.finditer(text):
        if not may_include(name, layer, match.group(1)):
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"{name}:{line}: {layer} must not include {match.group(1)}"
    if layer not in CORE:
        return
    code = definitions.without_comments(text)
    if name != LIST_OF_DEVICES:
        for match in HOUSE_NAME.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: the core must not name {match.group()}, which is of the house"
    if layer not in ("td/backends", "td/device", "td/kernels"):
        for match in CUDA_CONDITION.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"{name}:{line}: only backends, device and kernels may test TD_HAS_CUDA"


def main():
    root = pathlib.Path(sys.argv[1])
    texts = {path.relative_to(root).as_posix(): path.read_text()
             for path in sorted(root.rglob("*")) if path.suffix in SUFFIXES}
    faults = [fault for name, text in texts.items() for fault in faults_of(name, text)]
    faults += definitions.faults_of(texts, layer_of)
    print(*faults, f"{len(texts)} files, {len(faults)} faults", sep="\n")
    if faults or not texts:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
