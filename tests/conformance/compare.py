#!/usr/bin/env python3
"""Runs an area's program with td and compares what it prints with what libtorch prints.

    compare.py AREA expected/ OUR_PROGRAM              called by CTest, with libtorch's recorded results
    compare.py AREA LIBTORCH_PROGRAM OUR_PROGRAM VERSION   called by CTest where the area has no valid record
    compare.py AREA --write VERSION HASH LIBTORCH_PROGRAM   records them; called by the target record_conformance
    compare.py --self-test                             checks that planted differences are found

A line is name, kind and what the kind needs, between tabs (conformance.cpp prints them). Names, kinds,
dtypes, sizes, strides, integers and words must be equal; floating point numbers must agree within
TOLERANCES. Differences that are known are listed in exceptions.txt with a reason; one that no longer happens
is a fault, too, so that the list cannot grow old. Invariant: a line that only one side has is a difference.
"""

import lzma
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# (share of the reference, share of the largest reference in the tensor). 16-bit: one last place.
TOLERANCES = {"float32": (1e-5, 1e-6), "float64": (1e-11, 1e-12), "float16": (2**-10, 2**-13),
              "bfloat16": (2**-7, 2**-10), "numbers": (1e-5, 1e-6), "training": (1e-4, 1e-5),
              "bfloat16 sums": (2**-5, 2**-5)}
TRAINING = {"float32": "training", "numbers": "training"}  # numbers that come out of many steps
# Areas where some kinds of numbers are held to less. libtorch 1.13 rounds each partial sum of a product or
# a row of bfloat16 numbers; td rounds once.
LOOSER = {"chapter_03": TRAINING, "chapter_04": TRAINING, "optimizers": TRAINING,
          "bfloat16": {"bfloat16": "bfloat16 sums"}}
SHOWN = 40
EXPECTED = pathlib.Path(__file__).parent / "expected"
SOME_PROCESSORS = "on some processors"  # in the reason of such an exception
# What one report adds to its name for each of its lines.
PART = re.compile(r"( #\d+| count| value| threw| gradient \d+| second \d+)+$")


def read_lines(text):
    return [tuple(line.split("\t")) for line in text.splitlines()]


def numbers_differ(reference, ours, kind):
    """None, or which of the numbers differ."""
    reference, ours = reference.split(), ours.split()
    if len(reference) != len(ours):
        return f"{len(reference)} and {len(ours)} numbers"
    relative, absolute = TOLERANCES[kind]
    a, b = [float(x) for x in reference], [float(x) for x in ours]
    largest = max((abs(x) for x in a if math.isfinite(x)), default=0)
    for i, (x, y) in enumerate(zip(a, b)):
        if x == y or (math.isnan(x) and math.isnan(y)):
            continue
        if not abs(x - y) <= relative * abs(x) + absolute * largest or math.isinf(x):
            return f"element {i} of {len(a)}: {reference[i]} and {ours[i]}"
    return None


def difference(reference, ours, looser):
    """None, or a text that says how two lines of the same name differ. Each is a tuple without the name."""
    if reference[0] != ours[0]:
        return f"{' '.join(reference)[:150]}  AND  {' '.join(ours)[:150]}"
    kind = reference[0]
    if kind == "thrown":  # the texts are each side's own
        return None
    if kind == "numbers":
        return numbers_differ(reference[1], ours[1], looser.get(kind, kind))
    if kind == "tensor" and len(reference) == len(ours) == 6:
        for what, i in (("dtype", 1), ("requires_grad", 2), ("sizes", 3), ("strides", 4)):
            if reference[i] != ours[i] and not (what == "strides" and not reference[5]):
                return f"{what} {reference[i]} and {ours[i]}"
        if reference[1] not in TOLERANCES:
            return None if reference[5] == ours[5] else f"{reference[5][:200]} and {ours[5][:200]}"
        return numbers_differ(reference[5], ours[5], looser.get(reference[1], reference[1]))
    return None if reference == ours else f"{' '.join(reference[1:])} and {' '.join(ours[1:])}"


class Exceptions:
    """The rules of one area: lines `area | pattern of "name: difference" | reason`.

    A reason that begins with "libtorch 1:" or "libtorch 2:" is for this major version alone."""

    def __init__(self, text, area, version="1.13"):
        other = f"libtorch {3 - int(version[0])}:"
        self.rules, self.own = [], []
        for line in text.splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            of_area, pattern, reason = (part.strip() for part in line.split(" | "))
            if of_area in (area, "*") and not reason.startswith(other):
                self.rules.append([re.compile(pattern), reason, 0])
                # Which instructions a processor has decides over rounding: such a rule may go unused.
                if of_area == area and SOME_PROCESSORS not in reason:
                    self.own.append(self.rules[-1])

    def allow(self, words):
        for rule in self.rules:
            if rule[0].search(words):
                rule[2] += 1
                return True
        return False

    def unused(self):
        return [rule[0].pattern for rule in self.own if rule[2] == 0]


def groups_of(lines):
    """{(name of a report, how often it came before): its lines}, in order: one report may print many."""
    groups, seen = {}, {}
    last = None
    for line in lines:
        name = PART.sub("", line[0])
        first = name != last or line[0] in (l[0] for l in groups[name, seen[name]])
        if first:
            seen[name] = seen.get(name, -1) + 1
        groups.setdefault((name, seen[name]), []).append(line)
        last = name
    return groups


def differences(a, b, looser):
    """Of one report's lines: [(name, words, or None where they agree)]."""
    if [line[0] for line in a] == [line[0] for line in b]:
        return [(x[0], difference(x[1:], y[1:], looser)) for x, y in zip(a, b)]
    thrown = [line for line in a + b if len(line) > 1 and line[1] == "thrown"]
    words = "  AND  ".join(" ".join((thrown[0] if thrown and thrown[0] in lines else lines[0])[1:])[:150]
                           for lines in (a, b))
    return [(PART.sub("", a[0][0]), words)]


def compare(area, reference, ours, exceptions):
    """(count of equal lines, list of faults in words)."""
    looser = LOOSER.get(area, {})
    faults, equal = [], 0
    theirs, mine = groups_of(reference), groups_of(ours)
    for key, lines in theirs.items():
        if key not in mine:
            found = [(key[0], "only libtorch printed it")]
        else:
            found = differences(lines, mine[key], looser)
        for name, words in found:
            if words is None:
                equal += 1
            elif not exceptions.allow(f"{name}: {words}"):
                faults.append(f"{area}: {name}: libtorch and td: {words}")
    for key in mine:
        if key not in theirs and not exceptions.allow(f"{key[0]}: only td printed it"):
            faults.append(f"{area}: {key[0]}: libtorch and td: only td printed it")
    if not reference:
        faults.append(f"{area}: nothing was printed, so nothing was compared")
    return equal, faults


def recorded(folder, area):
    """The recorded lines, and the version of libtorch that printed them."""
    index = dict(line.split(" ", 1) for line in (folder / "index.txt").read_text().splitlines())
    return read_lines(lzma.decompress((folder / f"{area}.txt.xz").read_bytes()).decode()), index[area].split()[0]


def write(area, version, key, program):
    """Records what the program prints. The index names the version and the hash that the program was made from."""
    lines, end = run(program, area)
    if end:
        sys.exit(end)
    text = "".join("\t".join(line) + "\n" for line in lines)
    EXPECTED.mkdir(exist_ok=True)
    (EXPECTED / f"{area}.txt.xz").write_bytes(lzma.compress(text.encode(), preset=9))
    index = EXPECTED / "index.txt"
    others = [line for line in index.read_text().splitlines() if line.split()[0] != area]
    index.write_text("\n".join(sorted([*others, f"{area} {version} {key}"])) + "\n")
    print(f"{area}: {len(lines)} results of libtorch {version} recorded")


def run(program, area):
    # One thread per side: sums have one order, and two programs share the machine's cores.
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    done = subprocess.run([os.path.abspath(program), area], text=True, capture_output=True, cwd=tempfile.gettempdir(),
                          env=surroundings | {"OMP_NUM_THREADS": "1"}, check=False)
    end = f"{program} ended with {done.returncode}: {done.stderr[-500:]}" if done.returncode else None
    return read_lines(done.stdout), end


def main(area, source, our_program, version=None):
    source, reference_end = pathlib.Path(source), None
    if source.is_dir():
        reference, version = recorded(source, area)
        print(f"{area}: compared with the recorded results of libtorch {version}")
    else:
        reference, reference_end = run(source, area)
        print(f"{area}: compared with libtorch {version}, which ran now. The target record_conformance records its results")
    ours, our_end = run(our_program, area)
    rules = (pathlib.Path(__file__).parent / "exceptions.txt").read_text()
    exceptions = Exceptions(rules, area, version)
    equal, faults = compare(area, reference, ours, exceptions)
    faults += [end for end in (reference_end, our_end) if end]
    faults += [f"{area}: the exception '{pattern}' did not happen: strike it"
               for pattern in exceptions.unused()]
    for fault in faults[:SHOWN]:
        print(fault)
    excepted = sum(rule[2] for rule in exceptions.rules)
    print(f"{area}: {len(reference)} cases, {equal} equal, {excepted} meant to differ, "
          f"{len(faults)} faults")
    return 1 if faults else 0


def self_test():
    line = ("x", "tensor", "float32", "0", "2,2", "2,1", "1 2 3 nan")
    planted = {
        "a value": line[:6] + ("1 2.001 3 nan",),
        "a NaN": line[:6] + ("1 2 nan nan",),
        "a number for NaN": line[:6] + ("1 2 3 4",),
        "an infinity": line[:6] + ("1 2 inf nan",),
        "a stride": line[:5] + ("1,2", line[6]),
        "a size": line[:4] + ("4", line[5], line[6]),
        "a dtype": line[:2] + ("float64",) + line[3:],
        "requires grad": line[:3] + ("1",) + line[4:],
        "thrown": ("x", "thrown", "no"),
        "another name": ("y",) + line[1:],
        "an element less": line[:6] + ("1 2 3",),
    }
    wrong = [what for what, other in planted.items()
             if not compare("a", [line], [other], Exceptions("", "a"))[1]]
    whole = ("n", "tensor", "int64", "0", "1", "1", "7")
    alike = {  # what must pass
        "itself": (line, line),
        "the last places": (line, line[:6] + ("1.000001 2 3 nan",)),
        "another message": (("x", "thrown", "a"), ("x", "thrown", "b")),
        "an exception": (line, planted["a stride"]),
        "an exception of this version": (line, planted["a stride"]),
    }
    rule = "# why\na | x: strides 2,1 and | {}told in a reason\n"
    rules_of = {"an exception": rule.format(""), "an exception of this version": rule.format("libtorch 2: ")}
    for what, (a, b) in alike.items():
        if compare("a", [a], [b], Exceptions(rules_of.get(what, ""), "a", "2.6"))[1]:
            wrong.append(what)
    more = {
        "a missing line": ([line, whole], [line], ""),
        "an extra line": ([line], [line, whole], ""),
        "an integer": ([whole], [whole[:6] + ("8",)], ""),
        "nothing at all": ([], [], ""),
        "an exception of another version": ([line], [planted["a stride"]], rule.format("libtorch 2: ")),
    }
    wrong += [what for what, (a, b, rules) in more.items()
              if not compare("a", a, b, Exceptions(rules, "a"))[1]]
    for what in wrong:
        print(f"judged wrongly: {what}")
    print(f"{len(planted) + len(alike) + len(more)} planted cases, {len(wrong)} judged wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if sys.argv[2] == "--write":
        sys.exit(write(sys.argv[1], *sys.argv[3:]))
    sys.exit(main(*sys.argv[1:]))
