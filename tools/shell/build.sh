#!/bin/bash
# Configures and builds quietly, with progress in plain lines. Sourced by ./course.
# Invariants: all output of the compilers is in build/<preset>/build.log, and the important part of a failure is
# on the screen; everything printed here goes to stderr, because stdout is the command's own.

has_gpu() { [ -e /dev/nvidia0 ] || nvidia-smi -L >/dev/null 2>&1; }

cuda_choice() {  # What CMake decided for build/release: compiled, off, no GPU or no nvcc (cmake/Cuda.cmake)
  sed -n 's/^TD_CUDA_CHOICE:INTERNAL=//p' build/release/CMakeCache.txt 2>/dev/null
}

# A build directory keeps what it was configured with, except that CUDA is added where the machine has
# got a GPU or nvcc since then. It is never taken away: that would compile half of the library again.
lacks_cuda_of_now() {  # lacks_cuda_of_now PRESET
  [ "$1" = release ] || return 1
  case "$(cuda_choice)" in "no GPU" | "no nvcc") ;; *) return 1 ;; esac
  command -v nvcc >/dev/null && has_gpu
}

configure() {  # configure PRESET [-DOPTION=VALUE...]
  local preset="$1" folder="build/$1"
  shift
  # After the first time the build itself notices changes that require a new configuration.
  if [ -f "$folder/build.ninja" ] && [ $# -eq 0 ] && ! lacks_cuda_of_now "$preset"; then return 0; fi
  mkdir -p "$folder"
  echo "build: configuring $preset" >&2
  if ! cmake --preset "$preset" "$@" >"$folder/configure.log" 2>&1; then
    grep -A 12 'CMake Error' "$folder/configure.log" | head -40 >&2
    echo "build: configuring failed; all of it: $folder/configure.log" >&2
    return 1
  fi
  if [ "$preset" = release ]; then say_cuda >&2; fi
}

say_progress() {  # say_progress LOG: a line every 15 s until it is ended
  local never steps
  # Reading an empty pipe with a timeout sleeps without a process that could be left running.
  exec {never}<> <(:)
  while true; do
    read -r -t 15 -u "$never"
    steps="$(grep -o '^\[[0-9]*/[0-9]*\]' "$1" | tail -1)"
    echo "building${steps:+ $steps}" >&2
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
    show_failure "$folder/build.log" >&2
    echo "build: failed; all of it: $folder/build.log" >&2
  fi
  return $status
}

build_targets() { build_in release "$@"; }  # build_targets TARGET...

say_cuda() {  # One line: is CUDA compiled, and can it run here?
  local without="the course runs on cpu and sim"
  case "$(cuda_choice)" in
    compiled)
      if has_gpu; then
        echo "CUDA: compiled, for $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
      else
        echo "CUDA: compiled, not run, because there is no GPU here; $without"
      fi
      ;;
    off) echo "CUDA: not compiled, because TD_CUDA is OFF; $without" ;;
    *)
      if ! command -v nvcc >/dev/null; then
        echo "CUDA: not compiled, because there is no nvcc here; $without"
      else
        echo "CUDA: not compiled, because there is no GPU here; $without (./course test --all compiles it)"
      fi
      ;;
  esac
}
