#!/bin/bash
# Proves what ./course says: its help, wrong options, and builds that fail, with a stand-in for cmake.
# Called by CTest with the source folder.
# shellcheck disable=SC2016  # texts for other shells
source_folder="$1"
folder="$(mktemp -d)" || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
unset CI

run() {  # run COMMAND...: leaves $code and $output
  output="$("$@" 2>&1 </dev/null)"
  code=$?
}
expect() {  # expect CODE TEXT
  if [ "$code" -ne "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
    echo "expected exit code $1 and '$2', got $code and: $output"
    failed=1
  fi
}

expect_width() {  # expect_width COLUMNS: no line of $output is longer
  local longest
  longest="$(awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' <<<"$output")"
  if [ "$longest" -gt "$1" ]; then
    echo "a line of $longest columns, where $1 are there: $output"
    failed=1
  fi
}

echo "help, from another folder and through a link"
cd / || exit 1
run "$source_folder/course"
expect 0 "./course run 4"
ln -s "$source_folder/course" "$folder/link"
run "$folder/link" help
expect 0 "./course run 4"

echo "all commands are in the help, grouped, in every width"
commands="run launch list check watch debug hint reset solution doctor time docs data test setup new-exercise"
for width in 40 80 200; do
  run env COLUMNS=$width "$source_folder/course" --help
  grep -q 'read chapters/01_device_check/README.md, then type ./course check' <<<"$(tr '\n' ' ' <<<"$output")" || {
    echo "the help does not say how to begin: $output"
    failed=1
  }
  for group in Learn Measure "Look after" "Write exercises"; do expect 0 "$group"; done
  for command in $commands; do
    if ! grep -qE "^  $command( |\$)" <<<"$output"; then
      echo "the help does not list $command: $output"
      failed=1
    fi
  done
  expect_width "$width"
done
run env COLUMNS=wide "$source_folder/course" --help
expect_width 80
# A terminal tells its width itself; a shell does not export COLUMNS.
output="$(script -qec "stty cols 44; '$source_folder/course' --help" /dev/null </dev/null | tr -d '\r')"
expect_width 44
[ "$(awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' <<<"$output")" -gt 30 ] || {
  echo "no help on a terminal of 44 columns: $output"
  failed=1
}

# The front door with a stand-in for the tool, so that nothing is built: it prints its words.
door="$folder/door"
mkdir -p "$door/tools" "$door/build/release/tools/course"
cp "$source_folder/course" "$door"
cp -r "$source_folder/tools/shell" "$source_folder/tools/packages.debian" "$door/tools"
touch -d '1 day ago' "$door/tools/packages.debian"
configured() {  # configured FOLDER: what a whole configuration leaves
  mkdir -p "$1/CMakeFiles"
  touch "$1/CMakeCache.txt" "$1/build.ninja" "$1/CMakeFiles/rules.ninja" "$1/configure.log"
}
touch "$door/build/setup.base"
configured "$door/build/release"
mkdir -p "$folder/quiet"
printf '#!/bin/sh\n' >"$folder/quiet/cmake" && chmod +x "$folder/quiet/cmake"
printf '#!/bin/sh\nprintf installed\n' >"$folder/quiet/dpkg-query" && chmod +x "$folder/quiet/dpkg-query"
front_door() {  # front_door WORD...: what this front door says
  run env PATH="$folder/quiet:$PATH" "$door/course" "$@"
}

echo "Tab completes commands, chapters and exercises, in a script of bash that zsh reads, too"
completed() {  # completed WORD...: what Tab offers for the last one
  run bash -c '. "$0/tools/shell/completion.bash" && cd "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) &&
    _todevice_course && echo "${COMPREPLY[@]}"' "$source_folder" ./course "$@"
}
completed che && expect 0 "check"
completed check 5.sc && expect 0 "5.scatter"
completed reset 11.sa && expect 0 "11.saxpy"
completed run 1 && expect 0 "1 10 11 12"
completed doctor x && expect 0 ""

echo "a slip is told before anything is built, also without the tool"
front_door chekc 5
expect 2 'There is no command "chekc". These are the commands:'
expect 2 "  check [N[.NAME]]"
printf '#!/bin/sh\necho "the tool got: $*"\nexit 7\n' >"$door/build/release/tools/course/course-tool"
chmod +x "$door/build/release/tools/course/course-tool"
front_door chekc 5
refused() {  # refused WORD: the tool gets this word alone
  if [ "$code $output" != "7 the tool got: $1" ]; then
    echo "the tool should get $1 alone: $code $output"
    failed=1
  fi
}
refused chekc
front_door 'li.*' 5
refused 'li.*'
front_door chekc --help
refused chekc
front_door help nosuch
refused nosuch
front_door --bogus
expect 2 "There is no option --bogus; type a command first: ./course --help shows them."

echo "commands reach the tool as typed, and help X is X --help"
for command in list run launch check hint reset solution data new-exercise prove cut; do
  front_door "$command" --all "two words"
  expect 7 "the tool got: $command --all two words"
  front_door help "$command"
  expect 7 "the tool got: $command --help"
done

echo "the first build and setup print nothing where a script reads the answer"
rm "$door/build/setup.base" "$door/build/release/build.ninja"
output="$(PATH="$folder/quiet:$PATH" CI=1 "$door/course" list --json 2>"$folder/notices" </dev/null)"
if [ "$output" != "the tool got: list --json" ] || ! grep -q '^build: configuring release' "$folder/notices"; then
  echo "notices among the answer: $output"
  failed=1
fi
configured "$door/build/release"

echo "what the shell does itself answers --help with an example, in every width"
for pair in test:test docs:docs doctor:doctor setup:doctor; do
  command="${pair%:*}"
  # A command is here where its file is.
  [ -f "$source_folder/tools/shell/${pair#*:}.sh" ] || continue
  for width in 40 80 200; do
    run env COLUMNS=$width PATH="$folder/quiet:$PATH" "$door/course" "$command" --help
    expect 0 "Example: ./course $command"
    expect_width "$width"
  done
done

echo "options of test"
run "$source_folder/course" test --al
expect 2 'test: cannot test "--al": type  ./course test'
run "$source_folder/course" test --all every
expect 2 'test: cannot test "--all every": type  ./course test'
run "$source_folder/course" test --help
expect 0 "--all PART"

# A course whose cmake does what $CMAKE_DOES says.
mkdir -p "$folder/bin" "$folder/build/release"
cat >"$folder/bin/cmake" <<'END'
#!/bin/sh
case "$1" in
  --preset) [ "$CMAKE_DOES" != configure ] || { echo "CMake Error: no compiler"; exit 1; } ;;
  --build)
    echo "[1/2] Building"
    [ "$CMAKE_DOES" != build ] || { printf 'FAILED: a.o\n/usr/bin/c++ -c a.cpp\na.cpp:1: error: no\n'; exit 1; }
    ;;
esac
END
chmod +x "$folder/bin/cmake"
build() {  # build configure|build|nothing: a build in which this step fails
  run env CMAKE_DOES="$1" PATH="$folder/bin:$PATH" bash -c \
    'cd "$1" && . "$0/tools/shell/build.sh" && build_in release all' "$source_folder" "$folder"
}

echo "a configuration that fails"
build configure
expect 1 "CMake Error: no compiler"
expect 1 "all of it: build/release/configure.log"

echo "a build that fails: the error, not the command line"
build build
expect 1 "a.cpp:1: error: no"
expect 1 "all of it: build/release/build.log"
if grep -q '/usr/bin/c++' <<<"$output"; then
  echo "the compiler's command line is noise: $output"
  failed=1
fi

echo "a build that works"
build nothing
expect 0 "build: configuring release"

echo "a second build waits for the first one and says so; Ctrl-C ends the wait"
exec {other}>"$folder/build/release/.lock"
flock "$other"
second_build() {  # second_build WORD...: a build that these words start
  run "$@" env PATH="$folder/bin:$PATH" bash -c \
    'cd "$1" && . "$0/tools/shell/build.sh" && build_in release all' "$source_folder" "$folder"
}
second_build timeout --signal=INT 3
expect 124 "another command builds; waiting for it"
if grep -qF configuring <<<"$output"; then
  echo "it did not wait: $output"
  failed=1
fi
sleep 3 &
exec {other}>&-  # sleep has it still
second_build
expect 0 "another command builds; waiting for it"
expect 0 "build: configuring release"

echo "the time that is left: the usual pace first, then the measured one"
left() {  # left TEXT DONE ALL SECONDS
  run bash -c '. "$0/tools/shell/build.sh" && say_time_left "$@"' "$source_folder" "${@:2}" 1000
  expect 0 "$1"
}
left "about 10 min left" 0 600 0
left "about 23 min left" 10 600 50
left "about 1 min left" 500 560 520
left "less than a minute left" 590 600 600

echo "a line soon says how long the rest takes"
progress() {  # progress LINE EXPECTED: what is said after this line of a log
  run bash -c '. "$0/tools/shell/build.sh"
    with_progress working "$1" 1000 sh -c "echo \"$2\"; sleep 3"' "$source_folder" "$folder/log" "$1"
  expect 0 "$2"
}
progress "[7/607] Building CXX object a.o" "working [7/607], about 8 min left"
progress "  9/309 Test  #3: sim ......   Passed" "working [9/309], about 4 min left"
progress "no number yet" ""
if [ -n "$output" ]; then
  echo "expected nothing yet: $output"
  failed=1
fi

echo "what an interruption or a deleted file left is configured again, and so is what knows no newer package"
again() {  # again TRUE|FALSE: whether it is configured again
  run bash -c 'cd "$1" && . "$0/tools/shell/build.sh" && PATH="$2:$PATH" configure release' "$source_folder" "$folder" "$folder/bin"
  if grep -qF "configuring release" <<<"$output"; then [ "$1" = true ]; else [ "$1" = false ]; fi && return
  echo "configured again should be $1: $output"
  failed=1
}
configured "$folder/build/release"
again false
for part in CMakeCache.txt build.ninja CMakeFiles/rules.ninja; do
  rm "$folder/build/release/$part"
  again true
  configured "$folder/build/release"
done
again false
touch -d '+1 minute' "$folder/build/setup.docs"
again true
rm "$folder/build/setup.docs"

echo "CUDA is left out without a GPU, which one line says, and added when there is one"
printf '#!/bin/sh\n' >"$folder/bin/nvcc" && chmod +x "$folder/bin/nvcc"
cuda() {  # cuda CHOICE true|false: a build directory with this choice, on a machine with or without a GPU
  configured "$folder/build/release"
  echo "TD_CUDA_CHOICE:INTERNAL=$1" >"$folder/build/release/CMakeCache.txt"
  run env PATH="$folder/bin:$PATH" bash -c 'cd "$1" && . "$0/tools/shell/build.sh"
    eval "has_gpu() { $2; }"; nvidia-smi() { echo "Made-up GPU"; }
    configure release && say_cuda' "$source_folder" "$folder" "$2"
}
cuda "no GPU" false
expect 0 "CUDA: not compiled, because there is no GPU here; the course runs on cpu and sim (./course test --all compiles it)"
cuda compiled false
expect 0 "CUDA: compiled, not run, because there is no GPU here"
cuda off true
expect 0 "CUDA: not compiled, because TD_CUDA is OFF"
for choice in compiled off; do
  cuda "$choice" true
  if grep -qF "configuring" <<<"$output"; then
    echo "a build directory with the choice '$choice' stays as it is: $output"
    failed=1
  fi
done
cuda "no GPU" true
expect 0 "build: configuring release"
cuda "no nvcc" true
expect 0 "build: configuring release"

echo "the next build begins while tests run, and ends with them; its failure is not theirs"
cat >"$folder/bin/ninja" <<END
#!/bin/sh
echo "\$@" >"$folder/ahead"
exec sleep 60
END
chmod +x "$folder/bin/ninja"
run env PATH="$folder/bin:$PATH" bash -c 'cd "$1" && . "$0/tools/shell/build.sh" && . "$0/tools/shell/test.sh"
  build_in() { echo "built $*"; }
  configure() { :; }
  run_tests() { sleep 2; cat ahead; add_results 3 0 0; }
  ahead=([release]="asan some targets")
  build_and_test run_tests release all; build_and_test run_tests asan "some targets"
  [ $SECONDS -lt 20 ] && echo "$passed passed, $failed failed"' "$source_folder" "$folder"
expect 0 "-C build/asan some targets"
expect 0 "6 passed, 0 failed"

echo "tests that passed do not run again while their programs and sources are the same; tests that failed do"
mkdir -p "$folder/once/build/asan" "$folder/once"/{common,tests,solutions,tools/shell}
cp /bin/true "$folder/once/build/asan/test_it"
once() {  # once FAILED
  run env XDG_CACHE_HOME="$folder/cache" bash -c 'cd "$1" && . "$0/tools/shell/test.sh"
    run_tests() { echo "ran $*"; add_results 3 '"$1"' 2; }
    add_results 1 0 0
    once run_tests asan -L common
    echo "$passed passed, $failed failed, $skipped skipped"' "$source_folder" "$folder/once"
}
once 1
expect 0 "4 passed, 1 failed, 2 skipped"
once 0
expect 0 "ran asan -L common"
expect 0 "4 passed, 0 failed, 2 skipped"
once 1
expect 0 "asan: nothing has changed since all tests passed on $(date +%F); delete $folder/cache/todevice/passed/asan"
expect 0 "4 passed, 0 failed, 2 skipped"
echo "a test" >"$folder/once/tests/it.cpp"
once 1
expect 0 "ran asan -L common"
once 0
expect 0 "ran asan -L common"
cp /bin/false "$folder/once/build/asan/test_it"
once 0
expect 0 "ran asan -L common"

echo "a step that fails turns the sum red, one that passes does not"
sums() {  # sums COMMAND [OPTION...]: the whole `test` with this as its only check
  run bash -c 'cd "$0" && . tools/shell/setup.sh && . tools/shell/build.sh && . tools/shell/test.sh
    set_up() { echo "set up $1"; }
    missing_packages() { echo ccache; }
    build_and_test() { echo "test $*"; check "it holds" "$only_check"; check "so does this" true; }
    only_check="$1" test_course "${@:2}"' "$source_folder" "$@"
}
sums true
expect 0 "2 passed, 0 failed, 0 skipped"
sums false
expect 1 "1 passed, 1 failed, 0 skipped"
expect 1 "fail: it holds"

echo "a learner's test runs what has the label, and says how to see more; a part of --all runs by itself"
sums true
expect 0 "set up base"
expect 0 "test run_tests release here_tests -L ^here$"
expect 0 "more: ./course test --all tests the course itself, as CI does; some tests need these packages: ccache"
sums true --all tsan
expect 0 "set up all"
expect 0 "test once run_tests tsan threaded_tests -L threaded"
expect 0 "2 passed, 0 failed, 0 skipped"
[ "$(tail -1 <<<"$output")" = "2 passed, 0 failed, 0 skipped" ] || {
  echo "the sum is not the last line: $output"
  failed=1
}

echo "every parser's fuzzer counts, and a finding turns the sum red"
mkdir -p "$folder/fuzzers/fuzz"
for source in "$source_folder"/tests/fuzz/*_fuzz.cpp; do
  printf '#!/bin/sh\necho "stat::number_of_executed_units: 7"\n[ "${0##*/}" != "$FINDS" ]\n' \
    >"$folder/fuzzers/fuzz/$(basename "$source" .cpp)"
done
chmod +x "$folder"/fuzzers/fuzz/*
all="$(find "$folder/fuzzers/fuzz" -type f | wc -l)"
fuzz() {  # fuzz NAME: what `test --all` counts when this fuzzer finds something
  run env FUZZ_FOLDER="$folder/fuzzers" FUZZ_PROGRAMS="$folder/fuzzers/fuzz" FINDS="$1" bash -c 'cd "$0" && . tools/shell/test.sh && fuzz 1
    echo "counted $passed $failed $skipped"' "$source_folder"
}
fuzz nothing
expect 0 "pass: fuzz device: 7 inputs in 1 s"
expect 0 "counted $all 0 0"
fuzz device_fuzz
expect 0 "fail: fuzz device"
expect 0 "counted $((all - 1)) 1 0"
echo "what was said before stays, also in a file"
FUZZ_FOLDER="$folder/fuzzers" FUZZ_PROGRAMS="$folder/fuzzers/fuzz" FINDS=nothing bash -c 'cd "$0" && . tools/shell/test.sh &&
  echo "said before" && fuzz 1' "$source_folder" >"$folder/said" 2>&1 </dev/null
run cat "$folder/said"
expect 0 "said before"
expect 0 "$all passed, 0 failed"
run "$source_folder/tools/fuzz.sh" ten
expect 2 "usage: tools/fuzz.sh SECONDS [NAME...]"
exit $failed
