# Where cmake/NvidiaLibraries.cmake finds libraries, in made-up trees. Called by CTest:
#   cmake -DSOURCE=<source folder> -DFOLDER=<folder for the trees> -P nvidia_libraries_test.cmake
cmake_minimum_required(VERSION 3.25)
include("${SOURCE}/cmake/NvidiaLibraries.cmake")
find_program(PYTHON python3 REQUIRED NO_CACHE)
# What the language CXX would set; and this machine's own libraries stay out of it.
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so .a)
foreach(place IN ITEMS CMAKE_ENVIRONMENT CMAKE_SYSTEM CMAKE SYSTEM_ENVIRONMENT)
  set(CMAKE_FIND_USE_${place}_PATH OFF)
endforeach()
file(REMOVE_RECURSE "${FOLDER}")
file(WRITE "${FOLDER}/bin/python3" "#!/bin/sh\nexec ${PYTHON} -S \"$@\"\n")
file(CHMOD "${FOLDER}/bin/python3" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{PATH} "${FOLDER}/bin:$ENV{PATH}")
set(failed OFF)

# make_tree(NAME FILE...): a folder of Python packages, which search() may be told to look into.
function(make_tree name)
  foreach(file IN LISTS ARGN)
    file(WRITE "${FOLDER}/${name}/${file}" "")
  endforeach()
endfunction()

# search(TREE NAME ARGUMENT...): td_find_nvidia as a Python with this tree sees it.
function(search tree name)
  set(ENV{PYTHONPATH} "${FOLDER}/${tree}")
  unset(${name}_LIBRARY CACHE)
  unset(${name}_INCLUDE_DIR CACHE)
  td_find_nvidia(${name} ${ARGN})
  set(found ${${name}_FOUND} PARENT_SCOPE)
  string(REPLACE "${FOLDER}/" "" places "${${name}_LIBRARY} ${${name}_INCLUDE_DIR}")
  set(places "${places}" PARENT_SCOPE)
endfunction()

function(expect what variable expected)
  if(NOT "${${variable}}" STREQUAL "${expected}")
    message("fail: ${what}: expected ${expected}, got ${${variable}}")
    set(failed ON PARENT_SCOPE)
  endif()
endfunction()

set(cudnn CUDNN cudnn.h cudnn libcudnn.so.9)
make_tree(wheels
  nvidia/cudnn/lib/libcudnn.so.9 nvidia/cudnn/include/cudnn.h
  nvidia/nccl/lib/libnccl.so.2 nvidia/nccl/include/nccl.h
  nvidia/cu13/lib/libcublas.so.13 nvidia/cu13/include/cublas_v2.h)
make_tree(no_headers nvidia/cudnn/lib/libcudnn.so.9)
make_tree(nothing somebody/else.py)

search(wheels ${cudnn})
expect("a wheel with a versioned library" places
  "wheels/nvidia/cudnn/lib/libcudnn.so.9 wheels/nvidia/cudnn/include")
search(wheels NCCL nccl.h nccl libnccl.so.2)
expect("another wheel" places "wheels/nvidia/nccl/lib/libnccl.so.2 wheels/nvidia/nccl/include")
search(wheels CUBLAS cublas_v2.h cublas libcublas.so.13)
expect("CUDA 13's layout" places "wheels/nvidia/cu13/lib/libcublas.so.13 wheels/nvidia/cu13/include")
search(wheels CUBLAS cublas_v2.h cublas libcublas.so.12)
expect("another version is no answer" found OFF)
search(nothing ${cudnn})
expect("nothing there" found OFF)
search(no_headers ${cudnn})
expect("a library without its header" found OFF)

# Each toolkit is a tree of its own, because CMake lists a folder once.
function(use_toolkit name)
  make_tree(${name} ${ARGN})
  set(CUDAToolkit_LIBRARY_DIR "${FOLDER}/${name}/lib64" PARENT_SCOPE)
  set(CUDAToolkit_INCLUDE_DIRS "${FOLDER}/${name}/include" PARENT_SCOPE)
endfunction()

use_toolkit(half include/cudnn.h)
search(nothing ${cudnn})
expect("a header without its library" found OFF)
search(wheels ${cudnn})
expect("half in the toolkit: both come from the wheel" places
  "wheels/nvidia/cudnn/lib/libcudnn.so.9 wheels/nvidia/cudnn/include")
use_toolkit(versioned include/cudnn.h lib64/libcudnn.so.9)
search(wheels ${cudnn})
expect("all in the toolkit, with the versioned name alone" places
  "versioned/lib64/libcudnn.so.9 versioned/include")
use_toolkit(whole include/cudnn.h lib64/libcudnn.so lib64/libcudnn.so.9)
search(nothing ${cudnn})
expect("all in the toolkit" places "whole/lib64/libcudnn.so whole/include")

if(failed)
  message(FATAL_ERROR "td_find_nvidia does not find what is there.")
endif()
