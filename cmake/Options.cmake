# The switches of the build and the compiler flags that all our own targets share.
# Every target calls td_target_options(target) once; nothing else sets flags globally.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
# Kernels rely on the vectorizer; CMake's own default of -O3 -DNDEBUG for Release is what we want.

set(TD_CUDA AUTO CACHE STRING "Build the cuda backend: AUTO (where there is nvcc and a GPU), ON or OFF")
set_property(CACHE TD_CUDA PROPERTY STRINGS AUTO ON OFF)
option(TD_CUDNN "Use cuDNN where it is found, for convolutions on cuda" ON)
option(TD_NCCL "Use NCCL where it is found, for collectives on cuda" ON)
option(TD_OPENMP "Use OpenMP for parallel_for" ON)
option(TD_ONEDNN "Use oneDNN where it is found" ON)
option(TD_OPENBLAS "Use OpenBLAS where it is found" ON)
option(TD_GLOO "Use gloo where it is found" ON)
option(TD_NATIVE "Compile for this machine's own processor" ON)
# A learner's newer compiler may warn of something that ours does not know.
set(werror OFF)
if(NOT "$ENV{CI}" STREQUAL "")
  set(werror ON)
endif()
option(TD_WERROR "Treat warnings as errors; ON where CI is set in the environment" ${werror})
set(TD_SANITIZE "" CACHE STRING "Sanitizers: empty, \"address,undefined\" or \"thread\"")
option(TD_FUZZERS "Build the fuzzers too; needs clang, and sanitizers to be worth it" OFF)
set(TD_TEST_TIMEOUT 300 CACHE STRING "Seconds that one test program may take")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher "${PROJECT_SOURCE_DIR}/cmake/ccache.sh" "${CCACHE_PROGRAM}" "${PROJECT_SOURCE_DIR}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher} nvcc)
  set(TD_GNU_LAUNCHER ${launcher} gcc)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TD_GNU_LAUNCHER})
  else()
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher} auto)
    # Precompiled headers without times in them also serve a clone that is made afresh in the same folder.
    add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()

find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM AND NOT CMAKE_CROSSCOMPILING)  # a cross compiler looks for a linker of its own
  add_link_options(-fuse-ld=lld)
endif()

# Sanitizers go to every target, so that no object in a sanitized build is blind.
if(TD_SANITIZE)
  # Instrumented code makes g++ see uses before initialization in the standard library.
  add_compile_options(-fsanitize=${TD_SANITIZE} -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${TD_SANITIZE})
  foreach(sanitizer IN ITEMS address thread)
    if(TD_SANITIZE MATCHES ${sanitizer})
      string(TOUPPER ${sanitizer} name)
      add_compile_definitions(TD_${name}_SANITIZER)  # compilers have no name for it in common
    endif()
  endforeach()
  if(TD_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
else()
  # A library that misses a symbol is found when it is linked, not when it is opened.
  string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,-z,defs")
endif()

# -fno-math-errno and -fno-trapping-math let loops over sqrt and comparisons vectorize and change no
# result. Never -ffast-math: it deletes the checker's tests for NaN.
set(TD_HOST_FLAGS -fno-math-errno -fno-trapping-math)
if(TD_NATIVE)
  list(APPEND TD_HOST_FLAGS -march=native)
endif()
# Intel's microcode against CVE-2022-40982 makes gathers slower than single loads. g++ 13.3 and later know
# it; g++ 12 vectorizes max pooling with gathers there, which then takes 11.5 ns per output instead of 4.4.
cmake_host_system_information(RESULT processor QUERY PROCESSOR_DESCRIPTION)
if(TD_NATIVE AND processor MATCHES "Intel")
  include(CheckCXXCompilerFlag)
  set(no_gathers -mtune-ctrl=^use_gather,^use_gather_2parts,^use_gather_4parts)
  check_cxx_compiler_flag(${no_gathers} TD_HAS_NO_GATHERS)
  if(TD_HAS_NO_GATHERS)
    list(APPEND TD_HOST_FLAGS ${no_gathers})
  endif()
endif()

function(td_target_options target)
  # nvcc separates the host compiler's flags at commas.
  string(REPLACE "," "\\," host_flags_of_nvcc "${TD_HOST_FLAGS}")
  list(JOIN host_flags_of_nvcc "," host_flags_of_nvcc)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${TD_HOST_FLAGS};-Wall;-Wextra;-Wpedantic>
    # clang knows no ivdep, and tells which loops it did not vectorize: it builds what is to be proven.
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-unknown-pragmas;-Wno-pass-failed>
    # libstdc++ 12 has a deprecated function in its stable_sort, and clang tells so from version 17 on.
    $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,17>>:-Wno-deprecated-declarations>
    # No -Wpedantic here: the host code that nvcc writes uses GNU line directives. Warning 186 is
    # "x < 0" on unsigned types, which one expression for all element types cannot avoid.
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${host_flags_of_nvcc},-Wall,-Wextra;--expt-relaxed-constexpr;-diag-suppress=186>)
  set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ${TD_WERROR})
endfunction()
