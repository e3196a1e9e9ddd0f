# Finds the optional host libraries and describes each as one interface target,
# td_openmp, td_onednn, td_openblas, td_gloo, td_hiredis and td_libpmix, empty where the library is
# absent or switched off.
# A target that carries a library also carries its TD_HAS_... definition.
find_package(Threads REQUIRED)

# What is not optional. All that is missing is named at once, by its Debian package.
set(missing "")
function(td_required_library name header package)
  find_path(${name}_INCLUDE_DIR ${header} ${ARGN})
  if(NOT ${name}_INCLUDE_DIR)
    list(APPEND missing ${package})
    set(missing ${missing} PARENT_SCOPE)
  endif()
endfunction()
td_required_library(JSON nlohmann/json.hpp nlohmann-json3-dev)
td_required_library(CLI11 CLI/CLI.hpp libcli11-dev)
td_required_library(TOMLPLUSPLUS toml++/toml.h libtomlplusplus-dev)
td_required_library(NCURSES ncurses.h libncurses-dev PATH_SUFFIXES ncursesw ncurses)
# The SIMT machine runs a GPU's threads on fibers, and finds the lines of kernels in debug information.
td_required_library(BOOST_CONTEXT boost/context/fiber.hpp libboost-context-dev)
td_required_library(DW elfutils/libdwfl.h libdw-dev)
find_library(BOOST_CONTEXT_LIBRARY boost_context)
find_library(DW_LIBRARY dw)
if(NOT BOOST_CONTEXT_LIBRARY)
  list(APPEND missing libboost-context-dev)
endif()
if(NOT DW_LIBRARY)
  list(APPEND missing libdw-dev)
endif()
list(REMOVE_DUPLICATES missing)
if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "Libraries are missing. Install them:  sudo apt-get install ${missing}")
endif()

# Declares the interface target of an optional library; `found` says whether it is to be used.
function(td_optional_library name found)
  add_library(td_${name} INTERFACE)
  string(TOUPPER ${name} upper)
  if(found)
    target_link_libraries(td_${name} INTERFACE ${ARGN})
    target_compile_definitions(td_${name} INTERFACE TD_HAS_${upper}=1)
    message(STATUS "${name}: used")
  else()
    message(STATUS "${name}: not used")
  endif()
  set(TD_${upper}_FOUND ${found} PARENT_SCOPE)
endfunction()

# Catch2 2.13 or 3, which tests/support/catch.h makes one. Without it there are programs, but no checkers and no tests.
find_package(Catch2 CONFIG QUIET)
set(TD_CATCH2_FOUND OFF)
if(TARGET Catch2::Catch2WithMain AND Catch2_VERSION VERSION_GREATER_EQUAL 2.13)
  set(TD_CATCH2_FOUND ON)
  if(Catch2_VERSION VERSION_LESS 3)
    # Debian's library with main() is built as C++14 and lacks the printer for std::string_view.
    target_compile_definitions(Catch2::Catch2WithMain INTERFACE CATCH_CONFIG_NO_CPP17_STRING_VIEW)
  endif()
endif()
message(STATUS "Catch2: ${TD_CATCH2_FOUND} ${Catch2_VERSION}")

set(found OFF)
if(TD_OPENMP)
  find_package(OpenMP COMPONENTS CXX)
  set(found ${OpenMP_CXX_FOUND})
endif()
add_library(td_openmp INTERFACE)
if(found)
  # By hand: the imported target's flags name no language and would reach nvcc as they are.
  target_compile_options(td_openmp INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fopenmp> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fopenmp>)
  target_compile_definitions(td_openmp INTERFACE TD_HAS_OPENMP=1)
  target_link_libraries(td_openmp INTERFACE ${OpenMP_CXX_LIBRARIES})
else()
  # Keeps `omp simd`, which needs no library; `omp parallel` is then passed over in silence.
  target_compile_options(td_openmp INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fopenmp-simd> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fopenmp-simd>)
endif()
message(STATUS "OpenMP: ${found}")

# oneDNN by find_library: its own CMake package insists on OpenCL's development files.
set(found OFF)
if(TD_ONEDNN)
  find_library(DNNL_LIBRARY dnnl)
  find_path(DNNL_INCLUDE_DIR dnnl.h)
  if(DNNL_LIBRARY AND DNNL_INCLUDE_DIR)
    set(found ON)
  endif()
endif()
td_optional_library(onednn ${found} ${DNNL_LIBRARY})

# Debian keeps two variants side by side behind one name. The OpenMP one shares its threads with
# oneDNN and with us; its folder goes into the run path, in front of the system's choice.
set(found OFF)
if(TD_OPENBLAS)
  find_library(OPENBLAS_LIBRARY NAMES libopenblas.so.0
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH)
  find_library(OPENBLAS_LIBRARY NAMES openblas)
  find_path(OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-openmp openblas-pthread)
  if(OPENBLAS_LIBRARY AND OPENBLAS_INCLUDE_DIR)
    set(found ON)
  endif()
endif()
td_optional_library(openblas ${found} ${OPENBLAS_LIBRARY})
if(found)
  target_include_directories(td_openblas SYSTEM INTERFACE ${OPENBLAS_INCLUDE_DIR})
endif()

set(found OFF)
if(TD_GLOO)
  find_package(Gloo CONFIG QUIET)
  if(TARGET gloo)
    set(found ON)
  endif()
endif()
td_optional_library(gloo ${found} gloo)

# Redis's client, which libgloo-dev brings along: the rendezvous of several hosts.
find_library(HIREDIS_LIBRARY hiredis)
find_path(HIREDIS_INCLUDE_DIR hiredis/hiredis.h)
set(found OFF)
if(HIREDIS_LIBRARY AND HIREDIS_INCLUDE_DIR)
  set(found ON)
endif()
td_optional_library(hiredis ${found} ${HIREDIS_LIBRARY})

# The rendezvous of what mpirun and srun start. Debian keeps the header in a folder of its own.
find_library(PMIX_LIBRARY pmix)
find_path(PMIX_INCLUDE_DIR pmix.h PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/include
  lib/${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/include PATHS /usr /usr/lib)
add_library(td_libpmix INTERFACE)
set(TD_PMIX_FOUND OFF)
if(PMIX_LIBRARY AND PMIX_INCLUDE_DIR)
  set(TD_PMIX_FOUND ON)
  target_link_libraries(td_libpmix INTERFACE ${PMIX_LIBRARY})
  target_include_directories(td_libpmix SYSTEM INTERFACE ${PMIX_INCLUDE_DIR})
endif()
message(STATUS "PMIx: ${TD_PMIX_FOUND}")

add_library(td_boost_context INTERFACE)
target_link_libraries(td_boost_context INTERFACE "${BOOST_CONTEXT_LIBRARY}")
target_include_directories(td_boost_context SYSTEM INTERFACE "${BOOST_CONTEXT_INCLUDE_DIR}")
add_library(td_libdw INTERFACE)
target_link_libraries(td_libdw INTERFACE "${DW_LIBRARY}")
target_include_directories(td_libdw SYSTEM INTERFACE "${DW_INCLUDE_DIR}")
