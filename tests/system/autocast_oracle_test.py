#!/usr/bin/python3
"""Compares the cpu column of autocast's table with PyTorch: autocast_oracle_test.py PROJECT_FOLDER.

Called by CTest. Runs each operation of the table in PyTorch under torch.autocast("cpu", bfloat16), with
float32 arguments, bfloat16 ones, and both, and holds the types of the results against the policy. That
the operations do what the table says is proven by tests/common/amp. Skipped (exit code 77) without
Debian's python3-torch. Invariant: a line of the table that is not compared with PyTorch is a fault.
"""

import importlib.util
import pathlib
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing}; Debian's python3-torch is the other side of this test")
    raise SystemExit(77)

CLASSES = torch.tensor([2, 0, 3])


def numbers(*sizes):
    return torch.linspace(0.3, 0.9, torch.Size(sizes).numel()).reshape(sizes)


# How PyTorch is called: the function, and the sizes of its floating point arguments.
ASKED = {
    "linear": (F.linear, (3, 4), (5, 4), (5,)),
    "matmul": (torch.matmul, (2, 3, 4), (4, 5)),
    "mm": (torch.mm, (3, 4), (4, 5)),
    "bmm": (torch.bmm, (2, 3, 4), (2, 4, 5)),
    "addmm": (torch.addmm, (5,), (3, 4), (4, 5)),
    "mv": (torch.mv, (3, 4), (4,)),
    "dot": (torch.dot, (4,), (4,)),
    "conv2d": (F.conv2d, (2, 2, 5, 5), (3, 2, 3, 3), (3,)),
    "pow": (lambda x: torch.pow(x, 2.5), (5,)),
    "softplus": (F.softplus, (5,)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), (3, 4), (4,), (4,)),
    "logsumexp": (lambda x: torch.logsumexp(x, 1), (3, 4)),
    "mse_loss": (F.mse_loss, (6,), (6,)),
    "l1_loss": (F.l1_loss, (6,), (6,)),
    "smooth_l1_loss": (F.smooth_l1_loss, (6,), (6,)),
    "nll_loss": (lambda x: F.nll_loss(x, CLASSES), (3, 4)),
    "cross_entropy_loss": (lambda x: F.cross_entropy(x, CLASSES), (3, 4)),
    "binary_cross_entropy_with_logits": (F.binary_cross_entropy_with_logits, (6,), (6,)),
    "binary_cross_entropy": (F.binary_cross_entropy, (6,), (6,)),
    "softmax": (lambda x: torch.softmax(x, 1), (3, 4)),
    "log_softmax": (lambda x: torch.log_softmax(x, 1), (3, 4)),
    "cumsum": (lambda x: torch.cumsum(x, 0), (3, 4)),
    "cumprod": (lambda x: torch.cumprod(x, 0), (3, 4)),
    "addcmul": (torch.addcmul, (4,), (4,), (4,)),
    "addcdiv": (torch.addcdiv, (4,), (4,), (4,)),
    "scatter_add": (lambda x, source: torch.scatter_add(x, 0, CLASSES, source), (4,), (3,)),
    "cat": (lambda a, b: torch.cat([a, b]), (3,), (3,)),
    "stack": (lambda a, b: torch.stack([a, b]), (3,), (3,)),
}
for name in ("exp", "log", "log1p", "square", "reciprocal", "rsqrt", "sum", "prod", "norm"):
    ASKED[name] = (getattr(torch, name), (3, 4))

# The types of the results of float32, of bfloat16, and of mixed arguments; None: not compared.
EXPECTED = {
    "kLowerPrecision": (torch.bfloat16, torch.bfloat16, torch.bfloat16),
    "kFloat": (torch.float32, torch.float32, torch.float32),
    "kPromote": (torch.float32, torch.bfloat16, torch.float32),
    "kUnlisted": (torch.float32, torch.bfloat16, None),
}


def table(project):
    """{operation: policy on cpu}, read as docs/autocast.py reads it."""
    spec = importlib.util.spec_from_file_location("page", project / "docs" / "autocast.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return {row[0]: row[2] for _, rows in page.groups(page.HEADER.read_text()) for row in rows}


def result_types(function, *sizes):
    real = [numbers(*s) for s in sizes]
    fast = [x.bfloat16() for x in real]
    with torch.autocast("cpu", torch.bfloat16):
        types = [function(*real).dtype, function(*fast).dtype]
        try:
            mixed = function(fast[0], *real[1:]).dtype if len(sizes) > 1 else None
        except RuntimeError:  # PyTorch does not allow mixed types here
            mixed = None
    return (*types, mixed)


def main():
    policies, faults, compared = table(pathlib.Path(sys.argv[1])), [], 0
    for operation, policy in policies.items():
        if operation not in ASKED:
            faults.append(f"{operation}: PyTorch is not asked about it")
            continue
        for case, found, wanted in zip(("float32", "bfloat16", "mixed"),
                                       result_types(*ASKED[operation]), EXPECTED[policy]):
            if found is None or wanted is None:
                continue
            compared += 1
            if found != wanted:
                faults.append(f"{operation}: {policy} on cpu, so {case} arguments give {wanted}, but "
                              f"PyTorch {torch.__version__} gives {found}")
    faults += [f"{name} is in no line of the table" for name in ASKED.keys() - policies.keys()]
    print(*faults, f"{len(policies)} operations, {compared} types compared with PyTorch "
          f"{torch.__version__}, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
