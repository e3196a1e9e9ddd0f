#!/bin/bash
# Proves the CUDA half of the course on a machine with a GPU; CI has none and only compiles it.
#   tools/gpu_check.sh pack DIR    on Debian: copies the header packages that a bare machine lacks
#   tools/gpu_check.sh [run [DIR]] there: builds, runs all tests and chapters on cuda, looks for
#                                  wrong memory accesses with compute-sanitizer
# TD_GPU_BUILD names the build folder (build/gpu), TD_GPU_SECONDS the limit of one sanitizer run.
# Needs CMake 3.25, Ninja, g++ and nvcc 13 on PATH, and no network.
set -u
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 1
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
build="${TD_GPU_BUILD:-build/gpu}"
passed=0 failed=0 skipped=0

pack() {  # pack DIR: the packages' files under their own paths, so that DIR/usr is a CMake prefix
  local file
  mkdir -p "$1" || return 1
  for file in $(dpkg -L catch2 libcli11-dev libtomlplusplus-dev libtomlplusplus3 nlohmann-json3-dev |
                grep -E '^/usr/(include|lib|share/cmake)/'); do
    if [ -f "$file" ]; then cp --parents -P "$file" "$1"; fi
  done
  du -sh "$1"
}

step() {  # step NAME COMMAND...: runs it, keeps its output, counts the result
  local name="$1" log="$build/check/$1.log" start=$SECONDS status
  shift
  "$@" >"$log" 2>&1
  status=$?
  case $status in
    0) passed=$((passed + 1)) && echo "pass     $name ($((SECONDS - start)) s)" ;;
    77) skipped=$((skipped + 1)) && echo "skipped  $name: $(tail -1 "$log")" ;;
    *)
      failed=$((failed + 1))
      echo "fail     $name (exit code $status, $((SECONDS - start)) s); all of it: $log"
      tail -30 "$log"
      ;;
  esac
  return $status
}

sanitize() {  # sanitize TOOL PROGRAM ARGUMENT...
  local tool="$1"
  shift
  timeout "${TD_GPU_SECONDS:-300}" compute-sanitizer --tool "$tool" --error-exitcode 1 "$@"
}

run() {  # run [DIR]
  local prefix=() program name
  if ! nvidia-smi -L 2>/dev/null; then
    echo "There is no GPU here. ./course test compiles the CUDA half on any machine."
    exit 2
  fi
  if [ $# -gt 0 ]; then
    prefix=("-DCMAKE_PREFIX_PATH=$(readlink -f "$1")/usr")
    # The tool and the tests include these packages' headers without asking CMake for them.
    export CPLUS_INCLUDE_PATH="$(readlink -f "$1")/usr/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}"
  fi
  export LD_LIBRARY_PATH="${1:+$(readlink -f "$1")/usr/lib/x86_64-linux-gnu:}${LD_LIBRARY_PATH:-}"
  mkdir -p "$build/check"
  step configure cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTD_CUDA=ON \
    "${prefix[@]}" || exit 1
  step build cmake --build "$build" --parallel "$(nproc)" || exit 1
  step tests ctest --test-dir "$build" --output-on-failure --parallel 4
  for program in "$build"/chapters/ch??_*; do
    if [ -x "$program" ]; then step "$(basename "$program")" "$program" --device cuda:0; fi
  done
  if ! command -v compute-sanitizer >/dev/null; then
    echo "skipped  compute-sanitizer: not on PATH" && skipped=$((skipped + 1))
  else
    for name in cuda_gpu ops nn; do
      program="$(find "$build/tests" -maxdepth 1 -name "test_$name")"
      [ -n "$program" ] && step "memcheck_$name" sanitize memcheck "$program"
    done
    program="$(find "$build/tests" -maxdepth 1 -name test_ops)"
    [ -n "$program" ] && step racecheck_ops sanitize racecheck "$program"
  fi
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

case "${1:-run}" in
  pack) pack "${2:?name the folder: tools/gpu_check.sh pack DIR}" ;;
  run) shift; run "$@" ;;
  *) sed -n '2,7p' "$0"; exit 2 ;;
esac
