#!/usr/bin/env python3
"""Tests tools/count_results.py: what CTest calls failed is never lost. Called by CTest."""

import pathlib
import subprocess
import sys
import tempfile

COUNTER = pathlib.Path(sys.argv[1]) / "tools" / "count_results.py"
CASES = [
    ("one plain pass", '<testcase name="a" status="run"/>', "1 0 0"),
    ("Catch2's cases count", '<testcase name="a" status="run"><system-out>'
     "All tests passed (9 assertions in 4 test cases)</system-out></testcase>", "4 0 0"),
    ("one case", '<testcase name="a" status="run"><system-out>'
     "All tests passed (9 assertions in 1 test case)</system-out></testcase>", "1 0 0"),
    ("some failed", '<testcase name="a" status="fail"><failure/><system-out>'
     "test cases: 5 | 3 passed | 2 failed</system-out></testcase>", "3 2 0"),
    ("a total of its own, the last one", '<testcase name="a" status="run"><system-out>'
     "1 passed, 0 failed, 0 skipped\n7 passed, 0 failed, 2 skipped</system-out></testcase>", "7 0 2"),
    ("a program that claims success and fails", '<testcase name="a" status="fail"><failure/>'
     "<system-out>All tests passed (2 assertions in 2 test cases)</system-out></testcase>", "2 1 0"),
    ("a program that hung", '<testcase name="a" status="fail"><failure message="Timeout"/>'
     "<system-out></system-out></testcase>", "0 1 0"),
    ("a program that was not built", '<testcase name="a" status="notrun">'
     '<skipped message="Unable to find executable"/></testcase>', "0 1 0"),
    ("a chosen skip", '<testcase name="a" status="notrun">'
     '<skipped message="SKIP_RETURN_CODE=77"/></testcase>', "0 0 1"),
    ("they add up", '<testcase name="a" status="run"/><testcase name="b" status="fail"/>'
     '<testcase name="c" status="run"/>', "2 1 0"),
]

REASONS = [
    ("looking\n  skipped: there is no plugin\nskipped  10.spawn: the solution passes", "there is no plugin"),
    ("No device here:\n  CPU  type this", "No device here:"),
    ("", "it says no reason"),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "results.xml"
        for name, cases, expected in CASES:
            file.write_text(f"<testsuite>{cases}</testsuite>")
            got = subprocess.run([sys.executable, COUNTER, file], capture_output=True, text=True)
            if got.stdout.strip() != expected:
                failed += 1
                print(f"{name}: expected {expected}, got {got.stdout.strip()} {got.stderr}")
        for output, expected in REASONS:
            file.write_text('<testsuite><testcase name="a" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
                            f"<system-out>{output}</system-out></testcase></testsuite>")
            got = subprocess.run([sys.executable, COUNTER, file], capture_output=True, text=True)
            if got.stderr.strip() != f"skipped: a: {expected}":
                failed += 1
                print(f"expected the reason {expected}, got {got.stderr}")
        file.write_text("<testsuite><testcase")
        if subprocess.run([sys.executable, COUNTER, file], capture_output=True).returncode == 0:
            failed += 1
            print("a damaged file: expected a failure")
    print(f"{len(CASES) + len(REASONS) + 1 - failed} passed, {failed} failed, 0 skipped")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
