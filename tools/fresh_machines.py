"""What tools/fresh_machine.sh saw: the course on bare systems. Used by tools/seen_running.py.

The record is docs/measurements/fresh_machines.json. Invariant: only a command that was typed there writes a
row, and it stays until the same user types it on a newer machine of the same system.
"""

import datetime
import json
import pathlib
import re

from marked_text import table

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs/measurements/fresh_machines.json"
PAGE = ROOT / "docs/measurements/systems.md"
TYPED = ["./course run 4", "./course check 1.first_device", "./course test"]
USERS = {"learner": "a user with sudo", "root": "root"}
COUNTS = re.compile(r"^\d+ passed, \d+ failed, \d+ skipped$")


def load():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def add(arguments, machine):
    """Puts one command into the record."""
    said = pathlib.Path(arguments.log).read_text(errors="replace").strip().splitlines()
    record = load()
    row = record.setdefault(arguments.system, {}).setdefault(arguments.user, {})[arguments.typed] = {
        "exit_code": arguments.exit_code,
        "seconds": arguments.seconds,
        "said": said[-1] if said else "",
        "compiler": arguments.compiler,
        "machine": machine,
        "load_before": arguments.load,
        "commit": arguments.commit,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }
    if arguments.first_epoch:
        row["first_epoch_seconds"] = int(arguments.first_epoch)
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def in_words(seconds):
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def cell(row):
    if row is None:
        return "not tried"
    if row["exit_code"]:
        return f"**failed**: exit code {row['exit_code']}"
    first = row.get("first_epoch_seconds")
    return (in_words(row["seconds"]) + (f"; first epoch after {in_words(first)}" if first else "") +
            (f": {row['said']}" if COUNTS.match(row["said"]) else ""))


def written():
    """The page's table: a line per system and user."""
    lines, machines = [], set()
    for system, users in sorted(load().items()):
        for user in (user for user in USERS if user in users):
            rows = users[user]
            newest = max(rows.values(), key=lambda row: row["date"])
            compiler = re.sub(r"\s*\(.*\)", "", newest["compiler"])
            lines.append([system, compiler, USERS[user], *(cell(rows.get(typed)) for typed in TYPED),
                          newest["date"][:10]])
            machines.add(newest["machine"])
    text = table(["system", "compiler", "typed by", *(f"`{typed}`" for typed in TYPED), "when"], lines)
    return text + ("\nThe first time includes the packages and the first build. The machines: "
                   f"{'; '.join(sorted(machines)) or 'none yet'}. Commits and loads are in "
                   "[the record](fresh_machines.json).\n")


def faults():
    """Commands that failed where they were typed last."""
    return [
        f"{system}: {typed} failed with exit code {row['exit_code']} for {USERS[user]}"
        for system, users in load().items() for user, rows in users.items() for typed, row in rows.items()
        if row["exit_code"]
    ]
