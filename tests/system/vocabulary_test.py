#!/usr/bin/env python3
"""The comments, messages and pages use the field's words: vocabulary_test.py PROJECT.

Called by CTest. Each pattern below was once this project's own word for something that PyTorch, CUDA or
plain English has a word for. Invariant: code is not read but for its comments and string literals, so an
identifier is free; the exercises' stubs are the learner's and are not read.
"""

import pathlib
import re
import subprocess
import sys

SAY_INSTEAD = {
    r"one behind the other": "one after another",
    r"beside each other": "concurrently",
    r"whole numbers?": "integer",
    r"wants? (?:a|no) gradient": "requires grad",
    r"heap calls?": "heap allocation",
    r"late errors?": "asynchronous error",
    r"(?:grow|grew|drift) apart": "diverge",
    r"in vain": "say what happens instead",
    r"for ever": "forever",
    r"anew": "again",
    r"whoever": "the caller that",
    r"in place of": "instead of",
    r"dear(?:est|er)": "expensive",
    r"mend(?:s|ed|ing)?": "fix",
    r"share[sd]? out": "divide",
    r"brought home": "accumulated",
}
# The lessons and tasks are read more than anything else, and by people who learn the words there.
LESSON = re.compile(r"chapters/(?:course\.toml|\d\d_\w+/(?:README\.md|exercises\.h))$")
SAY_IN_LESSONS = {
    r"(?:some|no|every)body(?: else)?": "name who or what acts",
    r"colour\w*": "color", r"normalis\w+": "normalize", r"initialis\w+": "initialize", r"grey": "gray",
    r"neighbours?": "neighbor", r"behaviour\w*": "behavior",
    r"any more": "no longer",
    r"memory order": "memory format",
    r"cables?": "network or link",
    r"(?<!-)pictures?": "image, or figure for a drawing",
    r"(?:a|one|each|the) (?:forward|backward)(?= \w)(?! (?:pass|operation|function|hook|node|call|copy|and backward))": "a forward pass, a backward pass",
    r"(?:one|two|three|\d(?:[\d.,]*\d)?)(?: [A-Za-z/]+)? an? (?:rank|device|step|launch|second|sample|thread|process|epoch|image)": "per",
    r"(?:images|samples|bytes|batches|launches|steps|copies) an? (?:rank|device|step|launch|second|epoch|image|batch)": "per",
    r"the journey|on (?:its|their) way|under way": "in flight, pending, or the name of the copy",
    r"goes on at once|returns at once": "returns immediately",
}
WORDS = re.compile(r"\b(?:" + "|".join(SAY_INSTEAD) + r")\b", re.I)
LESSON_WORDS = re.compile(r"\b(?:" + "|".join([*SAY_INSTEAD, *SAY_IN_LESSONS]) + r")\b", re.I)
COMMENT_OR_TEXT = {
    "c": re.compile(r'//.*|"(?:\\.|[^"\\\n])*"'),
    "script": re.compile(r'#.*|"(?:\\.|[^"\\\n])*"'),
}
KIND = {".h": "c", ".cpp": "c", ".cu": "c", ".inc": "c", ".def": "c", ".sh": "script", ".cmake": "script",
        ".toml": "script", ".md": "page"}


def read(path, kind):
    """Lines of a file: (number, the text in it that a person reads)."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if kind == "page":
            fenced ^= line.startswith("```")
            if fenced:  # listings are read in the code, outputs in the program's messages
                continue
            yield number, re.sub(r"`[^`]*`|(?<=\])\([^)\s]+\)", "", line)  # no code, and no address of a link
        else:
            yield number, " ".join(COMMENT_OR_TEXT[kind].findall(line))


def faults(project):
    names = subprocess.run(["git", "-C", project, "ls-files"], capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        path = project / name
        kind = KIND.get(path.suffix)
        if kind and path.is_file():
            words = LESSON_WORDS if LESSON.match(name) else WORDS
            for number, text in read(path, kind):
                for found in words.finditer(text):
                    better = next(to for of, to in (SAY_INSTEAD | SAY_IN_LESSONS).items()
                                  if re.compile(of, re.I).match(text, found.start()))
                    yield f'{name}:{number}: "{found.group()}": say "{better}"'


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    print(*found, f"{len(found)} words to replace", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
