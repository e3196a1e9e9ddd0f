#!/usr/bin/env python3
"""Turns Doxygen's warnings into errors: check_warnings.py LOG SOURCE_ROOT.

Called by the target `docs`. Names that mean what they mean in the standard library need no words of
ours; every other public name does. Invariant: any other warning fails the build.
"""

import pathlib
import re
import sys

# Member NAME(ARGUMENTS) (KIND) of SCOPE is not documented.
UNDOCUMENTED = re.compile(r"Member ([^\s(\[]+(?: \w+)?)\b.* \((\w+)\) of (?:\w+) ([\w:<> ,*]+) is not documented")
STANDARD = {"size", "empty", "data", "begin", "end", "front", "back", "push_back", "pop_back", "insert",
            "erase", "reset", "swap", "get", "value_type", "allocate", "deallocate", "what", "vec"}


def explains_itself(message):
    """True for constructors, operators and the standard containers' vocabulary."""
    if re.search(r"Member operator\b", message):
        return True
    match = UNDOCUMENTED.search(message)
    if not match or match.group(2) not in ("function", "typedef"):
        return False
    name, scope = match.group(1), re.sub(r"<.*", "", match.group(3)).split("::")[-1].strip()
    return name in STANDARD or name == scope


def main():
    root = str(pathlib.Path(sys.argv[2]).resolve()) + "/"
    # A warning may go on in indented lines.
    warnings = re.split(r"\n(?=\S)", pathlib.Path(sys.argv[1]).read_text().strip())
    left = [text.replace(root, "") for text in warnings if text and not explains_itself(text)]
    print(*left, f"{len(left)} warnings from Doxygen", sep="\n")
    if left:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
