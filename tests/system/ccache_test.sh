#!/bin/bash
# Two copies of the course share what ccache keeps, and none is told to watch the headers of the other: ninja would miss
# changes of its own. Called by CTest with the source folder.
source_folder="$1"
command -v ccache >/dev/null || { echo "skipped: there is no ccache; install ccache" && exit 77; }
folder="$(mktemp -d)" || exit 1
trap 'rm -rf "$folder"' EXIT
unset CCACHE_DISABLE CCACHE_BASEDIR CCACHE_CONFIGPATH
failed=0

compile() {  # compile PROJECT: as CMake does, with the list of headers for ninja
  mkdir -p "$1/common" "$1/build" && cd "$1/build" || exit 1
  echo 'inline int one() { return 1; }' >"$1/common/one.h"
  printf '#include "one.h"\nint two() { return 2 * one(); }\n' >"$1/common/two.cpp"
  "$source_folder/cmake/ccache.sh" "$(command -v ccache)" "$1" gcc c++ -I"$1/common" -O1 -MD -MT two.o -MF two.o.d \
    -o two.o -c "$1/common/two.cpp" || exit 1
}
hits() { ccache --print-stats | awk '$1 == "direct_cache_hit" { print $2 }'; }

for rest in "" _ü " with space" '$' "#"; do
  first="$folder/first$rest"
  second="$folder/second$rest"
  export CCACHE_DIR="$folder/cache of $rest"
  compile "$first"
  compile "$second"
  if grep -q first two.o.d; then
    echo "the list of headers in $second names files of $first: $(cat two.o.d)"
    failed=1
  fi
  if [ -z "$rest" ] && [ "$(hits)" -ne 1 ]; then
    echo "the second copy did not find what the first had compiled"
    failed=1
  fi
done
exit $failed
