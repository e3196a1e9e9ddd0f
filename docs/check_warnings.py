#!/usr/bin/env python3
"""Turns Doxygen's warnings into errors: check_warnings.py LOG SOURCE_ROOT.

Called by the target `docs`. Names that mean what they mean in the standard library need no words of
ours, and overloads under one another share theirs; every other public name needs its own. Invariant: any other warning fails the build in CI.
"""

import pathlib
import re
import sys

# Member NAME(ARGUMENTS) (KIND) of SCOPE is not documented.
UNDOCUMENTED = re.compile(r"Member ([^\s(\[]+(?: \w+)?)\b.* \((\w+)\) of (?:\w+) ([\w:<> ,*]+) is not documented")
STANDARD = {"size", "empty", "data", "begin", "end", "front", "back", "push_back", "pop_back", "insert",
            "erase", "reset", "swap", "get", "allocate", "deallocate", "what", "vec", "clear", "reserve",
            "contains", "is_empty", "items", "keys", "values", "clone"}
# What every module has, described once at td::nn::Module.
MODULE = {"forward", "reset_parameters", "pretty_print", "options", "weight", "bias"}


def explains_itself(message):
    """True for constructors, operators, second names of types and the vocabulary above."""
    if re.search(r"Member operator\b", message):
        return True
    match = UNDOCUMENTED.search(message)
    if not match:
        return False
    name, kind = match.group(1), match.group(2)
    scope = re.sub(r"<.*", "", match.group(3)).split("::")[-1].strip()
    return name in STANDARD or name in MODULE and ("td/nn/" in message or "td::nn::" in message) or name == scope or kind == "typedef"


def is_holder(message, root):
    """True for the handle of a module: TD_MODULE(Linear) has the words of LinearImpl."""
    match = re.match(r"(.*?):(\d+): warning: Compound td::nn::(\w+) is not documented", message)
    if not match:
        return False
    line = pathlib.Path(root, match.group(1)).read_text().splitlines()[int(match.group(2)) - 1]
    return re.search(rf"TD_\w+\({match.group(3)}[,)]", line) is not None


def follows_its_sibling(message, root):
    """True for an overload right under another: the words above are for both."""
    place = re.match(r"(.*?):(\d+): warning: Member ", message)
    name = UNDOCUMENTED.search(message)
    if not place or not name:
        return False
    lines = pathlib.Path(root, place.group(1)).read_text().splitlines()
    above = "\n".join(lines[max(0, int(place.group(2)) - 12) : int(place.group(2)) - 1])
    return re.search(rf"\b{re.escape(name.group(1))}\(", above.rpartition("\n\n")[2]) is not None


def repeats_its_base(message, root):
    """True for an override and for inherited constructors: the base has the words."""
    place = re.match(r"(.*?):(\d+): warning: Member ", message)
    if not place:
        return False
    line = pathlib.Path(root, place.group(1)).read_text().splitlines()[int(place.group(2)) - 1]
    return "override" in line or re.match(r"\s*using [\w:<>]+::\w+;", line) is not None


def main():
    root = str(pathlib.Path(sys.argv[2]).resolve()) + "/"
    # A warning may go on in indented lines.
    warnings = re.split(r"\n(?=\S)", pathlib.Path(sys.argv[1]).read_text().strip())
    left = [text.replace(root, "") for text in warnings if text]
    # A template's members are told once for every class that inherits them.
    left = list({":".join(t.split(":")[:2]): t for t in left
                 if not (explains_itself(t) or follows_its_sibling(t, root) or is_holder(t, root)
                         or repeats_its_base(t, root))
                 }.values())
    print(*left, f"{len(left)} warnings from Doxygen", sep="\n")
    if left:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
