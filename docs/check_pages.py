#!/usr/bin/env python3
"""Opens the built pages in Chromium as a reader would, on a phone and on a desk, in light and in dark.

    check_pages.py HTML_FOLDER     every chapter, the reference, the lists, and some pages of the API
    check_pages.py --self-test     checks that each kind of planted fault is found; CTest calls this

Called by `./course test --all` after the pages are built (docs/build.py has looked for dead links).
Invariant: what counts as a fault is in check_page.js, and is the same for every page.
"""

import pathlib
import sys
import tempfile
import time

import browser

WIDTHS, SCHEMES = (390, 1300), ("light", "dark")
SCRIPT = (pathlib.Path(__file__).parent / "check_page.js").read_text()
API_PAGES, MOST_TOLD = 12, 8
# A word of a chapter, a heading, a name of the API: each leads to its page, first in the list.
SEARCHES = {
    "ceil(B / n)": "chapters/05_data_parallel/index.html",
    "Read a timeline": "chapters/05_data_parallel/index.html",
    "gradient scaler": "docs/glossary.html",
    "GradScaler": "api/classtd_1_1amp_1_1GradScaler.html",
    "td::parallel::scatter": "api/namespacetd_1_1parallel.html",
    "all_reduce": "api/namespacetd_1_1distributed.html",
}


def faults_of(chromium, file):
    """What is wrong with one page: (width, scheme or nothing, sentence)."""
    chromium.show(WIDTHS[0], SCHEMES[0])
    for sentence in chromium.open(file.as_uri()):
        yield f"console: {sentence}"
    told = set()
    for width in WIDTHS:
        for scheme in SCHEMES:
            chromium.show(width, scheme)
            for sentence in chromium.evaluate(SCRIPT):
                # The same in dark as in light is one fault.
                if (width, sentence) not in told:
                    told.add((width, sentence))
                    yield f"{width} pixels, {scheme}: {sentence}"


def chosen(folder):
    """Every page but those of sources and of the API, and an even choice of these."""
    pages = sorted(folder.rglob("*.html"))
    api = [page for page in pages if page.parent.name == "api"]
    # The largest ones have everything that Doxygen can write.
    large = sorted(api, key=lambda page: -page.stat().st_size)[: API_PAGES // 2]
    lists = [page for page in api if page.stem in ("index", "annotated", "namespaces")]
    others = [page for page in pages if page not in api and page.name.count(".") == 1]
    sources = [page for page in pages if page not in api and page not in others][:3]
    return others + sources + sorted({*lists, *large, *api[:: max(1, len(api) // API_PAGES)]})


def search_faults(chromium, folder):
    """The search of the front page finds what it must."""
    chromium.show(WIDTHS[1], SCHEMES[0])
    chromium.open((folder / "index.html").as_uri())
    for query, expected in SEARCHES.items():
        found = chromium.evaluate(
            f"search({query!r}, document.querySelector('.results'))"
            ".then(() => document.querySelector('.results a')?.getAttribute('href') ?? 'nothing')")
        if found.partition("#")[0] != expected:
            yield f"searching for {query!r}: expected {expected} first, found {found}"


def scheme_faults(chromium, folder):
    """The button turns a light page dark, and the next page stays dark."""
    ground = "getComputedStyle(document.body).backgroundColor"
    chromium.show(WIDTHS[1], "light")
    chromium.open((folder / "index.html").as_uri())
    light, dark = (chromium.evaluate(script) for script in
                   (ground, f"document.querySelector('.scheme').click(), {ground}"))
    chromium.open((folder / "chapters/index.html").as_uri())
    kept = chromium.evaluate(ground)
    chromium.evaluate("localStorage.clear()")
    if not light != dark == kept:
        yield f"the button for light and dark: {light}, then {dark}, and {kept} on the next page"


def check(folder):
    start, pages, count = time.monotonic(), chosen(folder), 0
    with browser.Browser() as chromium:
        for page in pages:
            faults = list(faults_of(chromium, page))
            count += len(faults)
            for fault in faults[:MOST_TOLD]:
                print(f"{page.relative_to(folder)}: {fault}")
            if len(faults) > MOST_TOLD:
                print(f"{page.relative_to(folder)}: and {len(faults) - MOST_TOLD} more")
        for fault in (*search_faults(chromium, folder), *scheme_faults(chromium, folder)):
            print(fault)
            count += 1
    print(f"{len(pages)} pages at {' and '.join(map(str, WIDTHS))} pixels in light and dark, {count} faults,"
          f" {time.monotonic() - start:.0f} s")
    return count


def self_test():
    good = ('<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width">'
            '<link rel="icon" href="data:,"><style>:root {color-scheme: light dark} table {width: 100%}'
            " body {background: light-dark(#fff, #000)}</style></head><body><p>text</p>"
            '<table><tr><td>a</td></tr></table><img src="p.svg"></body></html>')
    wide = '<p style="width:500px">'
    faulty = [("<img src=\"p.svg\">", "<img src=\"q.svg\">", "the picture q.svg is missing"),
              ("<img", '<img width="5"', "the picture p.svg is shrunk to 50 %"),
              ("<p>", wide, "390 pixels, light: the page scrolls sideways: 50"),
              ("<p>", '<p style="width:1400px">', "1300 pixels, light: the page scrolls sideways"),
              ('content="width=device-width"', 'content=""', "390 pixels, light: the page is laid out for"),
              ("<td>", '<td style="max-width:20px; overflow:hidden; white-space:nowrap">' + "word " * 9,
               "text is cut off in <td>"),
              ("<p>", '<p style="color:#222">', "390 pixels, dark: hard to read (contrast 1."),
              ("</body>", "<script>missing()</script></body>", "console: ReferenceError: missing"),
              ("</body>", "<script>console.error('no')</script></body>", "console: no"),
              ("</body>", '<script src="missing.js"></script></body>', "console: Failed to load resource")]
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as chromium:
        page = pathlib.Path(folder, "page.html")
        page.with_name("p.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')
        for old, new, expected in [("", "", None), *faulty]:
            page.write_text(good.replace(old, new) if old else good)
            found = list(faults_of(chromium, page))
            if bool(found) != bool(expected) or expected and not any(expected in fault for fault in found):
                raise SystemExit(f"self-test: expected {expected}, found {found}")
    print(f"{len(faulty) + 1} cases as expected")


def main():
    if not browser.find():
        print("skipped: Chromium is missing: sudo apt-get install chromium")
        raise SystemExit(77)
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else "").resolve()
    if len(sys.argv) != 2 or not (folder / "index.html").is_file():
        print("usage: check_pages.py HTML_FOLDER", file=sys.stderr)
        print(f"expected the built pages at {folder}; to build them, type  ./course docs", file=sys.stderr)
        raise SystemExit(2)
    raise SystemExit(1 if check(folder) else 0)


if __name__ == "__main__":
    main()
