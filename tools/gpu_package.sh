#!/bin/bash
# Builds, on a machine without a GPU, everything that tools/gpu_check.py runs on a machine with one, and packs it:
#   tools/gpu_package.sh FILE.tar.xz [ARCHITECTURE]    ARCHITECTURE as 90-real, an H100's, which is the default
# On the other machine, which needs the same sources, Python 3, a driver and NVIDIA's libraries (a toolkit's, or those
# of the Python that has PyTorch), but no compiler and none of Debian's packages:
#   tar xf FILE.tar.xz && tools/gpu_check.py
# A machine on which these programs do not run builds them itself, with CMake, Ninja, g++ and nvcc. The first command,
# on Debian, copies the headers and libraries that such a machine lacks, and DIR has to be taken there:
#   tools/gpu_package.sh headers DIR
#   tools/gpu_package.sh build DIR && tools/gpu_check.py
# Exit codes: 0, 1 where something fails, 2 wrong usage.
set -u
root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)" || exit 1
build=build/gpu

fail_usage() {
  echo "gpu_package: $1" >&2
  sed -n '2,10s/^#  \?//p' "$root/tools/gpu_package.sh" >&2
  exit 2
}

headers() (  # headers DIR: what Libraries.cmake asks for, at the same paths, so that DIR/usr is a CMake prefix
  set -o pipefail
  {
    dpkg -L catch2 libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libdw-dev libelf-dev libncurses-dev |
      grep -E '^/usr/(include/|lib/.*Catch2)' &&
      printf '#include <boost/context/%s.hpp>\n' fiber fixedsize_stack | g++ -x c++ -M - |
      grep -o '/usr/include/boost/[^ ]*' &&
      ls "/usr/lib/$(g++ -print-multiarch)"/lib{boost_context,dw,elf,ncursesw,tinfo}[.-]*so*
  } | while read -r file; do
    if [ ! -d "$file" ]; then cp --parents -P "$file" "$1" || exit 1; fi
  done
)

use_headers() {  # use_headers DIR: lets CMake, the compiler and the linker find them, and gpu_check.py the libraries
  local lib
  lib="$1/usr/lib/$(g++ -print-multiarch)"
  export CMAKE_PREFIX_PATH="$1/usr" CPLUS_INCLUDE_PATH="$1/usr/include" LIBRARY_PATH="$lib" LD_LIBRARY_PATH="$lib"
  mkdir -p $build/brought && cp -P "$lib"/*.so* $build/brought
}

# The areas of tests/common whose tests use cuda, named as in tests/CMakeLists.txt; xla's devices are a plugin's,
# and the stand-in for CUDA needs no GPU.
areas() {
  grep -rlE 'kCUDA|"cuda|devices\(\)' tests/common | xargs -n 1 dirname | grep -v /xla |
    sed -E 's#^.*/cuda/([a-z_]+)$#cuda_\1#; s#^.*/distributed/gloo$#distributed_gloo#; s#^.*/##' |
    grep -vx cuda_stand_in | sort -u
}

build() {  # build CMAKE-OPTION...: without what only the host computes with, and for any x86-64 processor
  local targets area chapter program
  mkdir -p ${build%/*}
  cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTD_CUDA=ON -DTD_NATIVE=OFF -DTD_ONEDNN=OFF \
    -DTD_OPENBLAS=OFF -DTD_GLOO=OFF "$@" >$build.log 2>&1 || { cat $build.log && return 1; }
  targets=(td_all course-tool test_graphs checkers
    bench_device bench_graph bench_grad_scaler bench_kernel_costs bench_compare_gpu bench_raw_cuda)
  for area in $(areas); do targets+=("test_$area"); done
  for chapter in chapters/[0-9]*; do
    chapter="${chapter##*/}"
    targets+=("ch$chapter")
    for program in "chapters/$chapter/programs"/*.cpp; do
      [ -f "$program" ] && targets+=("ch${chapter%%_*}-$(basename "$program" .cpp)")
    done
  done
  cmake --build $build --target "${targets[@]}"
}

# Programs and libraries at their own paths, without their symbols except where the SIMT machine reads the lines of
# kernels, and the libraries that they load from this machine.
pack() {  # pack FILE
  local files file library commit
  packed="$(mktemp -d)" && trap 'rm -rf "$packed"' EXIT  # not local, for the trap
  mkdir -p "$packed/$build/brought"
  cp --parents $build/CMakeCache.txt $build/tests/CTestTestfile.cmake "$packed"
  commit="$(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
  git diff --quiet HEAD -- 2>/dev/null || commit+=", changed"
  echo "$commit" >"$packed/$build/commit"
  # shellcheck disable=SC2038  # no name of the course has a blank
  files="$(find $build/lib $build/tests $build/chapters $build/exercises $build/tools -type f \
    \( -perm -u+x -o -name '*.so' \) -not -path '*/CMakeFiles/*' -not -path '*/answers/*' -not -path '*/stub/*' |
    xargs file | sed -n 's/: *ELF.*//p')"
  for file in $files; do
    case "$file" in
      */exercises/* | */ch1[123][_-]* | *_kernels.so) cp --parents "$file" "$packed" ;;
      *) mkdir -p "$packed/${file%/*}" && strip -o "$packed/$file" "$file" ;;
    esac
  done
  # shellcheck disable=SC2086
  ldd $files 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE "^$root/|/(libc|libm|libdl|librt|libpthread|ld-linux|libgcc_s|libstdc\+\+|libcu|libnvrtc|libnccl)[^/]*$" |
    while read -r library; do cp -L "$library" "$packed/$build/brought"; done
  tar -C "$packed" -cJf "$1" build
  du -h "$1"
}

[ $# -gt 0 ] || fail_usage "name the file to write"
case "$1" in
  headers | build)
    [ $# -eq 2 ] || fail_usage "$1 wants one folder"
    [ "$1" = headers ] && mkdir -p "$2"
    folder="$(readlink -e "$2")" || fail_usage "there is no folder $2"
    cd "$root" || exit 1
    if [ "$1" = headers ]; then headers "$folder" || exit 1; else use_headers "$folder" && build || exit 1; fi
    ;;
  *)
    archive="$(readlink -f "$1")" || fail_usage "there is no folder for $1"
    cd "$root" || exit 1
    build -DCMAKE_CUDA_ARCHITECTURES="${2:-90-real}" && pack "$archive" || exit 1
    ;;
esac
