#!/bin/bash
# The help of ./course and its commands. Sourced by ./course.
# Invariant: no line is longer than the terminal, and nothing is built to print it.

ask_columns() {  # Into REPLY: columns of the terminal, or COLUMNS, or 80; at least 20
  local size
  REPLY=80
  # Within $( ) the output is a pipe, so the terminal is passed as another descriptor.
  if [ -t 1 ] && { size="$(stty size <&3 2>/dev/null)"; } 3>&1 && [ "${size#* }" -gt 0 ]; then
    REPLY="${size#* }"
  elif [[ "${COLUMNS:-}" =~ ^[1-9][0-9]*$ ]]; then
    REPLY="$COLUMNS"
  fi
  [ "$REPLY" -ge 20 ] || REPLY=20
}

usage_line() {  # usage_line WIDTH COMMAND TEXT: in two columns, or below each other where there is little room
  if [ "$1" -ge $((29 + ${#3})) ]; then
    printf '  %-26s %s\n' "$2" "$3"
  else
    printf '  %s\n' "$2"
    fold -s -w "$(($1 - 6))" <<<"$3" | sed -e 's/ *$//' -e 's/^/      /'
  fi
}

usage() {
  local width
  ask_columns && width="$REPLY"
  fold -s -w "$width" <<<"todevice: what happens behind .to(device)" | sed 's/ *$//'
  printf '\nUsage: ./course COMMAND\n'
  fold -s -w "$width" <<<"To begin: read chapters/01_device_check/README.md, then type ./course check" | sed 's/ *$//'
  printf '\nLearn\n'
  usage_line "$width" "list [N]" "how far you are; a chapter's exercises"
  usage_line "$width" "run N [OPTIONS]" "run chapter N on the best device there is"
  usage_line "$width" "launch -n 2 6" "run chapter 6 as 2 ranks that train together"
  usage_line "$width" "check [N[.NAME]]" "judge your exercises"
  usage_line "$width" "watch [N[.NAME]]" "judge them whenever you save"
  usage_line "$width" "debug [N.NAME]" "gdb in your code, in the test that fails"
  usage_line "$width" "hint [N.NAME]" "a hint, from a nudge to nearly the answer"
  usage_line "$width" "solution N.NAME" "compare your file with the solution"
  usage_line "$width" "reset N.NAME" "bring the original file back; yours is kept"
  usage_line "$width" "docs [--open]" "the lessons as pages"
  usage_line "$width" "cuda FILE.cu" "run your own CUDA program, also without a GPU"
  printf '\nMeasure\n'
  usage_line "$width" "time" "time the CPU against one and several devices"
  printf '\nLook after\n'
  usage_line "$width" "doctor" "what this machine has, and what it lacks"
  usage_line "$width" "setup" "install what is missing, and build the tool"
  usage_line "$width" "test [--all]" "test whether the course works on this machine"
  usage_line "$width" "data" "draw the training images"
  printf '\nWrite exercises\n'
  usage_line "$width" "new-exercise N.NAME" "write the files of a new exercise"
  usage_line "$width" "prove [N[.NAME]]" "prove that solutions pass, wrong answers fail"
  usage_line "$width" "cut --write" "make the stubs from the solutions"
  printf '\nExample: ./course run 4\n'
  fold -s -w "$width" <<<"./course COMMAND --help tells more about a command." | sed 's/ *$//'
}

show_help() {  # Reads a help text: a paragraph is one line, an option is  "  --name|what it does"
  local width line
  ask_columns && width="$REPLY"
  while IFS= read -r line; do
    case "$line" in
      "  "*"|"*) line="${line#  }" && usage_line "$width" "${line%%|*}" "${line#*|}" ;;
      *) fold -s -w "$width" <<<"$line" | sed 's/ *$//' ;;
    esac
  done
}

is_command() {  # is_command WORD: whether usage lists it
  usage | awk -v word="$1" '/^  [a-z]/ && $1 == word { found = 1 } END { exit !found }'
}

refuse_command() {  # refuse_command WORD: a typing error causes no build
  local tool=build/release/tools/course/course-tool
  # The tool knows which command is nearest; without it, all of them are shown. It gets the word alone:
  # a --help after it would print another help.
  if [ -x "$tool" ]; then exec "$tool" "$1"; fi
  echo "There is no command \"$1\". These are the commands:" >&2
  usage >&2
  return 2
}
