#!/usr/bin/env python3
"""Turns Doxygen's warnings into errors: check_warnings.py LOG SOURCE_ROOT.

Called by the target `docs`. Names that mean what they mean in the standard library need no words of
ours, and overloads under one another share theirs; every other public name needs its own. Invariant: any other warning fails the build.
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


def follows_its_sibling(message, root):
    """True for an overload right under another: the words above are for both."""
    place = re.match(r"(.*?):(\d+): warning: Member ", message)
    name = UNDOCUMENTED.search(message)
    if not place or not name:
        return False
    lines = pathlib.Path(root, place.group(1)).read_text().splitlines()
    above = "\n".join(lines[max(0, int(place.group(2)) - 12) : int(place.group(2)) - 1])
    return re.search(rf"\b{re.escape(name.group(1))}\(", above.rpartition("\n\n")[2]) is not None


def main():
    root = str(pathlib.Path(sys.argv[2]).resolve()) + "/"
    # A warning may go on in indented lines.
    warnings = re.split(r"\n(?=\S)", pathlib.Path(sys.argv[1]).read_text().strip())
    left = [text.replace(root, "") for text in warnings if text]
    left = [t for t in left if not explains_itself(t) and not follows_its_sibling(t, root)]
    print(*left, f"{len(left)} warnings from Doxygen", sep="\n")
    if left:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
