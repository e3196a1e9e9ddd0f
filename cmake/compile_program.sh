#!/bin/bash
# Compiles a file with host code in CUDA C++: compile_program.sh TRANSLATOR COMMAND... -o OBJECT ... SOURCE
# The build calls it (cmake/Kernels.cmake). COMMAND would compile SOURCE as C++; instead it compiles what the translator
# makes of the preprocessed file, in which `kernel<<<grid, block>>>(arguments)` is C++ (tools/course/translate_cuda.h).
set -e
translator="$1"
shift

preprocess=() compile=() object=""
while [ $# -gt 0 ]; do
  case "$1" in
    -x) shift ;; # the language: it follows from the name of the translated file
    -o) object="$2" && shift ;;
    -c) ;;
    -MD) preprocess+=("$1") ;;
    -MT | -MF) preprocess+=("$1" "$2") && shift ;;
    *.cu) source="$1" ;;
    *) preprocess+=("$1") compile+=("$1") ;;
  esac
  shift
done
"${preprocess[@]}" -fno-char8_t -include cuda_runtime.h -E -x c++ "$source" -o "$object.i"
"$translator" "$object.i" "$object.ii"
"${compile[@]}" -fno-char8_t -w -c "$object.ii" -o "$object"
