#!/bin/bash
# Proves what ./course docs says: its help, wrong options, where the pages are, and which browser opens
# them, with stand-ins for the build and for the programs that open a file. Called by CTest with the
# source folder.
# shellcheck disable=SC2016  # texts for other shells
source_folder="$1"
folder="$(mktemp -d)" || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/build/release"
echo "docs: 12 files, 3.4 MB, 5 entries to search, 0 faults" >"$folder/build/release/build.log"
echo "Linux version 6.1" >"$folder/linux"
echo "Linux version 6.1-microsoft-standard-WSL2" >"$folder/wsl"
page="$folder/build/release/docs/html/index.html"
failed=0

expect() {  # expect CODE TEXT
  if [ "$code" -ne "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
    echo "expected exit code $1 and '$2', got $code and: $output"
    failed=1
  fi
}
stand_in() {  # stand_in NAME SHELL-TEXT
  printf '#!/bin/sh\necho "%s got $*"\n%s\n' "$1" "$2" >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}
docs() {  # docs OPTION...: in a course whose build does what $BUILD says, with the programs of bin only
  output="$(cd "$folder" && BUILD="${BUILD:-true}" root="$folder" bash -c '. "$0/tools/shell/docs.sh"
    set_up() { echo "set up $1"; }
    build_in() { echo "build $*"; $BUILD; }
    PATH="$PWD/bin" write_docs "$@"' "$source_folder" "$@" 2>&1 </dev/null)"
  code=$?
}
for tool in sed grep cat hostname; do ln -s "$(command -v "$tool")" "$folder/bin/$tool"; done
unset DISPLAY WAYLAND_DISPLAY
export PROC_VERSION="$folder/linux"

echo "help and wrong options"
output="$("$source_folder/course" docs --help 2>&1)" code=$?
expect 0 "Example: ./course docs --open"
output="$("$source_folder/course" docs --opn 2>&1)" code=$?
expect 2 "docs: unknown option --opn: type  ./course docs  or  ./course docs --open"

echo "a warning of Doxygen ends the build in CI alone"
stand_in doxygen 'echo "common/a.h:1: warning: odd" >"$TD_OUTPUT/warnings.log"'
warned() {  # warned [VARIABLE=VALUE]: Doxygen's part of the build, in a folder with a letter that ASCII lacks
  mkdir -p "$folder/ü b/docs"
  cp "$source_folder"/docs/{Doxyfile,check_warnings.py} "$folder/ü b/docs"
  output="$(env -u CI "$@" PATH="$folder/bin:$PATH" PYTHONPATH="$source_folder/docs" /usr/bin/python3 -B -c '
import pathlib, sys, build
root = pathlib.Path(sys.argv[1])
build.doxygen(root, root)' "$folder/ü b" 2>&1)"
  code=$?
}
if /usr/bin/python3 -c 'import markdown_it, pygments' 2>/dev/null; then
  warned
  expect 0 "common/a.h:1: warning: odd"
  warned CI=1
  expect 1 "common/a.h:1: warning: odd"
fi
rm "$folder/bin/doxygen"

echo "what is written, and where"
docs
expect 0 "set up docs"
expect 0 "build release docs"
expect 0 "docs: 12 files, 3.4 MB"
expect 0 ": $page"
BUILD=false docs
expect 1 "build release docs"

echo "no browser: the address, and how to see the pages from elsewhere"
docs --open
expect 1 "docs: no browser can be opened from here."
expect 1 "python3 -m http.server --directory build/release/docs/html 8000"

echo "a display: xdg-open; without one it would start nothing"
stand_in xdg-open 'echo "$*" >"${0%/*}/opened"'
docs --open
expect 1 "no browser can be opened"
DISPLAY=:0 docs --open
output="$(cat "$folder/bin/opened")"
expect 0 "$page"
stand_in xdg-open 'exit 3'
DISPLAY=:0 docs --open
expect 1 "xdg-open could not open $page"

echo "WSL: Windows's browser, which is given a path of Windows"
export PROC_VERSION="$folder/wsl"
stand_in wslpath ''
stand_in explorer.exe 'exit 1'
docs --open
expect 0 "explorer.exe got wslpath got -w $page"
exit $failed
