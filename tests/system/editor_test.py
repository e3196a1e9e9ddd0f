#!/usr/bin/env python3
"""Proves that an editor with clangd shows no wrong error in an exercise: editor_test.py SOURCE BUILD.

clangd reads each stub with the flags that .clangd and the build's compile_commands.json give it. Reading the core's
headers takes longest, so the stubs of a chapter are included into one file. Exit codes: 0, 1, 77 without clangd.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def errors_of(file, root):
    """What clangd marks in the file, with `root` as the project's folder."""
    run = subprocess.run(["clangd", f"--check={file}", "--check-lines=1-1"], cwd=root, capture_output=True, text=True,
                         check=False)
    found = [line for line in run.stderr.splitlines() if line.startswith("E[")]
    if not found and "All checks completed, 0 errors" not in run.stderr:
        return [f"clangd did not finish: {run.stderr[-500:]}"]
    return found


def files_to_check(source, folder):
    """One file per chapter that includes all its stubs, or one for each kernel, because these are quick to read."""
    for chapter in sorted((source / "solutions").iterdir()):
        stubs = [source / "chapters" / chapter.name / "exercises" / solution.name for solution in sorted(chapter.glob("*.c*"))]
        has_kernels = any(stub.suffix == ".cu" for stub in stubs)
        (folder / "chapters" / chapter.name).mkdir(parents=True)
        for group in [[stub] for stub in stubs] if has_kernels else [stubs]:
            # clangd takes the flags of the entry with the most similar name, as it does for the stub itself.
            together = folder / "chapters" / chapter.name / group[0].name
            together.write_text("".join(f'#include "{stub}"\n' for stub in group))
            yield together


def check_stubs(source, build, folder):
    settings = (source / ".clangd").read_text()
    if "CompilationDatabase: build/release\n" not in settings:
        return ["the file .clangd does not name build/release"]
    (folder / ".clangd").write_text(settings.replace("build/release", str(build)))
    failures, count = [], 0
    for file in files_to_check(source, folder):
        count += 1
        failures += [f"{file.parent.name}: {error}" for error in errors_of(file, folder)]
    print(f"{count} files, {len(failures)} errors")
    return failures


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    if shutil.which("clangd") is None:
        print("skipped: there is no clangd; install the Debian package clangd")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failures = check_stubs(source, build, folder)
        # The check must be able to fail.
        wrong = folder / "chapters" / "05_data_parallel" / "scatter.cpp"
        wrong.write_text("#include <td/no_such_header.h>\n")
        if not errors_of(wrong, folder):
            failures.append("clangd found no error in a file that has one")
    print(*failures, sep="\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
