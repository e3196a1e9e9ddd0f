# Completes the commands, chapters and exercises of ./course where you press Tab. Type, or add to ~/.bashrc or ~/.zshrc:
#   source tools/shell/completion.bash
# shellcheck shell=bash
if [ -n "${ZSH_VERSION:-}" ]; then
  autoload -Uz compinit bashcompinit && compinit && bashcompinit
fi

_todevice_chapters() {  # _todevice_chapters ROOT
  sed -nE 's/^number = ([0-9]+)$/\1/p' "$1/chapters/course.toml"
}

_todevice_exercises() {  # _todevice_exercises ROOT: 5.scatter and so on
  awk '$1 == "number" { number = $3 } $1 == "name" { gsub(/"/, "", $3); print number "." $3 }' "$1/chapters/course.toml"
}

_todevice_course() {
  local tool="${COMP_WORDS[0]/#\~/$HOME}" begun="${COMP_WORDS[COMP_CWORD]}" root words="" word
  root="$(dirname "$(readlink -f "$tool")")"
  [ -f "$root/chapters/course.toml" ] || return 0
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$("$tool" --help | awk '/^  [a-z]/ { print $1 }')"
  else
    case "${COMP_WORDS[1]}" in
      check | watch | prove) words="$(_todevice_chapters "$root") $(_todevice_exercises "$root")" ;;
      debug | hint | solution | reset) words="$(_todevice_exercises "$root")" ;;
      run | launch | list) words="$(_todevice_chapters "$root")" ;;
      cuda) words="--check --profile --json --pictures --gpu --cpu" ;;
      help) words="$("$tool" --help | awk '/^  [a-z]/ { print $1 }')" ;;
    esac
  fi
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$begun")
}

# With files, too: an exercise also goes by its path.
complete -o default -F _todevice_course course
