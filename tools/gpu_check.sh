#!/bin/bash
# Tests the CUDA half of the course on a machine with a GPU that is lent for half an hour, bare and
# without network. CI has no GPU: it compiles that half, and tests this script with --without-gpu.
#   tools/gpu_check.sh pack DIR             on Debian: copies the header packages that such a machine lacks
#   tools/gpu_check.sh [OPTION...] all      there: every stage that is not finished, in order
#   tools/gpu_check.sh [OPTION...] STAGE... some: configure build-core core-tests chapters sanitize measure
#                                           compare, which needs PyTorch
#     --out DIR      for the logs and gpu.json, which holds the results of all stages (build/gpu-check)
#     --prefix DIR   the directory that pack made
#     --seconds N    how long this command may take (540); a stage takes 480 s at most
#     --without-gpu  a dry run in a finished build: what needs a GPU must refuse in words
# The same command resumes a stage that ran out of time; a finished stage that is named begins again. Needs
# CMake 3.25, Ninja, Python 3, g++ and nvcc on PATH. TD_GPU_BUILD names the build folder (build/gpu; for a dry
# run build/release), TD_GPU_SECONDS limits every program instead of its own limit.
# Exit codes: 0 all passed, 1 failures, 2 wrong usage or no GPU, 3 not finished in time.
# Invariant: BUILD/check only has results of the present sources and options.
set -u
root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)" || exit 1
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
stages=(configure build-core core-tests chapters sanitize measure compare)
out="" prefix="" dry=false budget=540 stage_limit=480 least=3
. "$root/tools/shell/gpu_stages.sh"

fail_usage() {
  echo "gpu_check: $1" >&2
  sed -n '4,12s/^#  \?//p' "$root/tools/gpu_check.sh" >&2
  exit 2
}

pack() {  # pack DIR: the packages' files under their own paths, so that DIR/usr is a CMake prefix
  local file
  mkdir -p "$1" || return 1
  for file in $(dpkg -L catch2 libcli11-dev libtomlplusplus-dev libtomlplusplus3 nlohmann-json3-dev |
                grep -E '^/usr/(include|lib|share/cmake)/'); do
    if [ -f "$file" ]; then cp --parents -P "$file" "$1"; fi
  done
  du -sh "$1"
}

note() {  # note NAME STATUS SECONDS TEXT: one result, on the screen and for the JSON
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>"$state/$stage.tsv"
  printf '  %-8s %s (%s s)%s\n' "$2" "$1" "$3" "${4:+: $4}"
}

seconds_left() { echo $(((stage_end < budget ? stage_end : budget) - SECONDS)); }
is_known() { grep -q "^$1	" "$state/$stage.tsv"; }
last_line() { grep -v '^ *$' "$1" | tail -1 | tr -d '\t\r' | cut -c 1-300; }

# What an exit code means: "STATUS<tab>TEXT". must_refuse, skip_code and skip_text are the caller's.
judge() {  # judge CODE LIMIT LOG; LIMIT is empty unless that is what ended it
  local said
  said="$(last_line "$3")"
  if ${must_refuse:-false}; then  # there is no GPU, and the program must report that itself
    if [[ $1 =~ ^(1|77)$ && $said == *cuda* ]]; then echo "skipped	$said"; else
      echo "failed	expected a refusal of cuda in words, got exit code $1: $said"
    fi
    return
  fi
  if [ -n "$2" ]; then echo "failed	took more than $2 s; last it said: $said" && return; fi
  if [ -n "${skip_text:-}" ] && grep -q "$skip_text" "$3"; then echo "skipped	$skip_text" && return; fi
  case $1 in
    0) echo "passed	" ;;
    "${skip_code:-77}") echo "skipped	$said" ;;
    *) echo "failed	exit code $1: $said" ;;
  esac
}

# One program of a stage. A resumed stage does not repeat finished programs; a program that the
# stage's time limit interrupts is not a failure and runs next time.
item() {  # item NAME SECONDS COMMAND...; 0 seconds: as long as the stage may take
  local name="$1" limit="${TD_GPU_SECONDS:-$2}" log="$state/item.log" start=$SECONDS status left
  local ended="" result  # ended: by the limit
  if [ "$2" -eq 0 ]; then limit=$((stage_limit + 1)); fi
  shift 2
  if is_known "$name"; then return; fi
  left="$(seconds_left)"
  if [ "$left" -lt "$least" ]; then undone+=("$name") && return; fi
  # In braces, because bash itself reports a crash.
  { timeout -k 5 "$((limit < left ? limit : left))" "$@" >"$log" 2>&1 </dev/null; } 2>/dev/null
  status=$?
  { echo "==== $name: $*" && tail -c 100000 "$log"; } >>"$state/$stage.log"
  if [[ $status =~ ^(124|137)$ && $((SECONDS - start)) -ge $((limit < left ? limit : left)) ]]; then
    if [ "$left" -lt "$limit" ]; then undone+=("$name") && return; fi
    ended="$limit"
  fi
  result="$(judge $status "$ended" "$log")"
  note "$name" "${result%%	*}" $((SECONDS - start)) "${result#*	}"
}
skip() { is_known "$1" || note "$1" skipped 0 "$2"; }  # skip NAME WHY

is_finished() { [ -f "$state/$1.done" ] && [ "$(head -1 "$state/$1.key" 2>/dev/null)" = "$key" ]; }
count() { grep -c "	$2	" "$state/$1.tsv"; }

publish() {  # Writes all results, for a reader on another machine.
  mkdir -p "$out" || return 1
  cp "$state"/*.log "$out" 2>/dev/null
  rm -f "$out/item.log"
  python3 "$root/tools/gpu_report.py" collect "$state" "$build" "$out/gpu.json"
}

needed_by() {  # needed_by STAGE: the stage that must be finished before it
  case "$1" in
    configure) ;;
    core-tests | sanitize) echo build-core ;;
    *) echo configure ;;
  esac
}

run_stage() {  # run_stage NAME: 0 finished, 2 too early, 3 out of time
  local before
  before="$(needed_by "$1")"
  if [ -n "$before" ] && ! is_finished "$before"; then
    echo "gpu_check: $1 needs $before first, of these sources: tools/gpu_check.sh $before $1"
    return 2
  fi
  stage="$1" undone=()
  stage_end=$((SECONDS + stage_limit))
  if [ "$(head -1 "$state/$stage.key" 2>/dev/null)" != "$key" ] || [ -f "$state/$stage.done" ]; then
    rm -f "$state/$stage".*
  fi
  printf '%s\n%s\n%s\n' "$key" "$commit" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >"$state/$stage.key"
  touch "$state/$stage.tsv" "$state/$stage.log"
  echo "$stage"
  "stage_${stage//-/_}"
  rm -f "$state/item.log"
  printf '%s\n' "${undone[@]}" >"$state/$stage.undone"
  if [ ${#undone[@]} -eq 0 ]; then
    rm "$state/$stage.undone"
    touch "$state/$stage.done"
  fi
  publish
  if [ ${#undone[@]} -gt 0 ]; then
    echo "  not done, because the time ran out: ${undone[*]}"
    echo "gpu_check: $stage is not finished; the same command resumes it"
    return 3
  fi
}

run_stages() {  # run_stages STAGE|all...
  local name wanted=("$@") sum=0
  [ "$*" = all ] && wanted=("${stages[@]}")
  for name in "${wanted[@]}"; do
    if [ "$*" = all ] && is_finished "$name"; then
      echo "$name: finished before: $(count "$name" passed) passed, $(count "$name" failed) failed," \
        "$(count "$name" skipped) skipped"
    else
      run_stage "$name" || return
    fi
    if [ "$(count "$name" failed)" -gt 0 ]; then sum=1; fi
    if [ "$name" = configure ] && [ $sum -ne 0 ]; then break; fi
  done
  echo "results: $out/gpu.json"
  return $sum
}

options=() wanted=()
while [ $# -gt 0 ]; do
  case "$1" in
    --out | --prefix | --seconds)
      [ $# -gt 1 ] || fail_usage "$1 wants a value"
      case "$1" in
        --out) out="$2" ;;
        --prefix) prefix="$(readlink -f "$2")" && options+=("$1" "$prefix") ;;
        *) budget="$2" ;;
      esac
      shift
      ;;
    --without-gpu) dry=true && options+=("$1") ;;
    pack) pack "${2:?name the folder: tools/gpu_check.sh pack DIR}" && exit 0 || exit 1 ;;
    all) wanted=(all) ;;
    *)
      [[ " ${stages[*]} " == *" $1 "* ]] || fail_usage "there is no stage or option $1"
      [ "${wanted[*]}" = all ] || wanted+=("$1")
      ;;
  esac
  shift
done
[ ${#wanted[@]} -gt 0 ] || fail_usage "which stages?"
[[ "$budget" =~ ^[1-9][0-9]*$ ]] || fail_usage "--seconds wants a number of seconds, not $budget"
[ -n "$out" ] && mkdir -p "$out" && out="$(readlink -f "$out")"
cd "$root" || exit 1
if ! $dry && ! nvidia-smi -L 2>/dev/null; then
  echo "gpu_check: there is no GPU here; --without-gpu tries this script without one"
  exit 2
fi
out="${out:-$root/build/gpu-check}"
if $dry; then
  export CUDA_VISIBLE_DEVICES=  # also where there is a GPU
  build="${TD_GPU_BUILD:-build/release}" state="${TD_GPU_BUILD:-build/release}/check-dry"
else
  build="${TD_GPU_BUILD:-build/gpu}" state="${TD_GPU_BUILD:-build/gpu}/check"
fi
mkdir -p "$state" || exit 1
use_prefix
commit="$(current_commit)"
key="$(checksum_of_sources) ${options[*]}"
trap publish EXIT
run_stages "${wanted[@]}"
