#!/usr/bin/env python3
"""Builds the documentation: build.py PROJECT OUTPUT writes OUTPUT/html.

Called by the target `docs`. Doxygen describes the public headers, docs/pages.py renders the chapters and
the reference in the same frame, and one search covers both. Invariant: in CI a warning of Doxygen,
an undocumented public name and a dead link each end the build; a reader gets the pages all the same.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

try:
    import markdown_it  # noqa: F401
    import pygments  # noqa: F401
except ImportError as missing:
    install = "sudo apt-get install python3-markdown-it python3-pygments"
    raise SystemExit(f"docs: {missing.name} is missing: {install}") from None

import links
import pages


def doxygen(root, output, *settings):
    """Runs Doxygen with docs/Doxyfile and these settings; in CI its warnings end the build."""
    lines = [(root / "docs/Doxyfile").read_text(), *settings]
    environment = {**os.environ, "TD_OUTPUT": str(output)}
    subprocess.run(["doxygen", "-"], input="\n".join(lines), text=True, cwd=root, env=environment, check=True,
                   stderr=subprocess.PIPE)
    check = [sys.executable, root / "docs/check_warnings.py", output / "warnings.log", root]
    result = subprocess.run(check, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        print(result.stdout)
    if result.returncode and os.environ.get("CI"):
        raise SystemExit(1)


def write_api(root, output, template):
    """Writes OUTPUT/html/api and OUTPUT/symbols.xml, with our frame around Doxygen's descriptions."""
    if not shutil.which("doxygen"):
        raise SystemExit("docs: doxygen is missing: sudo apt-get install doxygen")
    # Doxygen closes the element `top` by itself.
    frame = template.replace("{title}", "$title").replace("{root}", "../").split("{main}")
    (output / "header.html").write_text(frame[0] + '<div id="top">\n')
    (output / "footer.html").write_text(frame[1])
    subprocess.run(["doxygen", "-l", output / "layout.xml"], check=True, stdout=subprocess.DEVNULL)
    layout = (output / "layout.xml").read_text()
    # A class's page shows its inherited members too; a second list of them would be one more page per class.
    layout = layout.replace('<allmemberslink visible="yes"', '<allmemberslink visible="no"')
    (output / "layout.xml").write_text(layout)
    # The first run looks for members without words, which named groups would hide: see docs/groups.awk.
    without_groups = 'FILTER_PATTERNS = *.h="awk -v keep=0 -f docs/groups.awk"'
    doxygen(root, output, without_groups, "GENERATE_HTML = NO", "GENERATE_TAGFILE =")
    doxygen(root, output)
    # Doxygen 1.9.4 names a list of nested classes also where they are private and not listed.
    for page in (output / "html/api").glob("*.html"):
        text = page.read_text()
        if 'id="nested-classes"' not in text:
            page.write_text(re.sub(r'<a href="#nested-classes">Classes</a>( &#124;)?', "", text))


def read_symbols(file):
    """The names of the API, from Doxygen's tag file: (qualified name, kind, address, arguments)."""
    for compound in xml.etree.ElementTree.parse(file).getroot():
        scope, page = compound.findtext("name"), compound.findtext("filename")
        yield scope, compound.get("kind"), f"api/{page}", ""
        for member in compound.findall("member"):
            name, file, anchor, arguments = (member.findtext(tag) or ""
                                             for tag in ("name", "anchorfile", "anchor", "arglist"))
            yield f"{scope}::{name}", member.get("kind"), f"api/{file}#{anchor}", arguments


def write_search_index(file, site, symbols):
    """What theme/site.js searches: a line per section of a page and per name of the API."""
    entries = []
    for page in site.pages.values():
        for anchor, heading, texts in page.sections:
            text = re.sub(r"\s+", " ", " ".join(texts)).strip()
            if heading:
                place = "" if heading == page.title else page.title
                entries.append([heading, place, f"{page.place}#{anchor}", text.removeprefix(heading).strip()])
    entries += [[name, kind, address, arguments] for name, kind, address, arguments in symbols]
    rows = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    file.write_text(f"searchIndex([\n{rows}\n]);\n")
    return len(entries)


def main():
    root, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    html = output / "html"
    shutil.rmtree(html, ignore_errors=True)
    (html / "theme").mkdir(parents=True)
    write_api(root, output, (root / "docs/theme/page.html").read_text())
    # A member of a named group is there twice.
    symbols = list(dict.fromkeys(read_symbols(output / "symbols.xml")))
    # Of overloads the first one is shown, with the others under it.
    site = pages.Site(root, html, {name: address for name, _, address, _ in reversed(symbols)})
    faults = site.build()
    for name in ("style.css", "site.js"):
        shutil.copy(root / "docs/theme" / name, html / "theme")
    entries = write_search_index(html / "theme/search_index.js", site, symbols)

    graph = links.Graph(html)
    graph.remove_unreachable("index.html", keep={html / "theme/search_index.js"})
    faults += graph.faults()
    files = [file for file in html.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 1e6
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"docs: {len(files)} files, {size:.1f} MB, {entries} entries to search, {len(faults)} faults")
    if faults and os.environ.get("CI"):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
