#!/bin/bash
# Builds, on a machine without a GPU, everything that tools/gpu_check.py runs on a machine with one, and packs it:
#   tools/gpu_package.sh FILE.tar.xz [ARCHITECTURE]    ARCHITECTURE as 90-real, an H100's, which is the default
# On the other machine, which needs the same sources, Python 3, a driver and NVIDIA's libraries (a toolkit's, or those
# of the Python that has PyTorch), but no compiler and none of Debian's packages:
#   tar xf FILE.tar.xz && tools/gpu_check.py
# Exit codes: 0, 1 where the build fails, 2 wrong usage.
set -u
root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)" || exit 1
[ $# -ge 1 ] || { sed -n '2,6s/^#  \?//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
archive="$(readlink -f "$1")" || { echo "gpu_package: there is no folder for $1" >&2 && exit 2; }
cd "$root" || exit 1
build=build/gpu

# The areas of tests/common whose tests use cuda, named as in tests/CMakeLists.txt; xla's devices are a plugin's,
# and the stand-in for CUDA needs no GPU.
areas() {
  grep -rlE 'kCUDA|"cuda|devices\(\)' tests/common | xargs -n 1 dirname | grep -v /xla |
    sed -E 's#^.*/cuda/([a-z_]+)$#cuda_\1#; s#^.*/distributed/gloo$#distributed_gloo#; s#^.*/##' |
    grep -vx cuda_stand_in | sort -u
}

# Without what only the host computes with, and for any x86-64 processor.
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTD_CUDA=ON -DTD_NATIVE=OFF -DTD_ONEDNN=OFF \
  -DTD_OPENBLAS=OFF -DTD_GLOO=OFF -DCMAKE_CUDA_ARCHITECTURES="${2:-90-real}" >$build.log 2>&1 ||
  { cat $build.log && exit 1; }
targets=(td_all course-tool test_graphs checkers
  bench_device bench_graph bench_grad_scaler bench_kernel_costs bench_compare_gpu bench_raw_cuda)
for area in $(areas); do targets+=("test_$area"); done
for chapter in chapters/[0-9]*; do targets+=("ch${chapter##*/}"); done
cmake --build $build --target "${targets[@]}" || exit 1

# Programs and libraries at their own paths, without their symbols except where the SIMT machine reads the lines of
# kernels, and the libraries that they load from this machine.
packed="$(mktemp -d)" && trap 'rm -rf "$packed"' EXIT
mkdir -p "$packed/$build/brought"
cp --parents $build/CMakeCache.txt $build/tests/CTestTestfile.cmake "$packed"
files="$(find $build/lib $build/tests $build/chapters $build/exercises $build/tools -type f \
  \( -perm -u+x -o -name '*.so' \) -not -path '*/CMakeFiles/*' -not -path '*/answers/*' -not -path '*/stub/*' |
  xargs file | sed -n 's/: *ELF.*//p')"
for file in $files; do
  case "$file" in
    */exercises/* | */ch11_* | *_kernels.so) cp --parents "$file" "$packed" ;;
    *) mkdir -p "$packed/${file%/*}" && strip -o "$packed/$file" "$file" ;;
  esac
done
ldd $files 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  grep -vE "^$root/|/(libc|libm|libdl|librt|libpthread|ld-linux|libgcc_s|libstdc\+\+|libcu|libnvrtc|libnccl)[^/]*$" |
  while read -r library; do cp -L "$library" "$packed/$build/brought"; done
tar -C "$packed" -cJf "$archive" build
du -h "$archive"
