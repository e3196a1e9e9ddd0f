#!/usr/bin/env python3
"""Compares the course's headers of CUDA with NVIDIA's: cuda_headers_test.py INCLUDE_FOLDER TOOLKIT_FOLDER COMPILER.

Called by CTest where NVIDIA's headers are. Compiles a file that includes NVIDIA's, states every number of an enumeration as ours
has it, and declares every function again as ours does: a difference is an error of the compiler. A number is then changed, to see
that the comparison can fail.
"""

import pathlib
import re
import subprocess
import sys

# What CUDA 13 has no more, and what ours has under a plain name.
REMOVED = {"cudaSharedMemBankSizeDefault", "cudaSharedMemBankSizeFourByte", "cudaSharedMemBankSizeEightByte"}
REMOVED_CALLS = re.compile(r"cudaThread\w+|\w*SharedMemConfig|cudaMemAdvise|cudaStreamAttachMemAsync")


def numbers(folder):
    """Every enumerator of ours with its number."""
    for file, prefix in (("cuda_errors.def", ""), ("cuda_attributes.def", "cudaDevAttr")):
        text = (folder / file).read_text(encoding="utf-8")
        for name, number in re.findall(r"\((\w+), (\d+)", text):
            yield prefix + name, number
    for file in ("driver_types.h", "texture_types.h"):
        text = (folder / file).read_text(encoding="utf-8")
        for pattern in (r"^\s*(?:enum \w+ \{ )?(cuda\w+) = (-?\d+)", r", (cuda\w+) = (\d+)", r"#define (cuda\w+) (0x\w+)"):
            for name, number in re.findall(pattern, text, re.M):
                if name not in REMOVED:
                    yield name, number


def declarations(folder):
    """Every function of ours, without default arguments."""
    text = (folder / "cuda_runtime_api.h").read_text(encoding="utf-8")
    body = text[text.index('extern "C" {') + len('extern "C" {'):text.index('}  // extern "C"')]
    body = re.sub(r"//.*", "", body)
    for declaration in body.split(";"):
        declaration = re.sub(r" = (?:nullptr|\d+)", "", " ".join(declaration.split()))
        if declaration and not REMOVED_CALLS.search(declaration.split("(")[0]):
            yield declaration


def compile_with(compiler, toolkit, statements):
    program = "#include <cuda_runtime_api.h>\n" + "\n".join(statements) + "\n"
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", toolkit, "-"], input=program, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def main():
    folder, toolkit, compiler = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    statements = [f"static_assert(static_cast<long>({name}) == {number});" for name, number in numbers(folder)]
    calls = [f'extern "C" {declaration};' for declaration in declarations(folder)]
    code, text = compile_with(compiler, toolkit, statements + calls)
    if code:
        print(text)
        return 1
    for fault in ("static_assert(static_cast<long>(cudaErrorInvalidValue) == 2);", 'extern "C" cudaError_t cudaFree(int*);'):
        if compile_with(compiler, toolkit, statements + calls + [fault])[0] == 0:
            print("a planted difference is not found:", fault)
            return 1
    print(f"{len(statements)} numbers and {len(calls)} functions are NVIDIA's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
