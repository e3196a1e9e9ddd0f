#!/bin/bash
# Proves that a missing library is named by its Debian package: missing_parts_test.sh SOURCE COURSE_TOOL.
# Called by CTest. Invariant: nothing of the course itself is compiled for it.
source_folder="$1" tool="$2"
folder="$(mktemp -d)" || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

expect() {  # expect TEXT
  if ! grep -qF -- "$1" <<<"$output"; then
    echo "expected '$1' in: $output"
    failed=1
  fi
}
configure() {  # configure FOLDER -DOPTION...
  # Line breaks of CMake's messages depend on their length.
  output="$(cmake -S "$source_folder" -B "$folder/$1" -G Ninja -DTD_CUDA=OFF "${@:2}" 2>&1 | tr -s ' \n' ' ')"
}

echo "without Catch2, a check is skipped with the package to install, and says nothing of the learner's file"
configure build -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON
mkdir "$folder/course" && cp -r "$source_folder/chapters" "$folder/course"
output="$("$tool" --root "$folder/course" --build "$folder/build" check 1.first_device 2>&1)"
expect "skipped: This machine lacks Catch2, which judges exercises: install the Debian package catch2"
expect "0 pass · 0 fail · 0 not done yet · 1 skipped"

echo "without what nothing can be built, all packages are named at once"
configure other -DCMAKE_IGNORE_PATH=/usr/include
expect "sudo apt-get install nlohmann-json3-dev libcli11-dev libtomlplusplus-dev "
expect "libboost-context-dev libdw-dev"
exit $failed
