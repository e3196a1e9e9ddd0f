"""The page and the record of compare.py: docs/measurements/comparison.md and comparison.json.

The record keeps the newest run of each processor, and the page shows them side by side. Invariant: the
page's numbers are those of the record; they are never written by hand.
"""
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from marked_text import in_words, replaced, table  # noqa: E402

PAGE = ROOT / "docs/measurements/comparison.md"
RECORD = PAGE.with_suffix(".json")


def verdict(goal):
    """One goal in words."""
    word = "reached" if goal["reached"] else "MISSED"
    if "wanted" not in goal:
        return f"{goal['line']}: {word}"
    ratio, wanted = goal["times_faster"], goal["wanted"]
    low, high = goal["rounds"]
    if wanted < 1:  # a floor or a bandwidth: how many times its time td takes
        return (f"{goal['line']}: takes {1 / ratio:.2f} x {goal['against']} (rounds "
                f"{1 / high:.2f} - {1 / low:.2f}), at most {1 / wanted:.2f}: {word}")
    return (f"{goal['line']}: {ratio:.2f} x faster than {goal['against']} (rounds {low:.2f} - "
            f"{high:.2f}), at least {wanted:.2f}: {word}")


def fastest(times, names):
    """The shortest median of the variants whose names begin so; None if none ran."""
    found = [t["median"] for name, t in times.items() if name.startswith(names)]
    return min(found, default=None)


def cells(result):
    """td's time with its spread, and how many times as long the floor and libtorch take."""
    times = result["seconds"]
    mine = next(t for name, t in times.items() if name.startswith("td"))
    spread = (mine["p90"] - mine["p10"]) / 2 / mine["median"]
    time = f"{in_words(mine['median'])} ±{100 * spread:.0f} %"
    rivals = [fastest(times, ("floor", )), fastest(times, ("clean", "best"))]
    ratios = [f"{rival / mine['median']:.2f} x" if rival else "–" for rival in rivals]
    return [cell.replace(" ", "\u00a0") for cell in [time] + ratios]  # each stays on one line


def section(processors):
    """One table with three columns per processor, and the goals that each processor misses."""
    works = list(dict.fromkeys(r["work"] for run in processors.values() for r in run["results"]))
    rows = []
    for work in works:
        row = [work]
        for run in processors.values():
            result = next((r for r in run["results"] if r["work"] == work), None)
            row += cells(result) if result else ["–"] * 3
        rows.append(row)
    names = [name for processor in processors for name in (f"{processor}: td", "floor", "libtorch")]
    text = table(["work"] + names, rows)
    for processor, run in processors.items():
        about = run["machine"]
        blas = sorted({
            shape
            for r in run["results"]
            for shape, library in r.get("choices", {}).items() if library == "OpenBLAS"
        })
        goals = [(r["work"], goal) for r in run["results"] for goal in r["goals"]]
        missed = [f"* {work}: {verdict(goal)}" for work, goal in goals if not goal["reached"]]
        text += (f"\n**{processor}**, {about['cores']} cores; {about['compiler']}; {', '.join(about['libraries'])}; "
                 f"commit {about['commit']} of {about['date']}; load before {about['load_before'][0]:.2f}; "
                 f"`compare.py --rounds {run['rounds']} --seconds {run['seconds_a_slot']}`, {run['clock']} clock. "
                 + (f"The floor takes OpenBLAS for {', '.join(blas)}, and oneDNN otherwise. " if blas else "") +
                 f"{len(goals) - len(missed)} of {len(goals)} lines are reached"
                 + (":\n\n" + "\n".join(missed) + "\n" if missed else ".\n"))
    return text


def load():
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def write(processors):
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), "figures", section(processors)), encoding="utf-8")


def record(report):
    """Puts a run into the record, instead of the same processor's last one, and writes the page."""
    processors = load()
    for result in report["results"]:
        for times in result["seconds"].values():
            del times["rounds"], times["samples"]
    processors[report["machine"]["processor"]] = {
        key: report[key]
        for key in ("machine", "rounds", "seconds_a_slot", "clock", "results")
    }
    RECORD.write_text(json.dumps(dict(sorted(processors.items())), indent=1) + "\n", encoding="utf-8")
    write(processors)
