# Compiles the core's kernels for the stand-in, and sets `kernel_objects`. Included by CMakeLists.txt.
# The sanitizers look at host code, and the machine's observers at kernels. So these objects are g++'s in
# every build, made by the same command: after the release build, the compiler cache has them for asan's.
# Invariant: nothing in the command depends on the sanitizers, the type of the build or its directory.
set(compiler "${CMAKE_CXX_COMPILER}")
set(flags ${TD_KERNEL_FLAGS})
set(launcher ${CMAKE_CXX_COMPILER_LAUNCHER})
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(TD_GNU_COMPILER NAMES c++ g++)
  execute_process(COMMAND "${TD_GNU_COMPILER}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "Free Software Foundation")
    set(compiler "${TD_GNU_COMPILER}")
    set(flags ${TD_KERNEL_FLAGS_OF_GNU})
    set(launcher ${TD_GNU_LAUNCHER})
  else()
    list(APPEND flags -Wno-unneeded-internal-declaration)
  endif()
endif()
if(TD_NATIVE)
  list(APPEND flags -march=native)
endif()
if(TD_WERROR)
  list(APPEND flags -Werror)
endif()
option(TD_STAND_IN_COVERAGE "Count which lines of the cuda backend run on the stand-in for CUDA" OFF)
if(TD_STAND_IN_COVERAGE)  # no observer watches these
  set(flags -x c++ -O0 --coverage -fprofile-update=atomic -ftls-model=initial-exec -fno-extern-tls-init
    -Wno-sign-compare -Wno-unknown-pragmas -Wno-attributes)
endif()

set(kernel_objects "")
foreach(kernel IN LISTS kernels)
  cmake_path(RELATIVE_PATH kernel BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/common" OUTPUT_VARIABLE name)
  set(object "tests/support/cuda_stand_in/kernels/${name}.o")
  list(APPEND kernel_objects "${CMAKE_BINARY_DIR}/${object}")
  get_filename_component(folder "${CMAKE_BINARY_DIR}/${object}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/${object}" DEPENDS "${kernel}" DEPFILE "${CMAKE_BINARY_DIR}/${object}.d"
    WORKING_DIRECTORY "${CMAKE_BINARY_DIR}" COMMENT "Building ${object}" VERBATIM
    COMMAND ${launcher} "${compiler}" -std=c++20 -fPIC -DNDEBUG -DTD_HAS_CUDA=1 -DTD_DEVICE_CODE -DTD_KERNEL_FILE
      "-I${PROJECT_SOURCE_DIR}/common" -fno-trapping-math -fopenmp-simd -fno-semantic-interposition ${flags}
      -include "${CMAKE_CURRENT_SOURCE_DIR}/language.h" -MD -MT ${object} -MF ${object}.d -o ${object} -c "${kernel}")
endforeach()
