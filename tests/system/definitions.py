"""Finds functions that are declared in one directory and defined in another, for include_arrows.py.

It reads C++ as far as scopes go: namespaces, classes, and where a function's body begins. Functions that
macros define are not seen. Overloads count as one function, and a function is at home where any of its
declarations is. Invariant: names in an unnamed namespace belong to their file alone.
"""

import collections
import re

# Tensor is the handle; its methods are defined next to the operations (docs/architecture.md).
DEFINED_ELSEWHERE = {"Tensor"}
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'',
                      re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
# What may come before a function's type and contains parentheses itself.
DECORATION = re.compile(r"\btemplate\s*<|\[\[.*?\]\]|\b(?:alignas|__attribute__|noexcept|explicit|requires)"
                        r"\s*\(|\b[A-Z][A-Z0-9_]{2,}\s*\(")
NAME = re.compile(r"((?:\w+(?:<[^<>()]*>)?::)*)(operator\s*(?:\(\)|[^\s\w(]+|\w+)|~?\w+)\s*$")
KEYWORDS = {"if", "for", "while", "switch", "return", "using", "typedef", "static_assert", "friend",
            "sizeof", "decltype", "catch"}


def without_comments(text):
    """The text with comments and the contents of literals blanked; lines stay where they are."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def matching(text, at, opening, closing):
    """The index after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i + 1
    return len(text)


def undecorated(head):
    """The head of a declaration without template<...>, attributes and macros with arguments."""
    while match := DECORATION.search(head):
        end = match.end()
        if head[end - 1] in "(<":
            end = matching(head, end - 1, head[end - 1], ")" if head[end - 1] == "(" else ">")
        if not head[end:].strip():
            break  # a constructor or a function whose name is in capitals
        head = head[:match.start()] + " " + head[end:]
    return head


def function_of(head):
    """(qualifier, name) of the function that a declaration's head declares, or None."""
    head = undecorated(head)
    at = head.find("(", head.find("operator()") + 10 if "operator()" in head else 0)
    before = head[:at]
    if at < 0 or "=" in before.replace("operator=", "").replace("operator<=", "").replace("==", ""):
        return None
    found = NAME.search(before)
    # Without a type before it, it is a call of a macro.
    if not found or found.group(2) in KEYWORDS or not (before[:found.start()].strip() or found.group(1)):
        return None
    if KEYWORDS & set(re.findall(r"\w+", before[:found.start()])):
        return None
    return re.sub(r"<[^<>]*>", "", found.group(1)).rstrip(":"), found.group(2).replace(" ", "")


def functions_of(text):
    """Yields (namespace, qualifier, name, is_definition, line); of a class, its name as a qualifier."""
    text = PREPROCESSOR.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), without_comments(text))
    scopes, start, i = [], 0, 0
    while i < len(text):
        character = text[i]
        if character == "(":
            i = matching(text, i, "(", ")")
            continue
        head = text[start:i]
        if character in ";{":
            line = text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
        if character == ";":
            if head.lstrip().startswith("friend"):
                pass
            elif (function := function_of(head)) and None not in scopes:
                yield "::".join(scopes), *function, False, line
            start = i + 1
        elif character == "{":
            start = i + 1
            if match := re.search(r"\bnamespace(?:\s+([\w:]+))?\s*$", head):
                scopes.append(match.group(1))
            elif re.search(r'\bextern\s*$', head):
                scopes.append("")
            else:
                plain = undecorated(head)
                class_name = re.search(r"^[^(]*?\b(?:class|struct)\s+((?:\w+::)*\w+)", plain)
                if class_name and None not in scopes:
                    yield "::".join(scopes), class_name.group(1), "", False, line
                elif (function := function_of(head)) and None not in scopes and \
                        not re.search(r"\bstatic\b", head):
                    yield "::".join(scopes), *function, True, line
                i = start = matching(text, i, "{", "}")
                continue
        elif character == "}":
            start = i + 1
            if scopes:
                scopes.pop()
        i += 1


def faults_of(texts, layer_of):
    """One line for each definition outside the directories that declare the function."""
    declared, defined = collections.defaultdict(set), []
    for name, text in texts.items():
        layer = layer_of(name)
        if layer is None or not name.endswith((".h", ".inc", ".cpp", ".cu")):
            continue
        header = name.endswith((".h", ".inc"))
        for namespace, qualifier, function, is_definition, line in functions_of(text):
            key = qualifier.split("::")[-1] if qualifier else f"{namespace}::{function}"
            if header:
                declared[key].add(layer)
            elif is_definition:
                defined.append((key, function, layer, f"{name}:{line}"))
    for key, function, layer, where in defined:
        if key in declared and layer not in declared[key] and key not in DEFINED_ELSEWHERE:
            home = ", ".join(sorted(declared[key]))
            yield f"{where}: {function} is declared in {home} and defined in {layer}"
