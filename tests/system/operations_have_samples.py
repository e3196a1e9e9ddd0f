#!/usr/bin/env python3
"""Every operation is in the operation suite: operations_have_samples.py PROJECT_FOLDER.

Called by CTest. Reads the functions declared in td/ops/*/functions.def and td_more/functions.h, and the
.def lists of td/ops/pointwise/ and td_more/. The suite (suite_*_test.cpp of tests/common/td/ops and
tests/common/td_more) must give a sample of each: name it in quotes, or walk its list. Invariant: an
operation without a sample stands in ELSEWHERE with the test file that holds it to a reference of its own.
"""

import pathlib
import re
import sys

# Operations whose arguments or results the suite's samples cannot carry, and where they are tested.
ELSEWHERE = {
    # Images: every case of window, layout and type.
    "conv_test.cpp": ["conv2d"],
    "pool_test.cpp": ["max_pool2d", "max_pool2d_with_indices", "avg_pool2d", "adaptive_avg_pool2d"],
    # Statistics that change in place.
    "norm_test.cpp": ["batch_norm"],
    # Random values: ranges and moments, no reference.
    "dropout_test.cpp": ["dropout"],
    "random_test.cpp": ["manual_seed", "rand", "randn", "randint", "randperm", "rand_like", "randn_like",
                        # New tensors: no tensor goes in.
                        "zeros", "ones", "full", "arange", "linspace", "eye", "zeros_like",
                        "ones_like", "full_like"],
    # Results that are bool tensors or a C++ bool.
    "logic_test.cpp": ["logical_not", "isnan", "isinf", "isfinite", "equal", "allclose", "clamp_min",
                       "clamp_max"],
    # Its sample and its error texts call it cross_entropy, as Python does.
    "suite_loss_test.cpp": ["cross_entropy_loss"],
    # Results whose size is data.
    "suite_index_test.cpp": ["masked_select", "nonzero", "one_hot"],
    "suite_reduce_test.cpp": ["argmax", "argmin", "any", "all"],
    # Of td_more: rows, in every type.
    "layer_norm_test.cpp": ["layer_norm"],
    # In place: the function of the same name is in the suite.
    "suite_activations_test.cpp": ["leaky_relu_"],
}
DECLARATION = re.compile(r"^(?:AUTOCAST_)?(?:METHOD|MEMBER|FUNCTION)\([\w&]+, (\w+),", re.M)
# Tested as methods, in tests/common/td/tensor/views_test.cpp.
FROM_OTHERS = {"as_strided", "expand", "view"}
# Of td_more, which declares plain functions.
PLAIN_DECLARATION = re.compile(r"^Tensor&? (\w+)\(", re.M)
LINE = re.compile(r"^[A-Z]+\((\w+),", re.M)  # of a .def list
NAME = re.compile(r'"(\w+)"')


def declared_in(common):
    """The names of the operations that a program can call as free functions."""
    text = "".join(path.read_text() for path in (common / "td/ops").glob("*/functions.def"))
    more = PLAIN_DECLARATION.findall((common / "td_more/functions.h").read_text())
    return (set(DECLARATION.findall(text)) | set(more)) - FROM_OTHERS


def main():
    project = pathlib.Path(sys.argv[1])
    common = project / "common"
    folders = [project / "tests/common/td/ops", project / "tests/common/td_more"]
    tests = {path.name: path.read_text() for folder in folders for path in sorted(folder.glob("*_test.cpp"))}
    suite = "".join(text for name, text in tests.items() if name.startswith("suite_"))
    lists = sorted(path for folder in ("td/ops/pointwise", "td_more") for path in (common / folder).glob("*.def")
                   if path.name != "functions.def")
    walked = [path for path in lists if f'"{path.relative_to(common)}"' in suite]
    sampled = set(NAME.findall(suite)).union(*(LINE.findall(path.read_text()) for path in walked))
    excused = {name: file for file, names in ELSEWHERE.items() for name in names}
    faults = []
    declared = declared_in(common)
    if len(declared) < 100:
        faults.append(f"only {len(declared)} operations found in the headers: is their form another now?")
    for name in sorted(declared - sampled - excused.keys()):
        faults.append(f"{name} has no sample in the operation suite and no test of its own in ELSEWHERE")
    for name in sorted(excused.keys() - declared):
        faults.append(f"{name} stands in ELSEWHERE but is declared nowhere")
    for name, file in sorted(excused.items()):
        if name in sampled:
            faults.append(f"{name} has a sample and need not stand in ELSEWHERE")
        if not re.search(rf"\b{name}\b", tests[file]):
            faults.append(f"{name} is said to be tested in {file}, which never names it")
    for path in lists:
        if path not in walked:
            faults.append(f"{path.relative_to(common)} is not walked by the operation suite")
    print("\n".join(faults) or f"{len(declared)} operations declared, {len(declared & sampled)} sampled")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
