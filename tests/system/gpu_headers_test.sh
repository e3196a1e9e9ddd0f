#!/bin/bash
# Proves that a machine without Debian's packages can build with what tools/gpu_package.sh copies: gpu_headers_test.sh
# SOURCE. Called by CTest. In a mount namespace without these packages gpu_package.sh configures the course without
# CUDA, and builds small programs instead of the course. Exit code 77 where there is no such namespace.
# Invariant: nothing outside of the namespace changes.
hide() {  # hide SOURCE FOLDER: overlays on the system's and the course's files, and in them no package
  local place
  mount -t tmpfs tmpfs "$2" || return
  for place in /usr "$1"; do
    mkdir -p "$2$place/up" "$2$place/work"
    mount -t overlay overlay -o "lowerdir=$place,upperdir=$2$place/up,workdir=$2$place/work" "$place" || return
  done
  rm -rf /usr/include/{boost,CLI,toml++,nlohmann,catch2,elfutils,ncursesw,*curses*.h,dwarf.h,gelf.h,libelf.h} \
    /usr/lib/{,*/}cmake/Catch2 /usr/lib/{,*/}libCatch2*.a /usr/lib/*/libtinfo.{so,a} \
    /usr/lib/*/lib{boost_context,dw,elf,ncurses,ncursesw,curses}[.-]* "$1/build/gpu"
}

expect_build() {  # expect_build TEXT...: what gpu_package.sh says
  local output text
  output="$(tools/gpu_package.sh build "$packages" 2>&1 | tr -s ' \n' ' ')"
  for text; do
    grep -qF -- "$text" <<<"$output" || { echo "expected '$text' in: $output" && failed=1; }
  done
}

if [ $# -eq 1 ]; then
  folder="$(mktemp -d)" || exit 1
  trap 'rm -rf "$folder"' EXIT
  mkdir "$folder/over" "$folder/bin"
  "$1/tools/gpu_package.sh" headers "$folder/packages" || exit 1
  unshare -m true || { echo "skipped: this user may make no mount namespace" && exit 77; }
  unshare -m bash "$0" "$1" "$folder"
  exit
fi

folder="$2" packages="$2/packages" failed=0
hide "$1" "$folder/over" || { echo "skipped: this machine allows no overlay in a mount namespace" && exit 77; }
cd "$1" || exit 1
cat >"$folder/headers.cpp" <<'END'
#include <CLI/CLI.hpp>
#include <catch.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>
END
cat >"$folder/libraries.cpp" <<'END'
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <elfutils/libdwfl.h>
#include <ncurses.h>

int main() {
  int steps = 0;
  boost::context::fiber fiber([&steps](boost::context::fiber&& back) {
    ++steps;
    return std::move(back);
  });
  fiber = std::move(fiber).resume();
  return steps == 1 && dwfl_version(nullptr) && curses_version() ? 0 : 1;
}
END
cat >"$folder/bin/cmake" <<END
#!/bin/bash -e
if [ "\$1" = -S ]; then exec "$(command -v cmake)" "\$@" -DTD_CUDA=OFF; fi
g++ -std=c++20 "$folder/libraries.cpp" -o "$folder/libraries" -lboost_context -ldw -lncursesw
env -i LD_LIBRARY_PATH=build/gpu/brought "$folder/libraries" && echo "it runs"
g++ -std=c++20 -DTOML_HEADER_ONLY=1 -I tests/support -M "$folder/headers.cpp" >"$folder/headers.d"
grep -o "Catch2: ON" build/gpu.log
END
chmod +x "$folder/bin/cmake"
export PATH="$folder/bin:$PATH"

echo "with the packages it is configured, compiled, linked and started"
expect_build "it runs Catch2: ON"
echo "a library that another one needs cannot be missing"
mv "$packages"/usr/lib/*/libelf* "$folder"
expect_build "libelf.so.1, needed by"
echo "without the headers all packages are missing, so Debian's own were hidden"
rm -r "$packages/usr/include" build/gpu
expect_build "sudo apt-get install nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libncurses-dev" \
  "libboost-context-dev libdw-dev"
exit $failed
