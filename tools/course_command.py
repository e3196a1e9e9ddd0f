"""A line that a reader types, such as "./course run 4 lenet --device sim", as a built program with its words.

Used by the tests of the pages and by the scripts that take pictures and figures from programs.
"""

import dataclasses
import pathlib
import re

LINE = re.compile(r"((?:\w+=\S+ )*)\./course (?:run|launch -n (\d+)) (\d+)((?: .*)?)")


class NotBuilt(Exception):
    """There is no such program in the folder."""


@dataclasses.dataclass
class Command:
    settings: dict[str, str]  # variables of the environment that stand before it
    ranks: str | None  # of `launch -n`
    chapter: int
    words: list[str]  # after the chapter's number

    def program(self, folder):
        """The program's path, and its options. A first word may name one of the chapter's other programs."""
        number = f"ch{self.chapter:02}"
        if self.words and (pathlib.Path(folder) / f"{number}-{self.words[0]}").is_file():
            return pathlib.Path(folder) / f"{number}-{self.words[0]}", self.words[1:]
        found = sorted(path for path in pathlib.Path(folder).glob(f"{number}_*") if path.is_file())
        if not found:
            raise NotBuilt(f"{folder} has no program of chapter {self.chapter}")
        return found[0], self.words

    def built(self, folder):
        """The words that start it; `launch` gets a path, because a chapter's number would build the program."""
        program, options = self.program(folder)
        launch = [pathlib.Path(folder).parent / "tools/course/course-tool", "launch", "-n", self.ranks]
        return [*(launch if self.ranks else []), program, *options]


def parsed(line):
    """The command, or None for another line."""
    match = LINE.fullmatch(line)
    if not match:
        return None
    settings = dict(setting.split("=", 1) for setting in match[1].split())
    return Command(settings, match[2], int(match[3]), match[4].split())
