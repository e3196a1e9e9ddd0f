#!/usr/bin/env python3
"""Prints "PASSED FAILED SKIPPED" for a CTest JUnit file, and on stderr what failed and why.

Called by `./course test`. A test program counts as many results as it reports itself: Catch2's test
cases, or a closing line "N passed, N failed, N skipped". Invariant: a program that CTest reports as
failed adds at least one failure, whatever it printed.
"""

import re
import sys
import xml.etree.ElementTree

OWN_TOTAL = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")
ALL_PASSED = re.compile(r"All tests passed \(.* in (\d+) test cases?\)")
SOME_FAILED = re.compile(r"test cases:\s*(\d+)([^\n]*)")


def count_output(text):
    """(passed, failed, skipped) that a program's output reports, or None."""
    totals = OWN_TOTAL.findall(text)
    if totals:
        return tuple(int(n) for n in totals[-1])
    match = ALL_PASSED.search(text)
    if match:
        return int(match.group(1)), 0, 0
    match = SOME_FAILED.search(text)
    if match:
        failed = re.search(r"(\d+) failed", match.group(2))
        failed = int(failed.group(1)) if failed else 0
        return int(match.group(1)) - failed, failed, 0
    return None


def count_case(case):
    """(passed, failed, skipped) of one <testcase>."""
    if case.get("status") == "fail":
        passed, failed, skipped = count_output(case.findtext("system-out", "")) or (0, 0, 0)
        return passed, max(failed, 1), skipped
    if case.get("status") != "run":
        # CTest reports "notrun" for an intended skip and for a program that was never built.
        skip = case.find("skipped")
        chosen = skip is not None and "SKIP" in skip.get("message", "")
        return (0, 0, 1) if chosen else (0, 1, 0)
    return count_output(case.findtext("system-out", "")) or (1, 0, 0)


def reason(text):
    """Why a program skipped: the first line that says so, or the first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["it says no reason"]
    return next((line for line in lines if line.startswith("skipped: ")), lines[0]).removeprefix("skipped: ")


def main():
    cases = xml.etree.ElementTree.parse(sys.argv[1]).getroot().findall("testcase")
    totals = [0, 0, 0]
    for case in cases:
        result = count_case(case)
        totals = [total + more for total, more in zip(totals, result)]
        if result[1]:
            lines = case.findtext("system-out", "").splitlines()
            print(f"fail: {case.get('name')}", *lines[-40:], sep="\n", file=sys.stderr)
        elif result[2] and not result[0]:
            print(f"skipped: {case.get('name')}: {reason(case.findtext('system-out', ''))}", file=sys.stderr)
    print(*totals)


if __name__ == "__main__":
    main()
