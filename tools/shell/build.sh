#!/bin/bash
# Configures and builds quietly, with progress in plain lines. Sourced by ./course.
# Invariant: everything the compilers say is in build/<preset>/build.log, and what matters of a
# failure is on the screen.

configure() {  # configure PRESET [-DOPTION=VALUE...]
  local preset="$1" folder="build/$1"
  shift
  # After the first time the build itself notices what asks for a new configuration.
  if [ -f "$folder/build.ninja" ] && [ $# -eq 0 ]; then return 0; fi
  mkdir -p "$folder"
  echo "build: configuring $preset"
  if ! cmake --preset "$preset" "$@" >"$folder/configure.log" 2>&1; then
    grep -A 12 'CMake Error' "$folder/configure.log" | head -40
    echo "build: configuring failed; all of it: $folder/configure.log"
    return 1
  fi
}

say_progress() {  # say_progress LOG: a line every 15 s until it is ended
  local never steps
  # Waiting on a pipe that stays empty sleeps without a process that could be left behind.
  exec {never}<> <(:)
  while true; do
    read -r -t 15 -u "$never"
    steps="$(grep -o '^\[[0-9]*/[0-9]*\]' "$1" | tail -1)"
    echo "build: ${steps:-starting}"
  done
}

show_failure() {  # show_failure LOG
  # The first failed step is the cause; the rest is noise.
  sed -n '/^FAILED/,/^\[[0-9]*\/[0-9]*\]/p' "$1" | grep -v -e '^/.*c++ ' -e '^/.*nvcc ' -e '^: &&' |
    cut -c 1-300 | head -40
}

build_in() {  # build_in PRESET TARGET...
  local preset="$1" folder="build/$1"
  shift
  configure "$preset" || return 1
  say_progress "$folder/build.log" &
  local reporter=$! status
  # The build is in the foreground so that Ctrl-C ends it; the reporter is ended with this shell.
  trap 'kill '"$reporter"' 2>/dev/null' EXIT
  cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@" >"$folder/build.log" 2>&1 \
    </dev/null
  status=$?
  kill "$reporter" && wait "$reporter" 2>/dev/null
  trap - EXIT
  if [ $status -ne 0 ]; then
    show_failure "$folder/build.log"
    echo "build: failed; all of it: $folder/build.log"
  fi
  return $status
}

build_targets() { build_in release "$@"; }  # build_targets TARGET...

say_cuda() {  # One line: was CUDA built, and can it run here?
  if ! grep -q '^CMAKE_CUDA_COMPILER:.*nvcc' build/release/CMakeCache.txt 2>/dev/null; then
    echo "CUDA: not built, because there is no nvcc here; the course runs on cpu and sim"
  elif ! nvidia-smi -L >/dev/null 2>&1; then
    echo "CUDA: compiled, not run, because there is no GPU here; the course runs on cpu and sim"
  else
    echo "CUDA: compiled and run on $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
  fi
}
