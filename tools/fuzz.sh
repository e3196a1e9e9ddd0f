#!/bin/bash
# Runs every fuzzer of tests/fuzz, or those named, two at a time: tools/fuzz.sh SECONDS [NAME...]. Called by
# `./course test --all` and by developers who want longer runs.
# FUZZ_SEED=1 makes the same inputs again; without it every run has different inputs.
# Invariant: seeds are only read. New inputs of a run stay in build/fuzz/corpus/NAME, and the input of a finding
# in build/fuzz/findings/NAME-*; a finding becomes a seed and a test.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=tools/shell/build.sh
. tools/shell/build.sh

case "${1:-}" in
  "" | *[!0-9]*)
    echo "usage: tools/fuzz.sh SECONDS [NAME...], for example  tools/fuzz.sh 10 device" >&2
    exit 2
    ;;
esac
export SECONDS_EACH="$1" FOLDER="${FUZZ_FOLDER:-build/fuzz}" PROGRAMS="${FUZZ_PROGRAMS:-build/asan/fuzz}"
shift
if [ $# -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do set -- "$@" "$(basename "$source" _fuzz.cpp)"; done
fi

run_one() {  # run_one NAME: one line and, after a finding, what led to it
  local name="$1" corpus="$FOLDER/corpus/$1" log="$FOLDER/$1.log" runs
  mkdir -p "$corpus" "$FOLDER/findings"
  # No parser may allocate much memory because of a damaged file, and none may take long.
  if "$PROGRAMS/${name}_fuzz" -max_total_time="$SECONDS_EACH" -timeout=25 -rss_limit_mb=1024 \
    -malloc_limit_mb=128 -seed="${FUZZ_SEED:-0}" -print_funcs=0 -print_final_stats=1 -artifact_prefix="$FOLDER/findings/$name-" \
    "$corpus" "tests/fuzz/seeds/$name" >"$log" 2>&1 </dev/null; then
    runs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    echo "pass: fuzz $name: $runs inputs in $SECONDS_EACH s"
  else
    echo "fail: fuzz $name: $log"
    tail -25 "$log"
    return 1
  fi
}
export -f run_one

# FUZZ_PROGRAMS is the directory of fuzzers that are already built.
if [ -z "${FUZZ_PROGRAMS:-}" ] && ! build_in asan "${@/%/_fuzz}"; then
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
results="$(printf '%s\n' "$@" | xargs -P 2 -I{} bash -c 'run_one {}')"
echo "$results"
passed="$(grep -c '^pass: fuzz ' <<<"$results")"
failed=$(($# - passed))
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
