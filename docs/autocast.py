#!/usr/bin/env python3
"""Writes docs/autocast.md, what each operation does under autocast, from the table itself.

    python3 docs/autocast.py                  prints the page
    python3 docs/autocast.py --write          writes it
    python3 docs/autocast.py --check [PAGE]   ends with 1 when docs/autocast.md, or PAGE, is not what
                                              the table says; the tests call this

Invariant: lines of the page are lines of the table in common/td/ops/autocast_table.h; only the sentences
around them are written here.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "common" / "td" / "ops" / "autocast_table.h"
PAGE = ROOT / "docs" / "autocast.md"

POLICY = re.compile(r"^  (k\w+),\s+///< (.*)$", re.M)
LINE = re.compile(r'^\s*\{"(\w+)", P::(k\w+), P::(k\w+)\},(?:\s+// (.*))?$')
GROUP = re.compile(r"^\s*// (.*)$")

HEAD = """# What operations do under autocast

Written by `docs/autocast.py` from the table in `common/td/ops/autocast_table.h`, which the operations
themselves read. The policies are PyTorch's. sim follows the column of cuda.

Inside `amp::AutocastGuard autocast(device_type)` an operation casts its arguments as its policy says,
and its gradient is computed in the types that it ran in. Only floating point arguments on that kind of
device are cast, and never float64. Operations in place (`exp_`, `addcmul_`) and calls that name a
dtype (`softmax(x, 1, kHalf)`) are left alone.
"""


def policies(text):
    """The policies with what they mean, in order."""
    found = POLICY.findall(text[text.index("enum class Policy"):text.index("struct Rule")])
    return dict(found)


def groups(text):
    """The table as a list of (sentence, lines); a line is (operation, cuda, cpu, remark)."""
    body = text[text.index("Rule table[] = {"):]
    result = []
    for row in body[:body.index("\n};")].splitlines()[1:]:
        line, title = LINE.match(row), GROUP.match(row)
        if line:
            result[-1][1].append(line.groups(default=""))
        elif title:
            result.append((title.group(1), []))
        else:
            raise SystemExit(f"{HEADER}: cannot read the line {row.strip()!r} of the table")
    return result


def page():
    text = HEADER.read_text()
    names, lines = policies(text), [HEAD, "| policy | an operation |", "|---|---|"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in names.items()]
    lines += ["", "An operation that has no line below is `kUnlisted`.", ""]
    for title, rows in groups(text):
        lines += [f"**{title}**", "", "| operation | cuda, sim | cpu |", "|---|---|---|"]
        for operation, cuda, cpu, remark in rows:
            for policy in (cuda, cpu):
                if policy not in names:
                    raise SystemExit(f"{HEADER}: {operation} has the policy {policy}, which is none")
            lines.append(f"| `{operation}`{f' ({remark})' if remark else ''} | `{cuda}` | `{cpu}` |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main():
    text = page()
    if "--write" in sys.argv:
        PAGE.write_text(text)
    elif "--check" in sys.argv:
        checked = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else PAGE
        if checked.read_text() != text:
            raise SystemExit(f"{checked} is not what the table says: python3 docs/autocast.py --write")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
