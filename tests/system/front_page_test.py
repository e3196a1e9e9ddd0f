#!/usr/bin/env python3
"""The front page and the files that belong to it: front_page_test.py SOURCE BUILD, or front_page_test.py
--self-test SOURCE BUILD.

Called by CTest. README.md and CONTRIBUTING.md: links, pictures, and every `./course` command, which the
tool must know with its options, its chapter and its exercise. Then LICENSE, CITATION.cff, the forms for
issues, the workflow, the devcontainers and docs/colab.ipynb. Invariant: nothing is built and no network is used. Exit
code 77 where Debian's python3-yaml is absent.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tomllib
from urllib.parse import unquote

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import course_command  # noqa: E402
import repository_files as files  # noqa: E402
import workflow_file  # noqa: E402

# Of LICENSE-2.0.txt as apache.org has it.
APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
COMMANDS = {
    "run", "launch", "list", "check", "watch", "debug", "hint", "reset", "solution", "doctor", "time", "docs", "data",
    "test", "setup", "new-exercise"
}
MOST_LINES = 176  # a chapter takes two of them
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
PRIVATE = re.compile(r"/work/|/root/|/home/|/tmp/")
# Words of the shell that a line of a page may begin with, and what holds them.
CHECKED_ELSEWHERE = ("cmake", "ctest", "build/", "tools/", "grep", "g++", "nvidia-smi", "nvcc", "git clone")


class Course:
    """What can be typed: the commands, their options, the chapters and the exercises."""
    def __init__(self, source, build):
        self.source, self.build = source, build
        self.chapters = {
            c["number"]: c
            for c in tomllib.loads((source / "chapters/course.toml").read_text())["chapter"]
        }
        door = (source / "course").read_text()
        self.in_shell = {
            word
            for label in re.findall(r"^  ([\w -]+(?:\| *[\w-]+ *)*)\)$", door, re.M)
            for word in re.findall(r"[a-z][a-z-]+", label)
        }
        # `[ "${1:-}" = doctor ]`, for a command that runs before everything else
        self.in_shell |= set(re.findall(r'\[ "\$\{1:-\}" = ([a-z][a-z-]+) \]', door))
        self.shell_text = door + "".join(p.read_text() for p in sorted((source / "tools/shell").glob("*.sh")))
        self.helps = {}

    def help_of(self, *words):
        """What a program of the build prints about itself, or None where it refuses."""
        if words not in self.helps:
            done = subprocess.run([str(word) for word in words] + ["--help"],
                                  capture_output=True,
                                  text=True,
                                  timeout=60,
                                  check=False)
            self.helps[words] = done.stdout if done.returncode == 0 else None
        return self.helps[words]

    def about(self, name):
        """The text that lists the options of a command; None for an unknown one."""
        if name in self.in_shell:
            return self.shell_text
        tool = self.build / "tools/course/course-tool"
        known = re.findall(r"^  ([a-z][a-z-]*)  ", self.help_of(tool) or "", re.M)
        return (self.help_of(tool, name) or "--help --mine") if name in known else None

    def unknown_options(self, words, text):
        return [
            word for word in words if word.startswith("--") and word != "--help"
            and not re.search(re.escape(word.split("=")[0]) + r"(?![\w-])", text)
        ]

    def chapter_faults(self, line, words):
        """`4 --device sim`: the chapter, and the options of its program where it is built."""
        numbers = [word for word in words if re.fullmatch(r"\d+", word)]
        number = int(numbers[0]) if numbers else 0
        if number not in self.chapters:
            return [f'"{line}": there is no chapter {number}']
        try:
            program, _ = course_command.Command({}, None, number, words[words.index(numbers[0]) + 1:]).program(self.build / "chapters")
        except course_command.NotBuilt:
            return []
        return [
            f'"{line}": {program.name} has no option {word}'
            for word in self.unknown_options(words, (self.help_of(program) or "") + " --mine")
        ]

    def exercise_faults(self, line, words):
        """`5.scatter` or `5`."""
        for word in words:
            number, _, name = word.partition(".")
            if word.startswith("-") or not number.isdigit():
                continue
            chapter = self.chapters.get(int(number), {})
            if not chapter or name and name not in [e["name"] for e in chapter.get("exercise", [])]:
                return [f'"{line}": there is no exercise {word}']
        return []

    def faults(self, line):
        """One `./course` line as a reader types it."""
        words = line.split("#")[0].split()[1:]
        if not words or words[0] in ("COMMAND", "--help", "help"):
            return []
        name, rest = words[0], words[1:]
        text = self.about(name)
        if text is None:
            return [f'"{line}": ./course has no command {name}']
        if name == "launch" and rest[:1] == ["-n"]:
            return self.chapter_faults(line, rest[2:])
        if name == "run":
            return self.chapter_faults(line, rest)
        return (
            [f'"{line}": ./course {name} has no option {word}'
             for word in self.unknown_options(rest, text)] + self.exercise_faults(line, rest))


def slug(heading):
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower()).strip().replace(" ", "-")


def link_faults(text, folder):
    """Links without a target, and images without an alternative text."""
    for picture, words, target in LINK.findall(FENCE.sub("", text)):
        if picture and len(words.split()) < 5:
            yield f"the picture {target} needs a text that says what it shows"
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = folder / path if path else None
        if file and not file.exists():
            yield f"nothing is at {target}"
        elif anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text() if file else text, re.M)
            if anchor not in map(slug, headings):
                yield f"{target} names no heading"


def command_lines(text):
    """The lines of shell blocks, and `./course ...` in running text."""
    for kind, block in FENCE.findall(text):
        if kind in ("sh", "bash", "shell"):
            yield from (line for line in block.splitlines() if line.strip() and not line.startswith("#"))
    yield from re.findall(r"`(\./course[^`]*)`", FENCE.sub("", text))


def page_faults(text, folder, course):
    found = list(link_faults(text, folder))
    for line in command_lines(text):
        if line.startswith("./course"):
            found += course.faults(line)
        elif not line.startswith(CHECKED_ELSEWHERE):
            found.append(f'"{line}": no test knows this command')
    presets = (course.source / "CMakePresets.json").read_text()
    found += [
        f"there is no preset {name}" for name in re.findall(r"--preset (\w+)", text)
        if f'"name": "{name}"' not in presets
    ]
    found += [f"a path of one machine: {path}" for path in PRIVATE.findall(text)]
    return found


def readme_faults(text, course):
    found = page_faults(text, course.source, course)
    listed = {line.split()[1] for line in command_lines(text) if line.startswith("./course ")}
    found += [f"does not show ./course {name}" for name in sorted(COMMANDS - listed)]
    lines = len(text.splitlines())
    found += [f"has {lines} lines, at most {MOST_LINES}"] if lines > MOST_LINES else []
    return found


def notebook_commands(text, course):
    words = "\n\n".join(files.cell_source(cell) for cell in json.loads(text)["cells"]
                        if cell["cell_type"] == "markdown")
    commands = [
        part for line in files.shell_lines(text) for part in re.split(r"\s*(?:;|\|\||&&|\|)\s*", line)
    ]
    for command in [*commands, *command_lines(words)]:
        if command.startswith("./course"):
            yield from course.faults(command)


def notebook_faults(text, course):
    found = files.notebook_faults(text, course.source)
    return found or list(notebook_commands(text, course))


def license_faults(text):
    return [] if hashlib.sha256(
        text.encode()).hexdigest() == APACHE_2 else ["is not the text of the Apache License 2.0"]


def changelog_faults(text, citation):
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    found = [
        f"the heading {one} is none of Keep a Changelog's" for one in re.findall(r"^### (.*)$", text, re.M)
        if one not in kinds
    ]
    dates = re.findall(r"^## .*?(\d{4}-\d\d-\d\d)$", text, re.M)
    found += [] if dates == sorted(dates,
                                   reverse=True) else ["its sections are not in order, the newest first"]
    found += [] if "## [Unreleased]" in text else ["has no section [Unreleased]"]
    return found + files.release_faults(text, citation)


def subjects(course):
    """Each file with the function that finds its faults."""
    root = course.source
    packages, setup, readme, citation = (
        (root / name).read_text()
        for name in ("tools/packages.debian", "tools/shell/setup.sh", "README.md", "CITATION.cff"))
    yield "README.md", lambda text: readme_faults(text, course)
    yield "CONTRIBUTING.md", lambda text: page_faults(text, root, course)
    yield "CHANGELOG.md", lambda text: changelog_faults(text, citation)
    yield ".github/PULL_REQUEST_TEMPLATE.md", lambda text: page_faults(text, root, course)
    yield "LICENSE", license_faults
    yield "CITATION.cff", files.citation_faults
    for form in sorted((root / ".github/ISSUE_TEMPLATE").glob("*.yml")):
        if form.name != "config.yml":
            yield str(form.relative_to(root)), files.form_faults
    for path in sorted(root.glob(".github/workflows/*.yml")):
        yield str(path.relative_to(root)), lambda text: workflow_file.faults(text, readme, course)
    for path in sorted(root.glob(".devcontainer/**/devcontainer.json")):
        yield str(path.relative_to(
            root)), lambda text, path=path: files.devcontainer_faults(text, path.parent, root)
    yield ".devcontainer/Dockerfile", lambda text: files.dockerfile_faults(text, packages, setup, root)
    yield "docs/colab.ipynb", lambda text: notebook_faults(text, course)


# A fault per line: the file, what is replaced, and what the test must say about it.
PLANTS = [
    ("README.md", "docs/architecture.md", "docs/house.md", "nothing is at docs/house.md"),
    ("README.md", "./course list ", "./course lst ", "has no command lst"),
    ("README.md", "./course launch -n 2 6 ", "./course launch -n 2 66 ", "there is no chapter 66"),
    ("README.md", "run 4 --device sim", "run 4 --devise sim", "has no option --devise"),
    ("README.md", "hint 1.first_device", "hint 1.last_device", "there is no exercise 1.last_device"),
    ("README.md", "cmake --preset release ", "cmake --preset fast ", "there is no preset fast"),
    ("README.md", "ctest --preset release\n", "ctest --preset release\nmake all\n",
     "no test knows this command"),
    ("README.md", "./course watch ", "./course data ", "does not show ./course watch"),
    ("CONTRIBUTING.md", "docs/authoring.md", "docs/authoring.md#nothing", "names no heading"),
    ("CONTRIBUTING.md", "./course test --all", "./course test --every", "has no option --every"),
    ("CHANGELOG.md", "### Added", "### New", "none of Keep a Changelog's"),
    ("CHANGELOG.md", "## 2026-11-23", "## [0.1] - 2026-11-23", "repository-code of CITATION.cff is None"),
    ("LICENSE", "Apache", "Apple", "is not the text"),
    ("CITATION.cff", "cff-version: 1.2.0", "cff-version: 1.0.0", "expected '1.2.0'"),
    ("CITATION.cff", "title:", "titel:", "has the unknown key titel"),
    ("CITATION.cff", 'version: "0.1"', "version: 0.1", "write it in quotes"),
    (".github/ISSUE_TEMPLATE/bug.yml", "type: input", "type: line", "unknown type line"),
    (".github/ISSUE_TEMPLATE/bug.yml", "id: output", "id: command", "two elements have the id command"),
    (".github/ISSUE_TEMPLATE/idea.yml", "body:", "bodies:", "has no body"),
    (".github/ISSUE_TEMPLATE/idea.yml", "body:", "labels: [idea]\nbody:", "has the unknown key labels"),
    (".github/workflows/test.yml", "jobs:", "jobs: [", "is no YAML"),
    (".github/workflows/test.yml", "[release, asan, ", "[release, ", "never runs ./course test --all asan"),
    (".github/workflows/test.yml", "tsan, docs]", "tsan, pages]", "--all pages, which does not exist"),
    (".github/workflows/test.yml", "  pull_request:", "  pull_requests:", "and for a pull request"),
    (".github/workflows/test.yml", '"debian:13"', '"debian:11"', "runs in Debian 11, which README.md does not name"),
    (".github/workflows/test.yml", "run: ./course run 4", "run: ./course ran 4", "has no command ran"),
    (".github/workflows/test.yml", "run: ./course run 4", "run: make all", "is no command of ./course"),
    (".github/workflows/test.yml", "needs: all", "needs: everything", "needs everything, which is no job"),
    (".github/workflows/test.yml", "actions/cache@v4", "actions/cache", "expected OWNER/ACTION@vNUMBER"),
    (".devcontainer/devcontainer.json", '"Dockerfile"', '"Dokerfile"', "names no file"),
    (".devcontainer/devcontainer.json", '"context": ".."', '"context": "."', "not the root of the course"),
    (".devcontainer/gpu/devcontainer.json", '"gpu": true', '"gpu": false', "a GPU needs"),
    (".devcontainer/Dockerfile", "base faster", "base", "installs the sections base, but"),
    (".devcontainer/Dockerfile", "curl less", "cmake less", "names the package cmake"),
    ("docs/colab.ipynb", '"nbformat_minor": 5', '"nbformat_minor": 4', "is not of nbformat 4.5"),
    ("docs/colab.ipynb", '"id": "list"', '"id": "check"', "must be unique"),
    ("docs/colab.ipynb", "./course run 4 --device auto", "./course run 4 --gpu", "has no option --gpu"),
    ("docs/colab.ipynb", "REPOSITORY = ", "REPOSITORY == = ", "Python: invalid syntax"),
    ("docs/colab.ipynb", "done\\n", "\\n", "bash: "),
    ("docs/colab.ipynb", 'return td::Device(\\"cuda:0\\");',
     'return gpus > 0 ? td::Device(\\"cuda:0\\") : td::Device(\\"cpu\\");', "gives away the answer"),
]


def self_test(course):
    """Each planted fault is found, with a text that names it."""
    check, missed = dict(subjects(course)), []
    for name, before, after, expected in PLANTS:
        text = (course.source / name).read_text()
        if before not in text:
            missed.append(f"{name}: there is no \"{before}\" to replace")
        elif expected not in "\n".join(check[name](text.replace(before, after))):
            missed.append(f"{name}: \"{after}\" was not found: {check[name](text.replace(before, after))}")
    return missed


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--self-test"]
    course = Course(*(pathlib.Path(argument).resolve() for argument in arguments))
    try:
        import yaml  # noqa: F401
    except ImportError:
        print("skipped: there is no python3-yaml here, which reads CITATION.cff and the forms")
        return 77
    if "--self-test" in sys.argv:
        found = self_test(course)
    else:
        found = [
            f"{name}: {fault}" for name, check in subjects(course)
            for fault in check((course.source / name).read_text())
        ]
    print(*found, f"{len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
