#!/bin/bash
# Proves what ./course does about missing packages, with stand-ins for apt-get, dpkg-query, sudo and id
# that write down how they were called. Called by CTest with the source folder.
source_folder="$1"
folder="$(mktemp -d)" || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/tools"
printf 'base tool-a x\nbase tool-b x\nfaster tool-c x\nall tool-d x\n' >"$folder/tools/packages.debian"
printf 'docs tool-e x\n' >>"$folder/tools/packages.debian"
failed=0
unset CI
# shellcheck disable=SC2016,SC2317  # texts for other shells; functions called by name

stand_in() {  # stand_in NAME SHELL-TEXT
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$folder" "$2" >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}
for tool in c++ cmake ninja; do stand_in "$tool" ""; done

# Runs set_up on the machine that the stand-ins describe; leaves $code, $output and $calls.
on_machine() {  # on_machine base|docs|all
  rm -rf "$folder/build" "$folder/calls"
  output="$(cd "$folder" && PATH="$folder/bin:/usr/bin:/bin" root="$folder" bash -c \
    '. "$0/tools/shell/setup.sh"; set_up "$1"' "$source_folder" "$1" 2>&1 </dev/null)"
  code=$?
  calls="$(cat "$folder/calls" 2>/dev/null)"
}

expect() {  # expect WHAT CONDITION...
  local what="$1"
  shift
  if ! "$@"; then
    printf 'fail: %s\n  exit code %s\n  output: %s\n  calls: %s\n' "$what" "$code" "$output" "$calls"
    failed=1
  fi
}
says() { grep -qF -- "$1" <<<"$output"; }
called() { grep -qE -- "$1" <<<"$calls"; }
not_called() { ! called "$1"; }
exits() { [ "$code" -eq "$1" ]; }
stamped() { [ -f "$folder/build/setup.base" ]; }
not_stamped() { ! stamped; }

echo "everything is there: nothing is installed"
stand_in dpkg-query 'printf installed'
stand_in apt-get ''
stand_in apt-cache ''
stand_in id 'echo 0'
on_machine base
expect "success" exits 0
expect "no install" not_called 'apt-get'
expect "remembered" stamped

echo "two are missing, and we are root: they are installed without a question"
stand_in dpkg-query 'for p; do :; done; case $p in tool-b|tool-c) printf deinstall;; *) printf installed;; esac'
on_machine base
expect "success" exits 0
expect "installs just these" called 'apt-get .*install -y --no-install-recommends tool-b tool-c$'

echo "for all, the third section counts too"
stand_in dpkg-query 'for p; do :; done; case $p in tool-d) exit 1;; *) printf installed;; esac'
on_machine all
expect "installs it" called 'install .* tool-d$'
on_machine base
expect "base does not need it" not_called 'apt-get'

echo "the pages need their own section, and are not written without it"
stand_in dpkg-query 'for p; do :; done; case $p in tool-[de]) exit 1;; *) printf installed;; esac'
on_machine docs
expect "installs it" called 'install -y --no-install-recommends tool-e$'
on_machine all
expect "all has it, too" called 'install .* tool-e tool-d$'
stand_in apt-get 'exit 1'
on_machine docs
expect "failure" exits 1
expect "what to type" says 'sudo apt-get install tool-e'
stand_in apt-get ''

echo "a system that lacks a package: what is only good to have is left out, and not asked for again"
stand_in dpkg-query 'for p; do :; done; case $p in tool-[bc]) exit 1;; *) printf installed;; esac'
stand_in apt-cache 'exit 100'
on_machine base
expect "success" exits 0
expect "installs what the course needs" called 'install -y --no-install-recommends tool-b$'
expect "says so" says 'this system has no package tool-c; going on without'
expect "remembered" stamped
stand_in apt-cache ''

echo "an old CMake is refused in words, before it misunderstands the presets"
stand_in dpkg-query 'printf installed'
stand_in cmake 'echo "cmake version 3.22.1"'
on_machine base
expect "failure" exits 1
expect "why" says 'CMake 3.22 is too old: the course needs 3.25'
stand_in cmake 'echo "cmake version 4.0.1"'
on_machine base
expect "success" exits 0

echo "no root, no terminal: sudo is told not to ask"
stand_in dpkg-query 'for p; do :; done; case $p in tool-b) exit 1;; *) printf installed;; esac'
stand_in id 'echo 1000'
# shellcheck disable=SC2016
stand_in sudo 'shift; exec "$@"'
on_machine base
expect "sudo -n" called '^sudo -n apt-get'

echo "sudo refuses: the words to type, and no success"
stand_in sudo 'echo "sudo: a password is required" >&2; exit 1'
on_machine base
expect "failure" exits 1
expect "what is missing" says 'these Debian packages are missing: tool-b'
expect "what to type" says 'sudo apt-get install tool-b'
expect "sudo's reason" says 'a password is required'
expect "not remembered" not_stamped

echo "only what makes it faster is missing: going on, and looking again next time"
stand_in dpkg-query 'for p; do :; done; case $p in tool-c) exit 1;; *) printf installed;; esac'
on_machine base
expect "success" exits 0
expect "says so" says 'going on without them'
expect "not remembered" not_stamped

echo "the same is missing again: that is said once a day"
again() {  # again: as on_machine base, with the build folder of before
  : >"$folder/calls"
  output="$(cd "$folder" && PATH="$folder/bin:/usr/bin:/bin" root="$folder" bash -c \
    '. "$0/tools/shell/setup.sh"; set_up base' "$source_folder" 2>&1 </dev/null)"
  code=$?
  calls="$(cat "$folder/calls")"
}
silent() { [ -z "$output" ]; }
again
expect "success" exits 0
expect "silence" silent
expect "no install" not_called 'apt-get'
stand_in dpkg-query 'for p; do :; done; case $p in tool-[bc]) exit 1;; *) printf installed;; esac'
again
expect "what the course needs is asked for" says 'these Debian packages are missing: tool-b tool-c'
stand_in dpkg-query 'for p; do :; done; case $p in tool-c) exit 1;; *) printf installed;; esac'
echo "2026-01-01 tool-c" >"$folder/build/setup.said"
again
expect "another day it is said again" says 'going on without them'

echo "build/ belongs to somebody else"
mkdir -p "$folder/build/release"
chmod a-w "$folder/build/release"
chmod a+rx "$folder"
on_foreign() {
  local as=()
  # Root may write everywhere.
  [ "$EUID" -ne 0 ] || as=(setpriv --reuid 65534 --clear-groups)
  output="$(cd "$folder" && PATH="$folder/bin:/usr/bin:/bin" root="$folder" "${as[@]}" bash -c \
    "$(cat "$source_folder/tools/shell/setup.sh")"'; set_up base' 2>&1 </dev/null)"
  code=$?
}
stand_in id 'echo learner'
stand_in stat 'echo root'
on_foreign
expect "failure" exits 1
expect "whose it is" says ' belongs to root, so learner cannot write there.'
expect "what to type" says "  sudo chown -R learner '$folder'"
rm "$folder/bin/stat"

echo "the folder cannot be written"
on_blocked() {
  rm -rf "$folder/build" && touch "$folder/build"
  output="$(cd "$folder" && PATH="$folder/bin:/usr/bin:/bin" root="$folder" bash -c \
    '. "$0/tools/shell/setup.sh"; set_up base' "$source_folder" 2>&1 </dev/null)"
  code=$?
}
on_blocked
expect "failure" exits 1
expect "in words" says 'Clone the course to a folder of your own.'
exit $failed
