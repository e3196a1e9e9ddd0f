#!/usr/bin/env python3
"""Writes docs/names.md, the list of everything a program can call, from the headers themselves.

    python3 docs/names.py                  prints the page
    python3 docs/names.py --write          writes it
    python3 docs/names.py --check [PAGE]   ends with 1 when docs/names.md, or PAGE, is not what the
                                           headers say; the tests call this

Invariant: a name on the page is declared in a header; nothing on it is written by hand but the
titles of the parts.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMON = ROOT / "common"
TD = COMMON / "td"
PAGE = ROOT / "docs" / "names.md"

SECTION = re.compile(r"@name\s+(.*)")
# The return type, a name that is called, its arguments; what follows does not matter here.
FUNCTION = re.compile(r"^(?:template\s*<.*?>\s*)?(?:inline |static |explicit |virtual |friend |constexpr )*"
                      r"[\w:<>,&* ]+?[ &*>](operator\W+|\w+)\s*\((.*?)\)\s*(?:const)?\s*"
                      r"(?:noexcept|override)?\s*(?:$|[{:=])", re.S)
# A comment and the class at the margin that it describes, or the macro that makes a layer.
CLASS = re.compile(r"((?:^///.*\n)+)(?:^template.*\n(?: .*\n)*)?^(?:class|struct) (\w+)(?=[\s;{])(?!.*;$)", re.M)
LAYER = re.compile(r"((?:^///.*\n)+)^TD_\w*LAYER\w*\((\w+)", re.M)
# Headers of nn/, data/, optim/ and amp/ that programs do not name: how others are made.
MACHINERY = {"capturable", "capturable_list", "parameter_list", "unscale_kernels", "any_module", "module_holder", "pipeline", "drawing",
             "cloneable", "shared_clone", "nested", "collate"}
NOT_LISTED = re.compile(r"(?:Options|OptionsBase|State|Base|Impl|FuncOptions)$")
DEF_LINE = re.compile(r"^(\w+)\((.*)\)\s*$", re.M)
DEF_INCLUDE = re.compile(r'#include "(td/[\w/]+\.def)"')
# A declaration of ops/*/functions.def: its macro, result, name and parameters.
OPERATION = re.compile(r"^((?:AUTOCAST_)?(?:METHOD|FUNCTION)|MEMBER|IN_PLACE)\((?:([\w&]+), )?(\w+), \((.*?)\)(?:, \(.*\))?\)$")
# Lists of element-wise functions that tensor/tensor.h reads before the class.
PLAIN_LISTS = {"binary.def", "binary_integer.def", "comparison.def"}
HIDDEN = re.compile(r"^(?:operator|_|Tensor$)")


class Entry:
    """One name: its ways to be called, and the first thing its header says about it."""

    def __init__(self, name):
        self.name, self.calls, self.words = name, [], ""

    def add(self, call, words):
        if call and call not in self.calls:
            self.calls.append(call)
        self.words = self.words or words


def split_arguments(text, brackets=("(<[{", ")>]}")):
    """Splits at the commas that stand in no bracket."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += letter in brackets[0]
        depth -= letter in brackets[1]
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [p.strip() for p in [*parts, part] if p.strip()]


def argument(text):
    """`const Tensor& other = {}` becomes `other`; `double p = 0.5` becomes `p = 0.5`."""
    value = ""
    if "=" in text:
        text, value = (t.strip() for t in text.split("=", 1))
    name = re.sub(r"[&*.]", " ", text).split()
    name = name[-1] if len(name) > 1 else text
    return name if value in ("", "{}", "nullopt") else f"{name} = {value}"


def first_sentence(comment):
    """The comment's words up to the first full stop, without Doxygen's commands."""
    words = re.sub(r"\s+", " ", re.sub(r"@\w+.*", "", " ".join(comment))).strip()
    match = re.match(r"(.*?\w\)?[.:])(?= [A-Z`]|$)", words)
    return (match.group(1) if match else words).rstrip(".:")


def entries_of_list(include):
    """The functions of a .def list: (name, call, formula), one a line."""
    for macro, row in DEF_LINE.findall((COMMON / include).read_text()):
        # In a formula < means less.
        name, *columns = split_arguments(row, brackets=("(", ")"))
        one = macro.startswith("UNARY")
        formula = columns[1] if one else columns[0]
        yield name, f"{name}(x)" if one else f"{name}(a, b)", f"`{formula}`"


class Header:
    """Reads one header into sections of entries."""

    def __init__(self, path, default_title):
        self.sections, self.comment = {}, []
        self.title, self.default_title = default_title, default_title
        self.read(path.read_text())

    def entry(self, name):
        names = self.sections.setdefault(self.title, {})
        return names.setdefault(name, Entry(name))

    def read(self, text):
        held, in_macro = "", False
        for line in text.splitlines():
            line = re.sub(r"\s*(?<!/)//(?!/).*", "", line).rstrip()
            if in_macro or line.startswith("#"):
                include = DEF_INCLUDE.search(line)
                for name, call, formula in entries_of_list(include.group(1)) if include else []:
                    self.entry(name).add(call, formula)
                in_macro = line.endswith("\\")
                continue
            words = line.strip()
            if words.startswith("///"):
                self.read_comment(words[3:].strip())
                continue
            if not words and not held:
                self.comment = []
                continue
            held = f"{held} {words}".strip()
            if self.complete(held):
                self.declare(held)
                held, self.comment = "", []

    def read_comment(self, words):
        section = SECTION.search(words)
        if section:
            self.title = section.group(1).rstrip(".")
        elif words == "@}":
            self.title = self.default_title
        elif words != "@{":
            self.comment.append(words)

    @staticmethod
    def complete(held):
        flat = held.count("(") == held.count(")")
        return flat and (held.endswith((";", "}", "{", ":", ")")) or not held)

    def declare(self, text):
        words = first_sentence(self.comment)
        function = FUNCTION.match(text.rstrip(";").strip())
        if function and not re.match(r"(?:return|if|for|while|else|using|throw)\b", text):
            name, arguments = function.groups()
            if not HIDDEN.search(name):
                call = ", ".join(argument(a) for a in split_arguments(arguments))
                self.entry(name).add(f"{name}({call})", words)


def cell(text):
    """Prose may hold <; in code it stands as it is."""
    pieces = re.split(r"(`[^`]*`)", text.replace("|", "\\|"))
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;") for p in pieces)


def table(entries):
    rows = ["| name | how it is called | what it does |", "|---|---|---|"]
    for entry in entries:
        calls = "<br>".join(f"`{c}`" for c in entry.calls)
        rows.append(f"| `{entry.name}` | {calls} | {cell(entry.words)} |")
    return rows


def header_entries(path, title):
    """The sections of a header: (title, entries) in order."""
    header = Header(next(root / path for root in (TD, COMMON) if (root / path).exists()), title)
    return [(t, list(names.values())) for t, names in header.sections.items() if names]


def classes(folder):
    """The classes and layers of a folder's headers: (name, words), in order. Autocast is one of the operations' rules."""
    headers = (TD if (TD / folder).is_dir() else COMMON).joinpath(folder).glob("*.h")
    for path in sorted([*headers, *([TD / "ops/autocast_guard.h"] if folder == "amp" else [])], key=lambda p: p.name):
        if path.stem in MACHINERY:
            continue
        text = path.read_text()
        holders = set(re.findall(r"^TD_MODULE\((\w+)\)", text, re.M))
        found = [*CLASS.finditer(text), *LAYER.finditer(text)]
        for match in sorted(found, key=lambda m: m.start()):
            comment, name = match.groups()
            name = name.removesuffix("Impl") if name.removesuffix("Impl") in holders else name
            if not NOT_LISTED.search(name):
                yield name, first_sentence(line[3:].strip() for line in comment.splitlines())


def families():
    """The lists of ops/functions.def: (title, functions, methods) for each, in its order."""
    listed = re.findall(r'#include "(td/ops/.*)"', (TD / "ops/functions.def").read_text())
    for path in listed:
        functions, methods, comment = {}, {}, []
        text = (COMMON / path).read_text()
        for line in text.splitlines():
            found = OPERATION.match(line)
            if found:
                macro, _, name, parameters = found.groups()
                call = ", ".join(argument(a) for a in split_arguments(parameters))
                if "FUNCTION" in macro:
                    functions.setdefault(name, Entry(name)).add(f"{name}({call})", first_sentence(comment))
                else:
                    methods.setdefault(name, Entry(name)).add(f"{name}({call})", "")
                    if macro != "IN_PLACE":
                        whole = ", ".join(["input", call] if call else ["input"])
                        functions.setdefault(name, Entry(name)).add(f"{name}({whole})", first_sentence(comment))
            comment = [*comment, line[3:].strip()] if line.startswith("///") else []
        for others in sorted((COMMON / path).parent.glob("*.def")):
            for name, call, formula in entries_of_list(others) if others.name in PLAIN_LISTS else []:
                functions.setdefault(name, Entry(name)).add(call, formula)
                methods.setdefault(name, Entry(name)).add(call, "")
        yield re.match(r"// (.*?)\.", text).group(1), functions.values(), methods.values()


def page():
    lines = ["# The names", "",
             "Everything a program can call, read from the headers by `docs/names.py`. What libtorch has means",
             "the same here; [conformance](../tests/conformance/README.md) compares the two. Tensors and options",
             "that are shown without a default may often be left out, as there.", ""]
    lines += ["## Functions of tensors", ""]
    for title, functions, _ in families():
        lines += [f"### {title}", "", *table(functions), ""]
    for title, entries in header_entries("ops/ops.h", "More"):
        lines += [f"### {title}", "", *table(entries), ""]
    lines += ["## Functions of td_more", "", "libtorch has them, and no chapter needs them: include `td_more/td_more.h` and link `td_more`.", ""]
    for title, entries in header_entries("td_more/functions.h", "More"):
        lines += [f"### {title}", "", *table(entries), ""]
    lines += ["## Methods of Tensor", ""]
    for title, entries in header_entries("tensor/tensor.h", "More"):
        if title != "More":
            lines += [f"**{title}**", "", ", ".join(f"`{e.name}`" for e in entries), ""]
    for title, _, methods in families():
        if methods:
            lines += [f"**{title}**", "", ", ".join(f"`{e.name}`" for e in methods), ""]
    for title, folder in (("Modules and losses", "nn"), ("Modules and losses of td_more", "td_more"), ("Optimizers and schedules", "optim"),
                          ("Mixed precision", "amp"), ("Data", "data"), ("Files", "io")):
        rows = [f"| `{name}` | {cell(words)} |" for name, words in classes(folder)]
        if rows:
            lines += [f"## {title}", "", "| name | what it is |", "|---|---|", *rows, ""]
    lines += ["## nn::functional", ""]
    for header, place in (("nn/functional.h", ""), ("td_more/functional.h", " of td_more")):
        for title, entries in header_entries(header, "More"):
            called = [e for e in entries if e.calls]
            if called and title != "More" and "Options" not in title:
                lines += [f"### {title}{place}", "", *table(called), ""]
    lines += ["## Several devices, one process", "", "### td::parallel", ""]
    for _, entries in header_entries("parallel/comm.h", ""):
        lines += [*table(entries), ""]
    lines += ["| name | what it is |", "|---|---|"]
    lines += [f"| `nn::{name}` | {cell(words)} |" for name, words in classes("parallel")] + [""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    text = page()
    if "--write" in sys.argv:
        PAGE.write_text(text)
    elif "--check" in sys.argv:
        checked = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else PAGE
        if checked.read_text() != text:
            raise SystemExit(f"{checked} is not what the headers say: python3 docs/names.py --write")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
