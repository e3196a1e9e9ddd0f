#!/bin/bash
# `./course test` tests whether the course works on this machine: the CMake target here_tests, and the CTest entries
# with the label `here`. `--all` tests the course itself, as CI does. Sourced by ./course.
# Invariant: the last line sums every check that ran, and a check that could not run is a failure in --all if
# the machine should have what it needs.
passed=0 failed=0 skipped=0

add_results() {  # add_results PASSED FAILED SKIPPED
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

check() {  # check WHAT COMMAND...: one line, one result
  local what="$1" output
  shift
  if output="$("$@" 2>&1 </dev/null)"; then
    add_results 1 0 0
    echo "pass: $what"
  else
    add_results 0 1 0
    echo "fail: $what"
    echo "$output" | tail -40
  fi
}

run_tests() {  # run_tests PRESET [CTEST-OPTION...]
  local preset="$1" folder="build/$1" counts
  shift
  # Test programs run side by side: threads that spin while they wait would take each other's cores.
  # One more than there are cores, because many of them mostly wait.
  with_progress testing "$folder/test.log" 4000 env OMP_WAIT_POLICY=passive \
    ctest --test-dir "$folder" --parallel "$(($(nproc) + 1))" --no-tests=error --output-junit results.xml \
    --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@"
  local status=$?
  # Failures are printed on the screen, the three numbers are returned to the caller.
  {
    counts="$(python3 tools/count_results.py "$folder/results.xml" 2>&3)" || counts="0 1 0"
  } 3>&1
  # shellcheck disable=SC2086
  set -- $counts
  # CTest itself failed, not a test: there were no tests, or it could not run.
  [ $status -eq 0 ] || [ "$2" -gt 0 ] || set -- "$1" 1 "$3"
  add_results "$@"
  echo "$preset: $1 passed, $2 failed, $3 skipped"
}

# PRESET="NEXT-PRESET TARGET...": the next build begins while the tests of this one run, because many of them mostly wait.
declare -A ahead=()

# Takes what other programs leave of the cores. The build itself continues where this one was ended, and says its errors.
build_ahead() {  # build_ahead [PRESET TARGET...]
  [ $# -gt 0 ] || return 0
  configure "$1" && lock_build "$1" && exec nice -n 19 ninja -j "$(nproc)" -C "build/$1" "${@:2}"
}

# What happens in a build whose tests are programs alone: the programs decide it, what they read, and the machine.
state_of_tests() {  # state_of_tests PRESET
  {
    find "build/$1" -type f -perm -u+x -print0
    find common tests solutions tools/shell -type f ! -name '*.pyc' -print0
  } | LC_ALL=C sort -z | xargs -0 sha256sum | cat - <(dpkg-query --show 2>&1) <(grep 'model name' /proc/cpuinfo) | sha256sum
}

# Tests that have passed do not run again while all that decides what happens is the same.
once() {  # once RUN-TESTS PRESET [OPTION...]
  local record="${XDG_CACHE_HOME:-$HOME/.cache}/todevice/passed/$2" state known when counts
  local sums=("$passed" "$failed" "$skipped")
  state="$(state_of_tests "$2")"
  if { read -r known && read -r when counts; } 2>/dev/null <"$record" && [ "$known" = "$state" ]; then
    # shellcheck disable=SC2086
    add_results $counts
    echo "$2: nothing has changed since all tests passed on $when; delete $record and they run again"
    return
  fi
  rm -f "$record"
  "$@"
  [ "$failed" -eq "${sums[1]}" ] || return
  mkdir -p "${record%/*}"
  printf '%s\n' "$state" "$(date +%F) $((passed - sums[0])) 0 $((skipped - sums[2]))" >"$record"
}

build_and_test() {  # build_and_test "RUN-TESTS..." PRESET "TARGET..." [CTEST-OPTION...]
  local run preset="$2" targets start=$SECONDS built next
  read -r -a run <<<"$1"
  read -r -a targets <<<"$3"
  shift 3
  echo "$preset: building"
  if ! build_in "$preset" "${targets[@]}"; then
    add_results 0 1 0
    echo "$preset: not built, so its tests did not run"
    return
  fi
  built=$SECONDS
  # shellcheck disable=SC2086
  build_ahead ${ahead[$preset]:-} >/dev/null 2>&1 </dev/null &
  next=$!
  "${run[@]}" "$preset" "$@"
  kill "$next" 2>/dev/null
  wait "$next" 2>/dev/null
  echo "$preset: built in $((built - start)) s, tested in $((SECONDS - built)) s"
}

has_cuda() { [ "$(cuda_choice)" = compiled ]; }

fuzz() {  # fuzz SECONDS: every parser gets generated input
  local start=$SECONDS log=build/fuzz.log counts
  mkdir -p build
  # The same inputs in every run, so that a change does not fail by chance. Long runs use new ones.
  FUZZ_SEED=1 tools/fuzz.sh "$1" 2>&1 | tee "$log"
  counts="$(sed -n '$s/ \(passed\|failed\|skipped\),\?//gp' "$log")"
  # shellcheck disable=SC2086
  add_results ${counts:-0 1 0}
  echo "fuzz: $((SECONDS - start)) s"
}

fetch_safetensors() {  # Python's own reader and writer of checkpoints, which a test compares ours with
  python3 -m pip --disable-pip-version-check install --quiet --only-binary :all: --upgrade \
    --target build/python safetensors==0.4.5 numpy==1.26.4
}

# The parts of `--all`. Each begins with what CI's machine must have: a missing program is a failure here, never a skip.
test_release() {
  check "nvcc is here" nvcc --version
  check "gloo is here" test -f /usr/include/gloo/allreduce.h
  check "libtorch is here" test -f /usr/include/torch/csrc/api/include/torch/torch.h
  check "hosts can be made of namespaces" unshare -Urnm ip link add cable0 type veth peer name cable1
  check "OpenMPI's mpirun is here" mpirun --version
  check "redis is here" redis-server --version
  check "torchrun is here" torchrun --help
  check "Python's safetensors is here" fetch_safetensors
  check "XLA's plugin is here" fetch_plugin
  check "the code is laid out by clang-format" tools/check_format.sh
  name_plugin
  # The learner's build leaves CUDA out where there is no GPU. From here on this directory has it.
  if ! has_cuda && command -v nvcc >/dev/null; then configure release -DTD_CUDA=ON; fi
  # The promises judge the solutions, too.
  build_and_test run_tests release "all benchmarks" --exclude-regex '^solutions_ch'
  check "CUDA was compiled" has_cuda
}

run_asan_tests() {  # run_asan_tests PRESET [CTEST-OPTION...]
  run_tests "$@"
  fuzz 5
}

asan_targets="core_tests checkers fuzzers"
test_asan() {
  check "clang's libFuzzer is here" test -f "$(clang++ -print-file-name=libclang_rt.fuzzer-x86_64.a)"
  check "clang's OpenMP is here" clang++ -fopenmp -shared -x c++ /dev/null -o /dev/null
  build_and_test "once run_asan_tests" asan "$asan_targets" -L 'common|solutions|cuda_stand_in'
}

test_tsan() {
  build_and_test "once run_tests" tsan threaded_tests -L threaded
}

strict_docs() { CI=1 build_in release docs; }  # a reader gets pages also where Doxygen warns

test_docs() {
  local start=$SECONDS
  check "Chromium is here" chromium --version
  check "the documentation builds without a warning or a dead link" strict_docs
  # Debian's Python, as in docs/CMakeLists.txt.
  check "its pages are readable on a phone and on a desk" /usr/bin/python3 -B docs/check_pages.py build/release/docs/html
  echo "docs: $((SECONDS - start)) s"
}

test_all() {
  ahead=([release]="asan $asan_targets" [asan]="tsan threaded_tests")
  test_release
  test_asan
  test_tsan
  test_docs
}

test_here() { build_and_test run_tests release here_tests -L '^here$'; }

say_more() {  # What `./course test` left out
  local missing
  missing="$(missing_packages base faster | tr '\n' ' ')"
  echo "more: ./course test --all tests the course itself, as CI does${missing:+; some tests need these packages: ${missing% }}"
}

say_test_help() {
  show_help <<'END'
./course test [--all [release|asan|tsan|docs]]

Tests whether the course works on this machine: the solutions, the programs, and the core. Your exercises are not read.

  --all|tests the course itself, as CI does: all tests, then with sanitizers, and the documentation
  --all PART|a part of that: release, asan, tsan or docs

Example: ./course test
END
}

test_course() {  # test_course [--all [PART]]
  local start=$SECONDS
  case "${*:-here}" in
    here) set_up base && test_here ;;
    --all) set_up all && test_all ;;
    "--all release" | "--all asan" | "--all tsan" | "--all docs") set_up all && "test_$2" ;;
    -h | --help)
      say_test_help
      return 0
      ;;
    *)
      echo "test: cannot test \"$*\": type  ./course test  or  ./course test --all  or  ./course test --help" >&2
      return 2
      ;;
  esac || add_results 0 1 0
  echo "time: $((SECONDS - start)) s"
  say_cuda
  [ $# -gt 0 ] || say_more
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
