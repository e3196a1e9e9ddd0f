"""Finds faults in the workflow that a forge runs for every change. Used by front_page_test.py. Invariant: a
person can type each of its commands, and it runs all parts of `./course test --all`.
"""

import itertools
import re

from repository_files import parsed


def matrix_rows(job):
    """Each job that a job's matrix makes: the values by name."""
    matrix = job.get("strategy", {}).get("matrix", {})
    return [dict(zip(matrix, values)) for values in itertools.product(*matrix.values())]


def filled_in(text, row):
    for name, value in row.items():
        text = text.replace("${{ matrix.%s }}" % name, value)
    return text


def commands(workflow):
    """Every line of the shell that the jobs run, for each row of their matrix."""
    for job in workflow["jobs"].values():
        for row, step in itertools.product(matrix_rows(job), job.get("steps", [])):
            yield from filled_in(step.get("run", ""), row).splitlines()


def job_faults(job, jobs, readme):
    if not job.get("runs-on"):
        yield "has no runs-on"
    if job.get("needs", next(iter(jobs))) not in jobs:
        yield f"needs {job['needs']}, which is no job"
    image = job.get("container", {}).get("image", "debian:12")
    for system in {filled_in(image, row).replace(":", " ").capitalize() for row in matrix_rows(job)}:
        if system not in readme:
            yield f"runs in {system}, which README.md does not name"
    for step in job.get("steps", []):
        if ("run" in step) == ("uses" in step):
            yield f"a step needs one of run and uses: {step}"
        if not re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "a/step@v1")):
            yield f"uses {step['uses']}, expected OWNER/ACTION@vNUMBER"


def command_faults(lines, course):
    parts = set(re.findall(r'"--all (\w+)"', course.shell_text))
    run = {words[3] for words in map(str.split, lines) if words[:3] == ["./course", "test", "--all"]}
    yield from (f"never runs ./course test --all {part}" for part in sorted(parts - run))
    yield from (f"runs ./course test --all {part}, which does not exist" for part in sorted(run - parts))
    for line in lines:
        if line.startswith("./course"):
            yield from course.faults(line)
        elif not line.startswith(("apt-get ", "git ")):
            yield f'"{line}": is no command of ./course'


def faults(text, readme, course):
    """One workflow, whose systems README.md names."""
    data, found = parsed(text)
    if found or not isinstance(data, dict) or not data.get("jobs"):
        return found or ["has no jobs"]
    # YAML 1.1 reads the key `on` as a truth value.
    if set(data.get(True) or data.get("on", {})) != {"push", "pull_request"}:
        found.append("does not run for a push and for a pull request")
    for name, job in data["jobs"].items():
        found += [f"the job {name}: {fault}" for fault in job_faults(job, data["jobs"], readme)]
    return found + list(command_faults(sorted(set(commands(data))), course))
