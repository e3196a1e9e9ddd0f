#!/bin/bash
# `./course doctor`: what this machine has, what that means for the course, and what to do. Run by ./course
# before anything is installed or built, so it needs only bash and coreutils.
# Invariant: it changes nothing; files are read below $DOCTOR_ROOT, which tests set to a made-up machine.
set -u
root="$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")"
# shellcheck disable=SC2034  # before every path of a file that is not the course's
machine="${DOCTOR_ROOT:-}"
for part in help setup toolkit doctor_system doctor_resources doctor_libraries doctor_cuda doctor_toolkit doctor_summary; do
  # shellcheck source=/dev/null
  . "$root/tools/shell/$part.sh" || exit 1
done

# One entry per finding. A step in `steps` is a sentence, or a command after "$ "; steps are lines.
sections=() levels=() ids=() founds=() meanings=() steps=()
section=""

finding() {  # finding LEVEL ID FOUND [MEANING [STEP...]]: level is ok, note, warning or error
  sections+=("$section") levels+=("$1") ids+=("$2") founds+=("$3") meanings+=("${4:-}")
  shift "$(($# < 4 ? $# : 4))"
  local IFS=$'\n'
  steps+=("$*")
}

has_finding() {  # has_finding ID
  local id
  for id in "${ids[@]}"; do [ "$id" = "$1" ] && return; done
  return 1
}

count_of() {  # count_of LEVEL
  local level count=0
  for level in "${levels[@]}"; do [ "$level" = "$1" ] && count=$((count + 1)); done
  echo "$count"
}

say_doctor_help() {
  show_help <<'END_OF_HELP'
./course doctor [--json]

Says what this machine has, what the course skips here and why, and what to do about it. It installs nothing and changes nothing.

  --json|one object: course_runs, devices, findings (id, level, found, meaning, do), chapters

A finding is ok, a note (nothing to do), a warning (something is skipped or slow) or an error (the course does not run). The exit code is 0 if the course runs, and 1 if something that it needs is missing.

Example: ./course doctor --json | python3 -m json.tool
END_OF_HELP
}

examine() {  # Fills the findings.
  section=system
  examine_system
  section=tools
  examine_tools
  section=libraries
  examine_libraries
  section=resources
  examine_resources
  examine_folder
  section="GPU and CUDA"
  examine_gpu
  examine_toolkit
  section=XLA
  examine_xla
}

# The terminal. Only ASCII is written, so its character set does not matter.
width=80 colors=false
ask_terminal() {
  ask_columns && width="$REPLY"
  # Longer lines are hard to read; shorter ones have no room for a word.
  [ "$width" -le 100 ] || width=100
  [ "$width" -ge 30 ] || width=30
  if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then colors=true; fi
}

write() {  # write FIRST-INDENT INDENT END-OF-BROKEN-LINE TEXT: in lines of at most $width
  local line="$1" indent="$2" broken="$3" word empty=true
  local -a words
  read -r -a words <<<"$4"
  for word in "${words[@]}"; do
    if ! $empty && [ $((${#line} + 1 + ${#word} + ${#broken})) -gt "$width" ]; then
      printf '%s\n' "$line$broken"
      line="$indent" empty=true
    fi
    if $empty; then line+="$word" empty=false; else line+=" $word"; fi
  done
  printf '%s\n' "$line"
}

painted() {  # painted LEVEL: padded, and in its color on a terminal
  local color=32
  case "$1" in note) color=36 ;; warning) color=33 ;; error) color=31 ;; esac
  if $colors; then printf '  \033[%sm%-7s\033[0m  ' "$color" "$1"; else printf '  %-7s  ' "$1"; fi
}

write_finding() {  # write_finding INDEX
  local step first indent="           "
  # Laid out as plain text, because the bytes of a color have no width.
  first="$(write "$indent" "$indent" "" "${founds[$1]}")"
  printf '%s%s\n' "$(painted "${levels[$1]}")" "${first#"$indent"}"
  [ "${levels[$1]}" = ok ] && return
  [ -z "${meanings[$1]}" ] || write "$indent" "$indent" "" "${meanings[$1]}"
  while IFS= read -r step; do
    case "$step" in
      "") ;;
      # A broken command still works when it is copied.
      '$ '*) write "$indent  " "$indent    " " \\" "${step#'$ '}" ;;
      *) write "$indent" "$indent" "" "$step" ;;
    esac
  done <<<"${steps[$1]}"
}

write_report() {
  local i shown=""
  for i in "${!ids[@]}"; do
    if [ "${sections[$i]}" != "$shown" ]; then
      [ -z "$shown" ] || echo
      shown="${sections[$i]}"
      echo "$shown"
    fi
    write_finding "$i"
  done
  echo
  write_summary
}

# Both leave their result in REPLY: one process per text would take most of the time.
quote() {  # quote TEXT: as a JSON string; other control characters become "?"
  local text="$1"
  text="${text//\\/\\\\}" text="${text//\"/\\\"}" text="${text//$'\n'/\\n}" text="${text//$'\t'/\\t}"
  REPLY="\"${text//[[:cntrl:]]/?}\""
}

quote_lines() {  # quote_lines TEXT: as a JSON list of its lines
  local line list=""
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    quote "${line#'$ '}"
    list+="${list:+, }$REPLY"
  done <<<"$1"
  REPLY="[$list]"
}

write_json() {
  local i separator=""
  printf '{\n  "course_runs": %s,\n' "$(course_runs && echo true || echo false)"
  quote_lines "$(devices_here)"
  printf '  "devices": %s,\n' "$REPLY"
  printf '  "findings": ['
  for i in "${!ids[@]}"; do
    printf '%s\n    {"id": "%s", "level": "%s"' "$separator" "${ids[$i]}" "${levels[$i]}"
    quote "${founds[$i]}" && printf ', "found": %s' "$REPLY"
    quote "${meanings[$i]}" && printf ',\n     "meaning": %s' "$REPLY"
    quote_lines "${steps[$i]}" && printf ',\n     "do": %s}' "$REPLY"
    separator=","
  done
  printf '\n  ],\n'
  write_json_chapters
  printf '}\n'
}

doctor() {  # doctor OPTION...
  local json=false option
  for option; do
    case "$option" in
      -h | --help) say_doctor_help && return ;;
      --json) json=true ;;
      *)
        echo "doctor: unknown option $option: type  ./course doctor --help" >&2
        return 2
        ;;
    esac
  done
  cd "$root" || return 1
  add_toolkit_to_path "$root" "${DOCTOR_ROOT:-}"
  ask_terminal
  examine
  if $json; then write_json; else write_report; fi
  course_runs
}

doctor "$@"
