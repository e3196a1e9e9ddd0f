#!/usr/bin/env python3
"""Checks that every chapter's page follows the template of docs/authoring.md.

    lesson_pages_test.py PROJECT       checks chapters/*/README.md
    lesson_pages_test.py --self-test   checks that planted faults are found

Called by CTest. Title, minutes and exercises are those of chapters/course.toml. Each exercise stands in a paragraph at the
end of the section that teaches it, before the section with the table of all. Invariant: listings_test.py holds listings,
outputs and answers to the programs; this test looks at the page alone.
"""

import pathlib
import re
import sys
import tempfile
import tomllib

SECTIONS = ["What you will learn", "PyTorch and C++ side by side", "How it works", "Run it", "Exercises", "Measure it",
            "Common mistakes", "What comes next", "Further reading"]
MOST_LINES, MOST_WORDS = 450, 4000
TOLERANCE = 0.15  # of the minutes that a page states
FEWEST_PREDICTIONS = 3
PREDICTION = re.compile(r"^\*\*Predict\.\*\* [^\n].*?\n\n<details><summary>Answer</summary>\n", re.S | re.M)
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+\.svg)\)")
# **Exercise:** [`1.first_device`](exercises/first_device.cpp), write the line: `./course check 1.first_device`.
BESIDE = re.compile(r"\*\*Exercises?:\*\* .*\Z", re.S)
LINKED = re.compile(r"\[`(\d+\.\w+)`\]\(exercises/(\w+)\.(?:cpp|cu)\), (?:(?!\]\(exercises/).)+?: "
                    r"`\./course check (\d+\.\w+)`", re.S)
CODE = re.compile(r"^```.*?^```$", re.S | re.M)


def prose(text):
    """The page without fenced code and without comments."""
    return re.sub(r"<!--.*?-->", "", CODE.sub("", text), flags=re.S)


def check_section(text, name):
    """The text of one `##` section, or nothing."""
    match = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    return match.group(1) if match else ""


def exercises_beside(text):
    """The exercises that a paragraph of its own names before the section with the table, in the order of the page."""
    sections = CODE.sub("", text).split("\n## Exercises\n")[0]
    for paragraph in filter(BESIDE.match, re.split(r"\n{2,}", sections)):
        for name, file, checked in LINKED.findall(paragraph):
            if name == checked and name.split(".")[1] == file:
                yield name


def exercise_faults(text, chapter):
    beside = list(exercises_beside(text))
    names = [f"{chapter['number']}.{exercise['name']}" for exercise in chapter.get("exercise", [])]
    for name in names:
        if name not in beside:
            file = name.split(".")[1]
            yield (f"no paragraph before \"Exercises\" names {name}: write at the end of the section that teaches it "
                   f"\"**Exercise:** [`{name}`](exercises/{file}.cpp), what to write: `./course check {name}`.\"")
    for name in sorted(set(beside)):
        if name not in names:
            yield f"a paragraph names the exercise {name}, which chapters/course.toml does not have"
        if beside.count(name) > 1:
            yield f"{beside.count(name)} paragraphs name the exercise {name}"


def estimated_minutes(text, chapter):
    """Reading at 150 words a minute, code included, and the exercises that are not optional."""
    words = re.sub(r"<!--.*?-->|\]\([^)]*\)", "", text, flags=re.S).split()
    return len(words) / 150 + sum(exercise["minutes"] for exercise in chapter.get("exercise", [])
                                  if not exercise.get("optional"))


def stated_minutes(chapter):
    """The page's first words: "About 300 minutes", and the minutes of optional exercises where there are any."""
    optional = [exercise["minutes"] for exercise in chapter.get("exercise", []) if exercise.get("optional")]
    exercises = "1 optional exercise" if len(optional) == 1 else f"{len(optional)} optional exercises"
    more = f", and {sum(optional)} more for {exercises}" if optional else ""
    return f"About {chapter['minutes']} minutes{more}"


def faults_of(page, chapter):
    text = page.read_text()
    bare = prose(text)
    number, title, minutes = chapter["number"], chapter["title"], chapter["minutes"]
    lines = text.splitlines()
    head = "\n".join(lines[:12])
    if lines[0] != f"# Chapter {number:02}: {title}":
        yield f"the title is \"{lines[0]}\", expected \"# Chapter {number:02}: {title}\""
    if not re.search(rf"^\*{stated_minutes(chapter)}\. Prerequisites: .+\*$", head, re.M):
        yield f"expected a line \"*{stated_minutes(chapter)}. Prerequisites: …*\" under the title"
    estimate = estimated_minutes(text, chapter)
    if abs(minutes - estimate) > TOLERANCE * estimate:
        yield f"{minutes} minutes, but reading and the exercises take {estimate:.0f}; write that into chapters/course.toml"
    if "**You will build**" not in head:
        yield "expected a paragraph that begins with \"**You will build**\""
    found = [name for name in re.findall(r"^## (.+)$", CODE.sub("", text), re.M) if name in SECTIONS]
    if found != SECTIONS:
        yield f"the sections are {found}, expected {SECTIONS} in this order (others may stand between them)"
    seen = len([line for line in lines if not re.fullmatch(r"<!-- .* -->", line)])
    if seen > MOST_LINES:
        yield f"{seen} lines without comments; at most {MOST_LINES}"
    words = len(bare.split())
    if words > MOST_WORDS:
        yield f"{words} words outside of code; at most {MOST_WORDS}"
    predictions = len(PREDICTION.findall(text))
    if predictions < FEWEST_PREDICTIONS:
        yield f"{predictions} predictions (\"**Predict.** …\" and a folded answer); at least {FEWEST_PREDICTIONS}"
    if not re.search(r"<!-- answer: ", text):
        yield "no answer is held to the program's output by <!-- answer: COMMAND -->"
    if text.count("<details>") != text.count("</details>"):
        yield "a <details> is not closed"
    measure = check_section(text, "Measure it")
    if "<details>" not in measure:
        yield "\"Measure it\" has no folded answers"
    pictures = PICTURE.findall(text)
    if not pictures:
        yield "no picture (.svg)"
    for words, path in pictures:
        picture = page.parent / path
        if not picture.exists():
            yield f"there is no picture {path}"
        elif "prefers-color-scheme: dark" not in picture.read_text():
            yield f"{path} has no colors for a dark page: begin it with td::trace::open_svg"
        if len(words) < 10:
            yield f"{path} needs a text that says what it shows"
    if len(re.findall(r"\]\(https://", check_section(text, "Further reading"))) < 3:
        yield "\"Further reading\" has fewer than three links"
    if not (page.parent / "pytorch.py").exists():
        yield "there is no pytorch.py"
    elif "(pytorch.py)" not in text:
        yield "the page does not link to pytorch.py"
    exercises = check_section(text, "Exercises")
    for exercise in chapter.get("exercise", []):
        row = f"`{exercise['name']}`" + (" (optional)" if exercise.get("optional") else "")
        if row not in exercises:
            yield f"\"Exercises\" does not list {row}"
    yield from exercise_faults(text, chapter)


def check(project):
    chapters = tomllib.loads((project / "chapters/course.toml").read_text())["chapter"]
    faults = []
    for chapter in chapters:
        page = project / "chapters" / chapter["folder"] / "README.md"
        faults += [f"{page}: {fault}" for fault in faults_of(page, chapter)]
    return faults, len(chapters)


def self_test():
    beside = ("**Exercises:** [`1.a`](exercises/a.cpp), write\nit: `./course check 1.a`; "
              "[`1.b`](exercises/b.cu), repair `it`: `./course check 1.b`.")
    page = ("# Chapter 01: One\n\n*About 5 minutes. Prerequisites: none.*\n\n**You will build** it.\n\n"
            + "".join(f"## {name}\n\ntext\n\n" for name in SECTIONS[:4])
            + 3 * "**Predict.** How many?\n\n<details><summary>Answer</summary>\n\n<!-- answer: x -->\n**1**\n\n</details>\n\n"
            + "![what it shows](p.svg) [twin](pytorch.py)\n\n" + beside + "\n\n## Exercises\n\n`a` `b`\n\n"
            + "## Measure it\n\n<details>\n\n</details>\n\n## Common mistakes\n\n## What comes next\n\n"
            + "## Further reading\n\n" + 3 * "[a](https://a)\n")
    faulty = [page.replace("Chapter 01", "01"), page.replace("5 min", "6 min"), page.replace("**You", "You"),
              page.replace("## How it works", "## How"), page + "\n" * 460, page.replace("text", "a " * 2000),
              page.replace("**Predict.**", "Predict.", 1), page.replace("<!-- answer", "<!-- a"),
              page.replace("p.svg", "q.svg"), page.replace("p.svg", "white.svg"), page.replace("what it shows", "p"),
              page.replace("https", "http", 1), page.replace("`a` `b`", "`a`"), page.replace("[twin](pytorch.py)", ""),
              page.replace("it\n\n<details>\n\n</details>", "it"), page.replace(beside, ""),
              page.replace(beside, "").replace("`a` `b`", "`a` `b`\n\n" + beside), page.replace("check 1.a", "check 1.b"),
              page.replace("exercises/a", "exercises/b"), page.replace("**Exercises:**", "Exercises:"),
              page.replace(beside, "```\n" + beside + "\n```"), page.replace(beside, beside + "\n\n" + beside),
              page.replace(", write\nit", ""), page + "```\n" + "a " * 600 + "\n```\n",
              page.replace("1.b`.", "1.b`; [`1.c`](exercises/c.cpp), write it: `./course check 1.c`.")]
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder) / "chapters/01_one"
        at.mkdir(parents=True)
        (at / "p.svg").write_text("@media (prefers-color-scheme: dark)")
        (at / "white.svg").write_text("<svg>")
        (at / "pytorch.py").write_text("")
        course = ("[[chapter]]\nnumber = 1\nfolder = \"01_one\"\ntitle = \"One\"\nminutes = 5\n"
                  "[[chapter.exercise]]\nname = \"a\"\nminutes = 2\n[[chapter.exercise]]\nname = \"b\"\nminutes = 2\n")
        more = course.replace("minutes = 5", "minutes = 3") + "optional = true\n"
        with_more = (page.replace("5 minutes", "3 minutes, and 2 more for 1 optional exercise")
                     .replace("`a` `b`", "`a` `b` (optional)"))
        cases = [(course, page, False), *((course, text, True) for text in faulty), (more, with_more, False),
                 (more, with_more.replace(" (optional)", ""), True), (more, with_more.replace(", and 2 more", ", and 3 more"), True),
                 (more.replace("minutes = 3", "minutes = 5"), with_more.replace("3 minutes", "5 minutes"), True)]
        for described, text, expected in cases:
            (at.parent / "course.toml").write_text(described)
            (at / "README.md").write_text(text)
            found = check(pathlib.Path(folder))[0]
            if bool(found) != expected:
                sys.exit(f"self-test: expected {'a fault' if expected else 'none'}, found {found} in:\n{text[:2000]}")
    print(f"{len(cases)} cases as expected")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    faults, count = check(pathlib.Path(sys.argv[1]))
    print("\n".join([*faults, f"{count} pages, {len(faults)} faults"]))
    return sys.exit(1 if faults or not count else 0)


if __name__ == "__main__":
    main()
