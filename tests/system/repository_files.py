"""Finds faults in the files that a forge or an editor reads: CITATION.cff, the forms for issues, the
devcontainers and the notebook. Used by front_page_test.py. Each function takes the text of a file and
returns its faults, so that the test can plant some. Invariant: a key that the format does not know is a
fault, because the forge would ignore it or refuse the file.
"""

import json
import re
import subprocess

# Of the Citation File Format 1.2.0: the keys that this project may use, and the ones that must be there.
CFF_KEYS = {
    "cff-version", "message", "title", "authors", "abstract", "type", "version", "license", "keywords", "url",
    "repository-code", "date-released", "doi", "commit", "identifiers", "contact", "references"
}
CFF_REQUIRED = {"cff-version", "message", "title", "authors"}
ENTITY_KEYS = {"name", "website", "email", "alias", "city", "country", "orcid"}
# Not labels: a forge ignores a label that nobody has made there.
FORM_KEYS = {"name", "description", "body", "title", "assignees", "projects", "type"}
ELEMENTS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}
DEVCONTAINER_KEYS = {
    "name", "build", "hostRequirements", "runArgs", "containerEnv", "remoteEnv", "remoteUser", "features",
    "postCreateCommand", "customizations", "mounts"
}
CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def parsed(text):
    """A YAML text, or a fault where it cannot be read."""
    import yaml  # Debian's python3-yaml; the test says so where it is absent
    try:
        return yaml.safe_load(text), []
    except yaml.YAMLError as error:
        return None, [f"is no YAML: {error}"]


def citation_faults(text):
    data, found = parsed(text)
    if found or not isinstance(data, dict):
        return found or ["is no mapping"]
    found += [f"has no {key}" for key in sorted(CFF_REQUIRED - data.keys())]
    found += [f"has the unknown key {key}" for key in sorted(data.keys() - CFF_KEYS)]
    if data.get("cff-version") != "1.2.0":
        found.append(f"cff-version is {data.get('cff-version')!r}, expected '1.2.0'")
    if data.get("type", "software") not in ("software", "dataset"):
        found.append(f"type is {data['type']!r}, expected software or dataset")
    if data.get("license") != "Apache-2.0":
        found.append(f"license is {data.get('license')!r}, which is not that of LICENSE")
    found += [
        f"{key} must be a text: write it in quotes" for key in ("version", "title", "message", "abstract")
        if key in data and not isinstance(data[key], str)
    ]
    authors = data.get("authors") or []
    if not authors:
        found.append("authors is empty")
    for author in authors:
        if not author.get("name") or author.keys() - ENTITY_KEYS:
            found.append(f"the author {author} is not an entity with a name")
    return found


def form_faults(text):
    """One form of .github/ISSUE_TEMPLATE."""
    data, found = parsed(text)
    if found or not isinstance(data, dict):
        return found or ["is no mapping"]
    found += [f"has no {key}" for key in ("name", "description", "body") if not data.get(key)]
    found += [f"has the unknown key {key}" for key in sorted(data.keys() - FORM_KEYS)]
    ids = [element.get("id") for element in data.get("body", [])]
    found += [f"two elements have the id {one}" for one in {i for i in ids if i and ids.count(i) > 1}]
    for element in data.get("body", []):
        kind, about = element.get("type"), element.get("attributes", {})
        if kind not in ELEMENTS:
            found.append(f"an element has the unknown type {kind}")
        elif kind != "markdown" and not about.get("label"):
            found.append(f"the element {element.get('id')} has no label")
        if kind == "dropdown" and len(set(about.get("options", []))) < 2:
            found.append(f"the dropdown {element.get('id')} needs two options that differ")
        if not CELL_ID.fullmatch(element.get("id") or "-"):
            found.append(f"the id {element.get('id')} may have letters, digits, - and _ only")
    if all(element.get("type") == "markdown" for element in data.get("body", [])):
        found.append("asks for nothing")
    return found


def release_faults(changelog, citation):
    """After a release CITATION.cff says which one, when, and where the code is."""
    release = re.search(r"^## \[(\d[\w.]*)\] - (\S+)$", changelog, re.M)
    if not release:
        return []
    data, found = parsed(citation)
    if found:
        return found
    expected = {"version": release[1], "date-released": release[2], "repository-code": data.get("repository-code")}
    return [
        f"has the release {release[1]}, but {key} of CITATION.cff is {data.get(key)}"
        for key, value in expected.items() if not value or str(data.get(key)) != value
    ]


def devcontainer_faults(text, folder, root):
    """One devcontainer.json, which is in `folder`."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        return [f"is no JSON: {error}"]
    found = [f"has the unknown key {key}" for key in sorted(data.keys() - DEVCONTAINER_KEYS)]
    build = data.get("build", {})
    if not (folder / build.get("dockerfile", "none")).is_file():
        found.append(f"build.dockerfile names no file: {build.get('dockerfile')}")
    if (folder / build.get("context", "none")).resolve() != root:
        found.append(
            f"build.context is {build.get('context')}, not the root of the course, "
            "where Dockerfile copies from"
        )
    wants_gpu = data.get("hostRequirements", {}).get("gpu") is True
    if wants_gpu != ("--gpus" in data.get("runArgs", [])) or wants_gpu != bool(
            build.get("args", {}).get("CUDA")):
        found.append(
            "a GPU needs hostRequirements.gpu, runArgs --gpus all, and the argument CUDA, or none of them")
    return found


def dockerfile_faults(text, packages, setup, root):
    """The packages are those that ./course installs, by packages.debian and tools/shell/setup.sh."""
    found = []
    sections = re.search(r'^ARG SECTIONS="([^"]+)"$', text, re.M)
    installed = re.search(r"^  local sections=\(([^)]+)\)", setup, re.M)
    if not sections or not installed or sections[1] != installed[1]:
        found.append(
            f"installs the sections {sections and sections[1]}, "
            f"but ./course installs {installed and installed[1]}"
        )
    known = {line.split()[1] for line in packages.splitlines() if line.strip() and not line.startswith("#")}
    named = known & set(re.findall(r"[\w.+-]+", re.sub(r"#.*", "", text)))
    found += [f"names the package {one}, which tools/packages.debian has already" for one in sorted(named)]
    if not re.search(r"^FROM debian:12", text, re.M):
        found.append("is not built from debian:12, which the course is written for")
    for source in re.findall(r"^COPY (\S+)", text, re.M):
        if not (root / source).exists():
            found.append(f"copies {source}, which does not exist")
    return found


def cell_source(cell):
    return "".join(cell.get("source", []))


def notebook_faults(text, root):
    """nbformat 4.5, Python and shell that parse, and no answer of an exercise."""
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        return [f"is no JSON: {error}"]
    found = []
    if (notebook.get("nbformat"), notebook.get("nbformat_minor")) != (4, 5):
        found.append("is not of nbformat 4.5")
    if not isinstance(notebook.get("metadata"), dict):
        found.append("has no metadata")
    cells = notebook.get("cells", [])
    ids = [str(cell.get("id")) for cell in cells]
    found += [
        f"the id {one} must be unique, of letters, digits, - and _" for one in sorted(set(ids))
        if ids.count(one) > 1 or not CELL_ID.fullmatch(one)
    ]
    for cell in cells:
        found += [f"cell {cell.get('id')}: {fault}" for fault in cell_faults(cell, root)]
    return found


def cell_faults(cell, root):
    found = []
    expected = {"id", "cell_type", "metadata", "source"}
    if cell.get("cell_type") == "code":
        expected |= {"execution_count", "outputs"}
    if cell.get("cell_type") not in ("code", "markdown") or cell.keys() != expected:
        found.append(f"expected the keys {sorted(expected)}, found {sorted(cell)}")
    if cell.get("outputs") or cell.get("execution_count"):
        found.append("has results; clear them, because nothing here was run on a hosted GPU")
    if cell.get("cell_type") != "code":
        return found
    first, _, rest = cell_source(cell).partition("\n")
    if first.startswith("%%writefile "):
        file = root / first.split()[1]
        solution = root / "solutions" / file.parent.parent.name / file.name
        if not file.is_file() or not solution.is_file():
            found.append(f"writes {first.split()[1]}, which is no exercise")
        elif any(line.strip() in rest for line in answers(solution.read_text())):
            found.append(f"gives away the answer of {file.name}")
    elif first == "%%bash":
        checked = subprocess.run(["bash", "-n"], input=rest, text=True, capture_output=True, check=False)
        found += [f"bash: {checked.stderr.strip()}"] if checked.returncode else []
    else:
        python = re.sub(r"^[!%].*$", "pass", cell_source(cell), flags=re.M)
        try:
            compile(python, "cell", "exec")
        except SyntaxError as error:
            found.append(f"Python: {error}")
    return found


def answers(solution):
    """The lines of code of a solution that its stub lacks."""
    blanks = re.findall(r"// blank:.*?\n(.*?)// end", solution, re.S)
    return [line for blank in blanks for line in blank.splitlines() if len(line.strip()) > 8]


def shell_lines(text):
    """The command lines of a notebook that a shell gets."""
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code" and not cell_source(cell).startswith("%%"):
            for line in cell_source(cell).splitlines():
                if line.startswith("!"):
                    yield line[1:]
