#!/usr/bin/env python3
"""Holds the tensor core to its layers: include_arrows.py COMMON_FOLDER.

Called by CTest. Reads the #include lines under common/td and compares them with BELOW, the picture of
docs/architecture.md as a table. Invariant: an arrow never points up or sideways between layers.
"""

import pathlib
import re
import sys

# What each layer may include besides itself. A layer may use what is below through any depth.
BELOW = {
    "base": [],
    "trace": ["base"],
    "device": ["base", "trace"],
    "backends": ["device"],
    "tensor": ["device"],
    "kernels": ["tensor"],
    "autograd": ["tensor"],
    "ops": ["kernels", "autograd"],
    "optim": ["ops"],
    "nn": ["ops"],
    "data": ["ops"],
    "io": ["ops"],
    "amp": ["optim", "nn", "data", "io"],
    "parallel": ["optim", "nn", "data", "io"],
    "distributed": ["parallel"],
    "xla": ["ops"],
}
# The only files outside backends/ that know a backend, and why.
KNOW_A_BACKEND = {
    "kernels/launch.h",  # starts a kernel on whichever device it is for
    "ops/gemm/gemm.cu",  # matrix products and convolutions go to the vendor's library
    "ops/conv/conv_kernels.cu",
    "distributed/collective.h",  # NCCL carries the data of its process group
    "distributed/transport/process_group_nccl.h",
}
# Names of element types: a leaf that knows nothing of tensors, so that backends may speak of types.
LEAVES = {"tensor/dtype.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"td/([^"]+)"', re.M)
CUDA_CONDITION = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(TD_HAS_CUDA)\b", re.M)


def reachable(layer):
    """All layers below `layer`."""
    return set(BELOW[layer]).union(*(reachable(below) for below in BELOW[layer]))


def faults_of(name, text):
    """The faults of one file, whose name is relative to common/td."""
    layer = name.split("/")[0]
    if "/" not in name:  # td.h and its kind stand above everything
        return
    if layer not in BELOW:
        yield f"td/{name}: the folder {layer} is in no layer; add it to {pathlib.Path(__file__).name}"
        return
    allowed = reachable(layer) | {layer}
    if name in KNOW_A_BACKEND:
        allowed.add("backends")
    for match in INCLUDE.finditer(text):
        target = match.group(1).split("/")[0]
        line = text.count("\n", 0, match.start(1)) + 1
        if target not in allowed and match.group(1) not in LEAVES:
            yield f"td/{name}:{line}: {layer} must not include td/{match.group(1)}"
    if layer not in ("backends", "device", "kernels"):
        for match in CUDA_CONDITION.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"td/{name}:{line}: only backends, device and kernels may ask for TD_HAS_CUDA"


def main():
    root = pathlib.Path(sys.argv[1]) / "td"
    files = sorted(path for path in root.rglob("*") if path.suffix in (".h", ".cpp", ".def"))
    faults = [fault for path in files
              for fault in faults_of(path.relative_to(root).as_posix(), path.read_text())]
    print(*faults, f"{len(files)} files, {len(faults)} faults", sep="\n")
    if faults or not files:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
