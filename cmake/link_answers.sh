#!/bin/bash
# Links the answers to an exercise, which are namespaces of the same objects: link_answers.sh SOLUTION COMMAND...
# The build calls it (cmake/Chapters.cmake). COMMAND would link the library <folder>/<file>. Instead, each namespace gets
# a library <folder>/<namespace>/<file>, in which a name that SOLUTION exports means that of the namespace: a caller
# of add() then calls early_return::add(). The file of COMMAND only says when they were linked.
set -e
solution="$1"
shift

objects=()
for ((i = 1; i <= $#; i++)); do
  case "${!i}" in
    *.o) objects+=("${!i}") ;;
    -o) output=$((i + 1)) ;;
  esac
done
folder="$(dirname "${!output}")" file="$(basename "${!output}")"

symbols() {  # symbols NM-ARGUMENT...: each name as the linker knows it, a tab, and as the source has it
  local names
  names="$(nm --defined-only --extern-only --no-sort "$@" | awk 'NF == 3 { print $3 }' | sort -u)"
  paste <(echo "$names") <(c++filt <<<"$names")
}

aliases="$(awk -F '\t' '
  NR == FNR { exported[$2] = $1; next }
  (at = index($2, "::")) && (substr($2, at + 2) in exported) {
    print substr($2, 1, at - 1), exported[substr($2, at + 2)] "=" $1
  }' <(symbols --dynamic "$solution") <(symbols "${objects[@]}"))"

# An answer that is gone, or defines nothing that the solution exports, must not be judged by an older library.
rm -f "$folder"/*/"$file"
for answer in $(awk '{ print $1 }' <<<"$aliases" | sort -u); do
  mkdir -p "$folder/$answer"
  words=("$@")
  words[output - 1]="$folder/$answer/$file"
  for alias in $(awk -v answer="$answer" '$1 == answer { print $2 }' <<<"$aliases"); do
    words+=("-Wl,--defsym=$alias")
  done
  "${words[@]}"
done
touch "${!output}"
