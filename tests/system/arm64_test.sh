#!/bin/bash
# Compiles the core for 64-bit ARM, without linking: every file, and every warning is an error. Called by CTest:
#   arm64_test.sh SOURCE BUILD. Exit codes: 0, 1, 77 where Debian's compiler for ARM64 is not here.
set -eu
source="$1" build="$2"
if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
  echo "skipped: there is no aarch64-linux-gnu-g++; install g++-aarch64-linux-gnu" && exit 77
fi
# The libraries are this machine's: nothing is linked.
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$source/cmake/arm64.cmake" -DCMAKE_BUILD_TYPE=None \
  -DTD_CUDA=OFF -DTD_NATIVE=OFF -DTD_WERROR=ON -DTD_GLOO=OFF -DCMAKE_LIBRARY_PATH="/usr/lib/$(g++ -print-multiarch)" >"$build.log" 2>&1 || { tail -30 "$build.log" && exit 1; }
mapfile -t objects < <(ninja -C "$build" -t targets all | sed -n 's#^\(common/[^:]*\.o\): .*#\1#p')
[ ${#objects[@]} -gt 150 ] || { echo "the build has ${#objects[@]} objects under common" && exit 1; }
ninja -C "$build" "${objects[@]}" >>"$build.log" 2>&1 || { grep -A8 -E 'error|FAILED' "$build.log" | head -60 && exit 1; }
echo "${#objects[@]} objects for ARM64"
