#!/usr/bin/env python3
"""Adds one of each to a copy of the core, builds it and runs it: adding_test.py PROJECT BUILD COMPILER.

Called by CTest. docs/architecture.md promises that an element-wise function is one line, any other
operation one file and one declaration, and a device one directory and one line. This test makes just
those changes in a copy of common/ and the build files, and runs tests/system/adding/program.cpp on the
result. Invariant: the copy differs from the project in what ADDED_LINES and ADDED_FILES say alone.
"""

import os
import pathlib
import shutil
import subprocess
import sys

ADDED_LINES = {
    "common/td/ops/pointwise/unary_any.def": "UNARY(cube, x, x * x * x, g * T(3) * x * x)",
    "common/td/ops/pointwise/functions.def":
        "METHOD(Tensor, hypot, (const Tensor& other), (other))",
    "common/td/device/devices.def": 'ACCELERATOR(TWIN, twin, "never")',
}
ADDED_FILES = {
    "hypot.cu": "common/td/ops/pointwise/hypot.cu",
    "twin.cpp": "common/td/backends/twin/twin.cpp",
}
# The core alone, and the program.
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(adding LANGUAGES CXX)
include(cmake/Options.cmake)
include(cmake/Libraries.cmake)
set(TD_CUDA_FOUND OFF)
add_subdirectory(common)
# Half of the time of an unoptimized file goes into the same headers.
target_precompile_headers(td PRIVATE <td/tensor/tensor.h>)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE td)
"""


def main():
    project, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    copy = build / "adding"
    shutil.rmtree(copy / "common", ignore_errors=True)
    for folder in ("common", "cmake"):
        shutil.copytree(project / folder, copy / folder, dirs_exist_ok=True)
    for path, line in ADDED_LINES.items():
        with open(copy / path, "a") as text:
            text.write(line + "\n")
    added = project / "tests/system/adding"
    for name, path in ADDED_FILES.items():
        (copy / path).parent.mkdir(exist_ok=True)
        shutil.copy2(added / name, copy / path)
    shutil.copy2(added / "program.cpp", copy)
    (copy / "CMakeLists.txt").write_text(CMAKE)
    # Without optimization: the test is about what must be written, not about speed.
    subprocess.run(["cmake", "-S", copy, "-B", copy / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_FLAGS=-O0 -g0", "-DCMAKE_CXX_FLAGS_DEBUG=",
                    "-DTD_NATIVE=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", copy / "build", "--target", "program",
                    "--parallel", str(os.cpu_count())], check=True)
    return subprocess.run([copy / "build/program"]).returncode


if __name__ == "__main__":
    sys.exit(main())
