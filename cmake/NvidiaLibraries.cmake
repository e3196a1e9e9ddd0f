# Finds NVIDIA's libraries that have no CMake package of their own, or that a small toolkit leaves out:
# in the toolkit, on the system, and in the wheels of the Python on PATH. Included by Cuda.cmake;
# tests/system/nvidia_libraries_test.cmake searches made-up trees.
# Invariant: header and library come from one place, because two places hold two versions.

# Folders of NVIDIA's wheels, such as site-packages/nvidia/cudnn/lib and, since CUDA 13,
# site-packages/nvidia/cu13/lib.
function(td_nvidia_wheels libraries headers)
  # One line for each kind of folder, with a mark between folders that lists do not know.
  execute_process(COMMAND python3 -c [[
import glob, sys
for kind in ("lib", "include"):
  print("|".join(f for p in sys.path for f in sorted(glob.glob(p + "/nvidia/*/" + kind))))
]] OUTPUT_VARIABLE answer ERROR_QUIET)
  string(REPLACE "\n" ";" answer "${answer}")
  foreach(result IN ITEMS ${libraries} ${headers})
    list(POP_FRONT answer folders)
    string(REPLACE "|" ";" folders "${folders}")
    set(${result} "${folders}" PARENT_SCOPE)
  endforeach()
endfunction()

# td_find_nvidia(CUDNN cudnn.h cudnn libcudnn.so.9): sets CUDNN_LIBRARY, CUDNN_INCLUDE_DIR and
# CUDNN_FOUND. Wheels and small packages hold only the name with the version, which must be told.
function(td_find_nvidia name header)
  find_library(${name}_LIBRARY NAMES ${ARGN} HINTS ${CUDAToolkit_LIBRARY_DIR})
  find_path(${name}_INCLUDE_DIR ${header} HINTS ${CUDAToolkit_INCLUDE_DIRS})
  set(found OFF)
  if(${name}_LIBRARY AND ${name}_INCLUDE_DIR)
    set(found ON)
  else()
    td_nvidia_wheels(libraries headers)
    find_library(library NAMES ${ARGN} PATHS ${libraries} NO_DEFAULT_PATH NO_CACHE)
    find_path(include_dir ${header} PATHS ${headers} NO_DEFAULT_PATH NO_CACHE)
    if(library AND include_dir)
      set(found ON)
      set(${name}_LIBRARY "${library}" CACHE FILEPATH "" FORCE)
      set(${name}_INCLUDE_DIR "${include_dir}" CACHE PATH "" FORCE)
    endif()
  endif()
  set(${name}_FOUND ${found} PARENT_SCOPE)
  if(found)
    message(STATUS "${name}: ${${name}_LIBRARY}")
  else()
    message(STATUS "${name}: not found, neither in the toolkit nor in Python's wheels")
  endif()
endfunction()

# All libraries that the cuda backend uses. What these are for is refused in words where they are absent
# (common/CMakeLists.txt).
macro(td_find_nvidia_libraries)
  if(NOT TARGET CUDA::cublas)
    td_find_nvidia(CUBLAS cublas_v2.h cublas libcublas.so.${CUDAToolkit_VERSION_MAJOR})
    td_find_nvidia(CUBLASLT cublasLt.h cublasLt libcublasLt.so.${CUDAToolkit_VERSION_MAJOR})
  endif()
  if(TD_CUDNN)
    td_find_nvidia(CUDNN cudnn.h cudnn libcudnn.so.9)
  endif()
  if(TD_NCCL)
    td_find_nvidia(NCCL nccl.h nccl libnccl.so.2)
  endif()
endmacro()
