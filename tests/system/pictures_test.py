#!/usr/bin/env python3
"""What tools/pictures.py and its drawings do with wrong input, and that their arrows are the code's.

Called by CTest. Runs the tool as its user does, and the drawings as the tool does. Invariant: nothing of the
repository is written.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from drawings import layers, memory, scatter, speed_up  # noqa: E402

faults = []


def expect(holds, what):
    if not holds:
        faults.append(what)


def tool(*words):
    done = subprocess.run([sys.executable, "-B", ROOT / "tools/pictures.py", *words], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def refuses(draw, printed, part):
    try:
        draw(printed)
        expect(False, f"{draw.__module__} draws {printed!r}")
    except ValueError as error:
        expect(part in str(error), f"{draw.__module__}: {error}")


def arrows_are_includes():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, target in [("td/nn/a.h", "td/ops/o.h"), ("td/nn/b.h", "td/base/b.h"), ("td/ops/o.h", "td/base/b.h"),
                             ("td/kernels/launch.h", "td/backends/c.h")]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f'#include "{target}"\n')
        regular, exceptions = layers.arrows(root)
        expect(exceptions == {("td/kernels", "td/backends")}, f"exceptions: {exceptions}")
        kept = layers.without_implied(regular)
        expect(kept == [("td/nn", "td/ops"), ("td/ops", "td/base")], f"nn to base is implied, but: {kept}")
        picture = layers.draw(root=root)
        expect(picture.count('class="axis" d="M') == 2 + 1, "two arrows and the head of arrows")


def main():
    code, printed = tool("self-test")
    expect(code == 0 and "cases as expected" in printed, printed)
    code, printed = tool("write", "no_such_picture")
    expect(code == 2 and "no picture has no_such_picture in its path" in printed, f"exit code {code}: {printed}")
    code, printed = tool("list")
    expect(code == 0 and "docs/layers.svg\n    tools/drawings/layers.py" in printed, printed)
    arrows_are_includes()
    refuses(scatter.draw, "no parts", "expected a line such as \"10 rows on 4 devices: 3 3 3 1\"")
    refuses(scatter.draw, "10 rows on 2 devices: 4 5\n", "the parts [4, 5] are not 10 rows")
    refuses(memory.draw, "  pageable  cpu  0x1  4  yes\n", "a pageable and a pinned tensor and one copy per device")
    refuses(speed_up.speed_ups, {}, "figures.json has no speed-up of ./course run 5")
    expect("row 9" in scatter.draw("10 rows on 2 devices: 5 5\n"), "the tenth row is not drawn")
    print("\n".join([*faults, f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
