"""Renders the course's Markdown as pages: the chapters in reading order, the reference, and linked sources.

Called by docs/build.py. A page keeps the place of its file: chapters/05_data_parallel/README.md becomes
chapters/05_data_parallel/index.html. Markdown is read as code forges read it, by markdown-it.
Invariant: a relative link leads to a page that is written here, or the build names the line.
"""

import html
import os
import pathlib
import re
import shutil
import tomllib

import pygments
import pygments.formatters
import pygments.lexers
from markdown_it import MarkdownIt
from markdown_it.token import Token

COMMENT = re.compile(r"<!--.*?-->", re.S)
ADDRESS = re.compile(r'\b(src|srcset|href)="([^"]+)"')
QUALIFIED = re.compile(r"(?:td::)\w+(?:::\w+)*")
PICTURES = {".svg", ".png", ".gif", ".jpg", ".jpeg", ".webp"}
# Tables whose lines are compared column by column scroll on a narrow screen; its cells are stacked where
# there are few columns, or prose of more letters than this.
MOST_STACKED, PROSE = 3, 60
# A longer list of headings shows those of level 2 only.
MOST_LISTED = 40


def highlight(code, language, _=None):
    """The code with Pygments' classes; output and unknown languages stay as they are."""
    try:
        name = {"cuda": "cpp", "": "text"}.get(language, language)
        lexer = pygments.lexers.get_lexer_by_name(name, stripnl=False)
    except pygments.util.ClassNotFound:
        lexer = pygments.lexers.TextLexer()
    return pygments.highlight(code, lexer, pygments.formatters.HtmlFormatter(nowrap=True))


def slug(heading):
    """The anchor that code forges give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def words_of(inline):
    """The text of an inline token without its marks."""
    return "".join(" " if t.type.endswith("break") else t.content for t in inline.children
                   if t.type in ("text", "code_inline", "softbreak", "hardbreak"))


def place_of(file):
    """Where the page of a file of the project lies."""
    if file.name == "README.md":
        return file.with_name("index.html")
    return file.with_suffix(".html") if file.suffix == ".md" else file.with_name(file.name + ".html")


def raw(text):
    return Token("html_block", "", 0, content=text)


def box_tables(tokens):
    """Each table in a box that may scroll; each cell with its column's name, for screens that stack them."""
    result, columns, column, longest, box = [], [], 0, 0, None
    for index, token in enumerate(tokens):
        if token.type == "table_open":
            columns, longest, box = [], 0, raw("")
            result.append(box)
        elif token.type == "th_open":
            columns.append(words_of(tokens[index + 1]))
        elif token.type == "tr_open":
            column = 0
        elif token.type == "td_open":
            token.attrs["data-label"] = columns[column]
            column, longest = column + 1, max(longest, len(words_of(tokens[index + 1])))
        result.append(token)
        if token.type == "table_close":
            stacked = " stacked" if len(columns) <= MOST_STACKED or longest > PROSE else ""
            box.content = f'<div class="table{stacked}" tabindex="0">'
            result.append(raw("</div>"))
    return result


class Page:
    """One page: its title, headings as (level, id, text), sections as (id, heading, texts), and HTML."""

    def __init__(self, file):
        self.file, self.place = file, place_of(file)
        self.title, self.headings, self.sections, self.summary, self.html = "", [], [("", "", [])], "", ""

    def address(self, other):
        """The relative address of another place of the site."""
        return os.path.relpath(other, self.place.parent)


class Site:
    """All pages. `symbols` maps qualified names of the API to their addresses in the site."""

    def __init__(self, root, output, symbols):
        self.root, self.output, self.symbols = root, output, symbols
        self.template = (root / "docs/theme/page.html").read_text()
        self.markdown = MarkdownIt("commonmark", {"highlight": highlight}).enable(["table", "strikethrough"])
        course = tomllib.loads((root / "chapters/course.toml").read_text())["chapter"]
        self.minutes = {pathlib.Path("chapters", c["folder"], "README.md"): c["minutes"] for c in course}
        self.chapters = sorted(self.minutes)
        self.reference = sorted(p.relative_to(root) for p in root.glob("docs/**/*.md"))
        self.waiting = [pathlib.Path("README.md"), *self.chapters, *self.reference]
        self.pages, self.faults = {}, []

    def write(self, place, title, main):
        root = os.path.relpath(".", place.parent)
        text = self.template
        values = {"{root}": "" if root == "." else root + "/", "{title}": html.escape(title), "{main}": main}
        for name, value in values.items():
            text = text.replace(name, value)
        (self.output / place).parent.mkdir(parents=True, exist_ok=True)
        (self.output / place).write_text(text)

    # Links

    def target(self, page, address, line):
        """A relative address of the Markdown as one of the site; what it leads to gets a page, too."""
        path, mark, anchor = address.partition("#")
        if re.match(r"[a-z]+:", address) or not path:
            return address
        file = pathlib.Path(os.path.normpath(page.file.parent / path))
        if (self.root / file).is_dir() and (self.root / file / "README.md").exists():
            file /= "README.md"
        if not (self.root / file).is_file() or file.is_absolute() or ".." in file.parts:
            self.faults.append(f"{page.file}:{line}: expected a file of the project at {address}")
            return "#"
        if file.suffix in PICTURES:
            (self.output / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.root / file, self.output / file)
            return page.address(file)
        if file not in self.waiting:
            self.waiting.append(file)
        return page.address(place_of(file)) + mark + anchor

    def api(self, code):
        """The address of what a piece of code begins with: td::parallel::scatter(x, devices)."""
        match = QUALIFIED.match(code)
        return self.symbols.get(match.group()) if match else None

    # Markdown

    def inline(self, page, token, line, is_heading):
        """Rewrites the links of one paragraph, heading or cell."""
        children, in_link = [], False
        for child in token.children:
            in_link = child.type == "link_open" or in_link and child.type != "link_close"
            for name in ("href", "src"):
                if name in child.attrs:
                    child.attrs[name] = self.target(page, child.attrs[name], line)
            if child.type == "html_inline":
                child.content = self.rewritten(page, child.content, line)
            may_link = child.type == "code_inline" and not in_link and not is_heading
            address = self.api(child.content) if may_link else None
            if address:
                opening = Token("link_open", "a", 1, attrs={"href": page.address(address)})
                children += [opening, child, Token("link_close", "a", -1)]
            else:
                children.append(child)
        token.children = children

    def rewritten(self, page, text, line):
        """HTML within Markdown: no comments, and addresses of the site."""
        return ADDRESS.sub(lambda m: f'{m[1]}="{self.target(page, m[2], line)}"', COMMENT.sub("", text))

    def heading(self, page, opening, inline):
        text, level = words_of(inline), int(opening.tag[1])
        anchor, taken = slug(text), [anchor for _, anchor, _ in page.headings]
        opening.attrs["id"] = anchor if anchor not in taken else f"{anchor}-{taken.count(anchor)}"
        page.title = page.title or text
        page.headings.append((level, opening.attrs["id"], text))
        page.sections.append((opening.attrs["id"], text, []))

    def render(self, page, text):
        """The page's HTML; title, headings and sections are noted on the way."""
        tokens, line = self.markdown.parse(text), 1
        for index, token in enumerate(tokens):
            line = token.map[0] + 1 if token.map else line
            if token.type == "heading_open":
                self.heading(page, token, tokens[index + 1])
            elif token.type == "html_block":
                token.content = self.rewritten(page, token.content, line)
            elif token.type == "fence":
                page.sections[-1][2].append(token.content)
            elif token.type == "inline":
                self.inline(page, token, line, tokens[index - 1].type == "heading_open")
                words = words_of(token)
                page.sections[-1][2].append(words)
                if words.startswith("You will build"):
                    page.summary = words
        return self.markdown.renderer.render(box_tables(tokens), self.markdown.options, {})

    def add(self, file):
        """Renders one file: Markdown, or a source as a listing."""
        page = Page(file)
        self.pages[file] = page
        text = (self.root / file).read_text()
        if file.suffix == ".md":
            page.html = self.render(page, text)
            return
        page.title = str(file)
        try:
            language = pygments.lexers.get_lexer_for_filename(file.name.replace(".cu", ".cpp")).aliases[0]
        except pygments.util.ClassNotFound:
            language = "text"
        page.html = f"<h1>{html.escape(str(file))}</h1>\n<pre>{highlight(text, language)}</pre>\n"

    # What stands around a page

    @staticmethod
    def contents(page):
        """The list of headings, folded on a small screen."""
        listed = [(level, anchor, text) for level, anchor, text in page.headings if level in (2, 3)]
        if len(listed) < 3:
            return ""
        rows = "".join(f'<li class="level{level}"><a href="#{anchor}">{html.escape(text)}</a></li>\n'
                       for level, anchor, text in listed if level == 2 or len(listed) <= MOST_LISTED)
        return f'<details class="toc"><summary>On this page</summary><ul>\n{rows}</ul></details>\n'

    def steps(self, page):
        """The way to the chapters before and after."""
        if page.file not in self.minutes:
            return ""
        at = self.chapters.index(page.file)

        def link(index, form):
            if not 0 <= index < len(self.chapters):
                return "<span></span>"
            other = self.pages[self.chapters[index]]
            return f'<a href="{page.address(other.place)}">{form.format(html.escape(short(other.title)))}</a>'

        chapters = f'<a href="{page.address("chapters/index.html")}">Chapters</a>'
        return (f'<nav class="steps" aria-label="Chapters">{link(at - 1, "‹&nbsp;{}")}{chapters}'
                f'{link(at + 1, "{}&nbsp;›")}</nav>\n')

    def listing(self, place, title, groups):
        """A page that lists others: groups of (heading, pages)."""
        parts = [f"<article><h1>{title}</h1>\n"]
        for heading, pages in groups:
            parts.append(f"<h2>{heading}</h2>\n" if heading else "")
            for page in pages:
                minutes = self.minutes.get(page.file)
                time = f' <span class="soft">{minutes} minutes</span>' if minutes else ""
                words = f"<br>{html.escape(page.summary)}" if page.summary else ""
                address = os.path.relpath(page.place, place.parent)
                parts.append(f'<p><a href="{address}">{html.escape(page.title)}</a>{time}{words}</p>\n')
        self.write(place, title, "".join(parts) + "</article>")

    def build(self):
        """Writes everything; returns the faults."""
        for file in self.waiting:  # grows while pages are rendered
            self.add(file)
        for page in self.pages.values():
            steps = self.steps(page)
            main = f"{self.contents(page)}<article>\n{steps}{page.html}{steps}</article>"
            self.write(page.place, page.title, main)
        chapters = [self.pages[file] for file in self.chapters]
        self.listing(pathlib.Path("chapters/index.html"), "The chapters", [("", chapters)])
        reference = [self.pages[file] for file in self.reference]
        measured = [page for page in reference if "measurements" in page.file.parts]
        others = [page for page in reference if page not in measured]
        groups = [("Pages", others), ("Measurements", measured)]
        self.listing(pathlib.Path("docs/index.html"), "Reference", groups)
        return self.faults


def short(title):
    """Chapter 05: DataParallel, as the links to it say it: 05 DataParallel."""
    return re.sub(r"^Chapter (\d+): ", r"\1 ", title)
