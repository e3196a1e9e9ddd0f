#!/bin/bash
# What each stage of tools/gpu_check.sh does. Sourced by it; it sets root, build, prefix, dry, state and
# has item, skip and note.
# Invariant: a stage only calls these, so it can be stopped anywhere and resumed.

use_prefix() {  # Lets compilers and programs find what pack has copied.
  [ -n "$prefix" ] || return 0
  # The tool and the tests include these packages' headers without asking CMake for them.
  export CPLUS_INCLUDE_PATH="$prefix/usr/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}"
  export LD_LIBRARY_PATH="$prefix/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

current_commit() {  # A copy of the sources may have no history: TD_GPU_COMMIT tells where it is from.
  local commit
  commit="$(git rev-parse --short HEAD 2>/dev/null)" || { echo "${TD_GPU_COMMIT:-unknown}" && return; }
  git diff --quiet HEAD -- || commit="$commit, changed"
  echo "$commit"
}

checksum_of_sources() {
  find CMakeLists.txt cmake common chapters solutions tests tools -type f -not -name '*.pyc' -print0 |
    sort -z | xargs -0 cksum | cksum | cut -d ' ' -f 1
}

build_targets() {  # build_targets TARGET...: those that this build has; one that fails does not stop others
  local known target present=() way=(-k 0)
  known="$(cmake --build "${build:?}" --target help)"
  for target; do
    if grep -q "^$target: phony" <<<"$known"; then present+=("$target"); else
      skip "$target" "this build has no such target"
    fi
  done
  if ${dry:?}; then way=(-n); fi
  item build 0 cmake --build "$build" --parallel "$(nproc)" --target "${present[@]}" -- "${way[@]}"
}

program() {  # program NAME SECONDS FILE ARGUMENT...: an item, where its file was built
  local file="${3##*/}"
  if [ -x "$3" ]; then item "$@"; elif is_known "$1"; then return; elif [ ${#undone[@]} -gt 0 ]; then
    undone+=("$1")  # its build was interrupted
  elif grep -q "^$file	skipped" "${state:?}"/*.tsv; then
    skip "$1" "this build has no such target"
  elif $dry; then
    skip "$1" "$file is not built here"
  else
    note "$1" failed 0 "$file was not built"
  fi
}

# The areas of tests/common whose tests use cuda, named as in tests/CMakeLists.txt; xla's devices
# are a plugin's, and a stand-in for CUDA needs no GPU.
areas() {
  grep -rlE 'kCUDA|"cuda|devices\(\)' tests/common | xargs -n 1 dirname | grep -v /xla |
    sed -E 's#^.*/cuda/([a-z_]+)$#cuda_\1#; s#^.*/distributed/gloo$#distributed_gloo#; s#^.*/##' |
    grep -vx cuda_stand_in | sort -u
}
chapter_folders() { basename -a chapters/[0-9]*; }

stage_configure() {
  if $dry; then item configure 60 cmake -N -B "$build" && return; fi
  item configure 300 cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTD_CUDA=ON \
    -DTD_WERROR=OFF ${prefix:+"-DCMAKE_PREFIX_PATH=$prefix/usr"}
}

stage_build_core() {
  local targets=(td_all) area
  for area in $(areas); do targets+=("test_$area"); done
  build_targets "${targets[@]}"
}

stage_core_tests() {  # Without a GPU: that they start.
  local area arguments=()
  if $dry; then arguments=("[no test]"); fi
  for area in $(areas); do
    program "test_$area" 150 "$build/tests/test_$area" "${arguments[@]}"
  done
}

stage_chapters() {
  local folder chapter exercise targets=(course-tool)
  for folder in $(chapter_folders); do targets+=("ch$folder" "check_ch${folder:0:2}"); done
  build_targets "${targets[@]}"
  for folder in $(chapter_folders); do
    must_refuse=$dry program "ch$folder" 120 "$build/chapters/ch$folder" --device cuda:0
  done
  for folder in $(chapter_folders); do
    chapter="check_ch${folder:0:2}"
    for exercise in solutions/"$folder"/*.c*; do
      exercise="$(basename "${exercise%.*}")"
      if $dry; then skip "${chapter}_$exercise" "there is no GPU" && continue; fi
      skip_code=4 program "${chapter}_$exercise" 60 "$build/chapters/$chapter" "[$exercise]"
    done
  done
  # The rows of README's table; `tools/seen_running.py write FILE` adds them.
  if $dry; then skip seen_running "there is no GPU" && return; fi
  item seen_running 300 python3 -B tools/seen_running.py run --kinds cuda --build "$build" \
    --out "${out:?}/seen_running.json"
}

# memcheck and initcheck see no border between the blocks of a cached segment; racecheck and
# synccheck check shared memory. Errors that the tests make CUDA report are expected.
sanitizer() {  # sanitizer TOOL AREA [FILE]: the area's tests, or those of one file
  local name="$1_$2${3:+_$3}" command=(compute-sanitizer --tool "$1" --error-exitcode 99)
  case "$1" in
    memcheck) command=(env TD_NO_CACHING=1 "${command[@]}" --report-api-errors no) ;;
    initcheck) command=(env TD_NO_CACHING=1 "${command[@]}") ;;
  esac
  if [ ! -x "$build/tests/test_$2" ]; then program "$name" 0 "$build/tests/test_$2" && return; fi
  command+=("$build/tests/test_$2")
  if $dry; then command+=("[no test]"); elif [ $# -gt 2 ]; then command+=("-#" "[#$3]"); fi
  skip_text="Device not supported" item "$name" 120 "${command[@]}"
}

stage_sanitize() {
  local tool file
  if ! command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck synccheck; do
      skip "$tool" "compute-sanitizer is not on PATH"
    done
    return
  fi
  sanitizer memcheck cuda_gpu
  for tool in racecheck synccheck initcheck; do
    for file in suite_reduce_test norm_test; do sanitizer $tool ops $file; done
  done
  for file in tests/common/td/ops/*_test.cpp; do sanitizer memcheck ops "$(basename "$file" .cpp)"; done
  for tool in half optim nn; do sanitizer memcheck $tool; done
}

stage_measure() {
  local at="$build/chapters" bench="$build/tools/bench" name
  build_targets bench_device bench_graph bench_grad_scaler ch04_training_loop ch07_amp \
    ch08_pinned_memory ch12_which_device
  if $dry; then
    program device 60 "$bench/bench_device" sim:0 --quick
    for name in graph grad_scaler ch04 ch04_channels_last ch07 ch08_bandwidth ch12_advise; do
      skip $name "there is no GPU"
    done
    return
  fi
  program device 120 "$bench/bench_device" cuda:0
  program graph 60 "$bench/bench_graph" cuda:0
  program grad_scaler 60 "$bench/bench_grad_scaler" --device cuda
  program ch04 60 "$at/ch04_training_loop" --device cuda:0 --epochs 2
  program ch04_channels_last 60 "$at/ch04_training_loop" --device cuda:0 --epochs 2 --channels-last
  program ch07 60 "$at/ch07_amp" --device cuda:0 --epochs 2
  program ch08_bandwidth 60 "$at/ch08_pinned_memory" --device cuda:0 --show bandwidth --largest 256
  program ch12_advise 90 "$at/ch12_which_device" --device cuda:0
}

# One piece of work of td and of PyTorch, interleaved. Without a GPU: that the programs communicate.
comparison() {  # comparison WORK SECONDS
  local program="$build/tools/bench/bench_compare_gpu"
  local command=(python3 -B tools/bench/compare_gpu.py --build "$build" --json "$state/compare.$1.json")
  if [ ! -x "$program" ]; then
    program "$1" 0 "$program"
    return
  fi
  if $dry; then command+=(--device cpu --size tiny --rounds 1 --seconds 0.01); fi
  item "$1" "$2" "${command[@]}" "$1"
}

stage_compare() {  # warm fills torch.compile's cache for all networks at the same time
  local work
  build_targets bench_compare_gpu bench_raw_cuda
  if $dry; then comparison simple 60; fi
  for work in warm host simple mlp large_mlp copies lenet cifar scaler startup; do
    if $dry; then skip $work "there is no GPU"; else comparison $work 120; fi
  done
}
