#!/bin/bash
# Names the C++ files that are not laid out as .clang-format asks. Called by `./course test --all`;
# `tools/check_format.sh --fix` formats them. Only files that git knows or would add are read.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

files() {
  local list=(git ls-files -z --cached --others --exclude-standard --)
  # Learners may format the exercises in chapters/ as they like; their originals are in solutions/.
  "${list[@]}" '*.cpp' '*.cu' '*.h' ':!chapters/'
  "${list[@]}" 'chapters/*/main.cpp' 'chapters/*/programs/*.cpp' 'chapters/*/programs/*.cu' 'chapters/*/*.h' 'chapters/*/given/*'
}

if [ "${1:-}" = --fix ]; then
  files | xargs -0 -r clang-format -i
  exit
fi
command -v clang-format >/dev/null || { echo "there is no clang-format (package clang-format)"; exit 1; }
faults="$(files | xargs -0 -r clang-format --dry-run 2>&1)"
[ -z "$faults" ] && exit
grep -o '^[^ ]*:[0-9]*:[0-9]*: [we][a-z]*: code should be' <<<"$faults" | cut -d: -f1 | sort | uniq -c |
  awk '{ print $2 ": " $1 " places; lay it out with  tools/check_format.sh --fix" }'
exit 1
