# Decides by TD_CUDA whether CUDA is compiled, finds the toolkit, and sets TD_CUDA_FOUND. Without CUDA the
# same sources build as plain C++20.
# AUTO leaves CUDA out where there is no GPU, because nvcc doubles the time of the build. A build directory
# that has CUDA keeps it. TD_CUDA_CHOICE in the cache is what tools/shell/build.sh reports.
set(TD_CUDA_FOUND OFF)
set(built_before "${TD_CUDA_CHOICE}")
function(td_leave_cuda_out choice)
  set(TD_CUDA_CHOICE "${choice}" CACHE INTERNAL "compiled, off, no GPU or no nvcc")
endfunction()
if(TD_CUDA STREQUAL "OFF")
  td_leave_cuda_out("off")
  message(STATUS "CUDA: switched off")
  return()
endif()

# This machine's GPUs, as "8.6;9.0". The second directory is where Windows keeps it for Linux programs.
find_program(NVIDIA_SMI nvidia-smi HINTS /usr/lib/wsl/lib)
mark_as_advanced(NVIDIA_SMI)
set(gpus "")
if(NVIDIA_SMI)
  execute_process(COMMAND "${NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" gpus "${answer}")
  endif()
endif()
if(TD_CUDA STREQUAL "AUTO" AND NOT gpus AND NOT EXISTS /dev/nvidia0
   AND NOT built_before STREQUAL "compiled")
  td_leave_cuda_out("no GPU")
  message(STATUS "CUDA: left out, because there is no GPU here; -DTD_CUDA=ON compiles it")
  return()
endif()

# CMake would remember that it found no nvcc, and not look again where one was installed since then.
if(NOT CMAKE_CUDA_COMPILER)
  unset(CMAKE_CUDA_COMPILER CACHE)
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(TD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TD_CUDA is ON but no nvcc was found. Put the CUDA toolkit's bin folder on "
      "PATH, or configure with -DTD_CUDA=AUTO to build for cpu and sim alone.")
  endif()
  td_leave_cuda_out("no nvcc")
  message(STATUS "CUDA: no nvcc found; building for cpu and sim")
  return()
endif()

# One target keeps nvcc quick: this machine's GPUs, or sm_90 where there is none to run on. Named here
# because CMake's own "native" stops the configuration on a machine without a GPU.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(capabilities ${gpus})
  list(REMOVE_DUPLICATES capabilities)
  list(TRANSFORM capabilities REPLACE "^([0-9]+)\\.([0-9]+)$" "\\1\\2-real")
  if(NOT capabilities)
    set(capabilities 90-real)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${capabilities} CACHE STRING "GPU targets, as 90-real;90-virtual")
endif()
# A GPU that is older than what this nvcc writes machine code for: say it here, where nvcc would
# only name an "unsupported gpu architecture". CUDA 13 begins with compute capability 7.5.
execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-arch
  OUTPUT_VARIABLE known ERROR_QUIET)
string(REGEX MATCHALL "[0-9]+" known "${known}")
string(REGEX MATCHALL "[0-9]+" asked "${CMAKE_CUDA_ARCHITECTURES}")
foreach(architecture IN LISTS asked)
  if(known AND NOT architecture IN_LIST known)
    list(GET known 0 oldest)
    string(REGEX REPLACE "(.)$" ".\\1" capability "${architecture}")
    string(REGEX REPLACE "(.)$" ".\\1" oldest "${oldest}")
    message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} writes no machine code for compute capability "
      "${capability}; the oldest it knows is ${oldest}. Choose others with "
      "-DCMAKE_CUDA_ARCHITECTURES=90-real, take another CUDA toolkit, or build for cpu and sim "
      "alone with -DTD_CUDA=OFF.")
  endif()
endforeach()
enable_language(CUDA)
# CMake 3.25 stops at CUDA 17; nvcc 13 takes C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)
set(TD_CUDA_FOUND ON)
set(TD_CUDA_CHOICE "compiled" CACHE INTERNAL "compiled, off, no GPU or no nvcc")
message(STATUS "CUDA: toolkit ${CUDAToolkit_VERSION}, targets ${CMAKE_CUDA_ARCHITECTURES}")

include(NvidiaLibraries)
td_find_nvidia_libraries()
