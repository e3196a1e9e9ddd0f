"""Text between two marks of a page, which a program writes: used by tools/seen_running.py,
tools/front_page.py and tools/bench/compare.py.

    <!-- speed -->
    ...
    <!-- end of speed -->

Invariant: text outside of the marks is never changed.
"""

import re


def replaced(page, name, text):
    """The page with `text` between the marks of `name`. @throws ValueError unless there is one pair."""
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end of {re.escape(name)} -->)", re.S)
    if len(pattern.findall(page)) != 1:
        raise ValueError(
            f"the page needs the marks <!-- {name} --> and <!-- end of {name} --> once, in this order")
    return pattern.sub(lambda marks: marks[1] + text.rstrip("\n") + "\n" + marks[2], page)


def table(head, rows):
    """A Markdown table. A bar within a cell would begin another cell."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "/") for cell in line) + " |"
                     for line in lines) + "\n"


def in_words(seconds):
    """A time with three digits."""
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
