#!/bin/bash
# Configures and builds quietly, with progress in plain lines. Sourced by ./course.
# Invariants: all output of the compilers is in build/<preset>/build.log, and the important part of a failure is
# on the screen; everything printed here goes to stderr, because stdout is the command's own; one command at a
# time changes a build directory.

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

# Two builds of one directory at once would break each other's files. tools/course/build_lock.cpp locks the same file.
lock_build() {  # lock_build PRESET: until unlock_build
  mkdir -p "build/$1" && exec {build_lock}>"build/$1/.lock" || return 1
  flock --nonblock "$build_lock" 2>/dev/null
  # Another code than 1: this system has no flock, and builds without it.
  [ $? -eq 1 ] || return 0
  echo "another command builds; waiting for it" >&2
  flock "$build_lock"
}
unlock_build() { exec {build_lock}>&-; }

# An interruption, or a file that was deleted, leaves a part.
is_whole() { [ -f "$1/CMakeCache.txt" ] && [ -f "$1/build.ninja" ] && [ -f "$1/CMakeFiles/rules.ninja" ]; }  # is_whole FOLDER

# Packages that were installed since then are used from now on (setup.sh touches its stamps).
is_outdated() {  # is_outdated FOLDER
  local stamp
  for stamp in build/setup.{base,docs,all}; do [ "$stamp" -nt "$1/configure.log" ] && return; done
  return 1
}

configure() {  # configure PRESET [-DOPTION=VALUE...]
  local preset="$1" folder="build/$1" how=(--preset "$1") status
  shift
  # After the first time the build itself notices changes that require a new configuration.
  if is_whole "$folder" && [ $# -eq 0 ] && ! lacks_cuda_of_now "$preset"; then
    is_outdated "$folder" || return 0
    how=("$folder")  # not the preset, which would undo the options that somebody has chosen
  fi
  lock_build "$preset" || return 1
  echo "build: configuring $preset" >&2
  cmake "${how[@]}" "$@" >"$folder/configure.log" 2>&1
  status=$?
  unlock_build
  if [ $status -ne 0 ]; then
    grep -A 12 'CMake Error' "$folder/configure.log" | head -40 >&2
    echo "build: configuring failed; all of it: $folder/configure.log" >&2
    return 1
  fi
  if [ "$preset" = release ]; then say_cuda >&2; fi
}

# PACE is the usual time of a step in ms. It counts as if twenty steps had taken it, so that the first steps do not decide.
say_time_left() {  # say_time_left DONE ALL SECONDS-SO-FAR PACE
  local left=$((($2 - $1) * ($3 * 1000 + 20 * $4) / ($1 + 20) / 1000))
  if [ "$left" -ge 60 ]; then echo "about $(((left + 30) / 60)) min left"; else echo "less than a minute left"; fi
}

say_progress() {  # say_progress WHAT LOG PACE: a line soon if it takes minutes, then one every 15 s, until it is ended
  local never steps left start=$SECONDS wait=2
  # Reading an empty pipe with a timeout sleeps without a process that could be left running.
  exec {never}<> <(:)
  while kill -0 $$ 2>/dev/null; do
    read -r -t $wait -u "$never"
    # Ninja's "[12/345] Building ..." and CTest's " 12/345 Test #1: ..."
    steps="$(sed -nE 's:^( *|\[)([0-9]+)/([0-9]+)(\]| Test ).*:\2 \3:p' "$2" | tail -1)"
    # shellcheck disable=SC2086
    left="${steps:+, $(say_time_left $steps $((SECONDS - start)) "$3")}"
    steps="${steps:+ [${steps/ //}]}"
    if [ $wait -eq 15 ] || [[ $left == *" min "* ]]; then echo "$1$steps$left" >&2; fi
    wait=15
  done
}

with_progress() {  # with_progress WHAT LOG PACE COMMAND...: all output goes to LOG
  local what="$1" log="$2" pace="$3" reporter status
  shift 3
  : >"$log"
  say_progress "$what" "$log" "$pace" &
  reporter=$!
  # The command is in the foreground so that Ctrl-C ends it; the reporter is ended with this shell.
  trap 'kill '"$reporter"' 2>/dev/null' EXIT
  "$@" >"$log" 2>&1 </dev/null
  status=$?
  kill "$reporter" && wait "$reporter" 2>/dev/null
  trap - EXIT
  return $status
}

show_failure() {  # show_failure LOG
  # The first failed step is the cause; the rest is noise.
  sed -n '/^FAILED/,/^\[[0-9]*\/[0-9]*\]/p' "$1" | grep -v -e '^/.*c++ ' -e '^/.*nvcc ' -e '^: &&' |
    cut -c 1-300 | head -40
}

build_in() {  # build_in PRESET TARGET...
  local preset="$1" folder="build/$1" status
  shift
  configure "$preset" && lock_build "$preset" || return 1
  # A step takes a second and a half of one core on average.
  with_progress building "$folder/build.log" $((1500 / $(nproc))) \
    cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@"
  status=$?
  unlock_build
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
