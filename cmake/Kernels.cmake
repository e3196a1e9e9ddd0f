# Kernel libraries: files in CUDA C++ that run on sim, compiled by the C++ compiler, and on cuda, where
# nvcc compiles them a second time. Included by the top level.
#
# td_kernel_options(target [SIM_ONLY]): the target's .cu files are kernels; with SIM_ONLY nvcc does not
# compile them. The target is a shared library that a program links; a late dlopen would find no room for
# its shared variables.
#
# Invariant: one line of options for every build type, because the counts of a profile follow from the
# code that the compiler makes. clang's hooks differ, so its counts do too; its results do not.

# The hooks of -fsanitize=thread, which tell the machine of every access.
add_library(td_kernel_hooks OBJECT "${PROJECT_SOURCE_DIR}/common/simt/kernel_library/hooks.cpp")
td_target_options(td_kernel_hooks)
target_include_directories(td_kernel_hooks PRIVATE "${PROJECT_SOURCE_DIR}/common")
target_compile_options(td_kernel_hooks PRIVATE -O2 -fno-sanitize=all -ftls-model=initial-exec
  -fno-optimize-sibling-calls -fno-plt)

# No -march: a GPU's results do not depend on the host's processor. -ffp-contract: nor on its FMA.
# -fdata-sections: link_kernels.sh leaves gaps between shared variables.
# -fno-plt: a thread that is stopped has a line; an entry of the PLT, through which calls go otherwise, has none.
# -U_FORTIFY_SOURCE: Ubuntu's compiler defines it, and then has no calls of memcpy that a hook could see.
set(TD_KERNEL_FLAGS -x c++ -O1 -g -fno-sanitize=all -fsanitize=thread -ffp-contract=off
  -fno-math-errno -ftls-model=initial-exec -fno-optimize-sibling-calls -fno-plt -fdata-sections
  -fno-builtin-memcpy -fno-builtin-memset -fno-builtin-memmove -U_FORTIFY_SOURCE
  -Wall -Wextra -Wno-sign-compare -Wno-unknown-pragmas -Wno-attributes -Wno-ignored-attributes)
# g++ has no hook for the struct that a call returns or takes, so it inlines these calls, as nvcc does
# (the attribute `flatten` of simt/language.h). -fno-semantic-interposition allows that.
set(TD_KERNEL_FLAGS_OF_GNU ${TD_KERNEL_FLAGS} --param=tsan-instrument-func-entry-exit=0
  --param=tsan-distinguish-volatile=1 -fno-extern-tls-init -fno-gnu-unique
  -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TD_KERNEL_FLAGS ${TD_KERNEL_FLAGS_OF_GNU})
else()
  # Places are looked up by address, for which clang writes no table of its own accord; and DWARF 5
  # keeps the addresses of its variables elsewhere.
  list(APPEND TD_KERNEL_FLAGS -gdwarf-4 -gdwarf-aranges
    -mllvm -tsan-instrument-read-before-write=1 -mllvm -tsan-instrument-func-entry-exit=0
    -mllvm -tsan-distinguish-volatile=1)
endif()

# ARM's processors do not stop at a division by zero; traps.cpp knows the instruction that g++ then adds.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND TD_KERNEL_FLAGS -fsanitize=integer-divide-by-zero)
  list(APPEND TD_KERNEL_FLAGS_OF_GNU -fsanitize=integer-divide-by-zero -fsanitize-undefined-trap-on-error)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND TD_KERNEL_FLAGS -fsanitize-undefined-trap-on-error)
  else()
    list(APPEND TD_KERNEL_FLAGS -fsanitize-trap=integer-divide-by-zero)
  endif()
endif()

# Tells observers which way a thread goes, for a third more time.
option(TD_TRACE_KERNEL_BLOCKS "Compile kernels so that observers see each basic block" OFF)
if(TD_TRACE_KERNEL_BLOCKS)
  list(APPEND TD_KERNEL_FLAGS -fsanitize-coverage=trace-pc)
  list(APPEND TD_KERNEL_FLAGS_OF_GNU -fsanitize-coverage=trace-pc)
endif()

# td_observed_sources(target source...): these sources of the target tell the machine of every access.
function(td_observed_sources target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CXX
    COMPILE_OPTIONS "${TD_KERNEL_FLAGS}" SKIP_PRECOMPILE_HEADERS ON)
  td_link_observed(${target})
endfunction()

# The functions of the C library that the hooks replace.
set(TD_WRAPPED_FUNCTIONS memcpy memset memmove malloc free _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm clock)

# The target has objects that call the hooks.
function(td_link_observed target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:td_kernel_hooks>)
  set_property(TARGET ${target} PROPERTY RULE_LAUNCH_LINK
    "\"${PROJECT_SOURCE_DIR}/cmake/link_kernels.sh\"")
  foreach(function IN LISTS TD_WRAPPED_FUNCTIONS)
    target_link_options(${target} PRIVATE LINKER:--wrap=${function})
  endforeach()
endfunction()

function(td_kernel_options target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  td_observed_sources(${target} ${sources})
  # g++ would move a read after the test that follows it in the source, and hide a fault.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY
      COMPILE_OPTIONS -fno-tree-sink)
  endif()
  # <cooperative_groups.h> and others by CUDA's names; nvcc has its own.
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY
    COMPILE_OPTIONS "-I${PROJECT_SOURCE_DIR}/common/cuda/include")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/common")
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_link_libraries(${target} PRIVATE td_simt)
  if(TD_CUDA_FOUND AND NOT "SIM_ONLY" IN_LIST ARGN)
    td_cuda_kernels(${target} ${sources})
  endif()
endfunction()

# The target's .cu files also have host code in CUDA C++: it calls CUDA's runtime and launches with <<<>>>. They are
# translated, and they take a copy of the course's runtime that no other library sees, because the core may have NVIDIA's.
function(td_program_options target)
  if(NOT TARGET td_cuda_copy)
    add_library(td_cuda_copy STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:td_cuda>)
    target_link_libraries(td_cuda_copy PUBLIC td_simt)
    # Its own calls are not wrapped: only the program's are observed.
    list(TRANSFORM TD_WRAPPED_FUNCTIONS REPLACE "(.+)" "--redefine-sym=\\1=__real_\\1" OUTPUT_VARIABLE renamings)
    add_custom_command(TARGET td_cuda_copy POST_BUILD VERBATIM
      COMMAND "${CMAKE_OBJCOPY}" ${renamings} $<TARGET_FILE:td_cuda_copy>)
    set(tools "${PROJECT_SOURCE_DIR}/tools")
    add_executable(translate_cuda EXCLUDE_FROM_ALL "${tools}/translate_cuda/main.cpp"
      "${tools}/course/translate_cuda.cpp" "${tools}/course/ptx.cpp" "${tools}/course/token_editor.cpp"
      "${tools}/course/cpp_tokens.cpp")
    td_target_options(translate_cuda)
    target_compile_features(translate_cuda PRIVATE cxx_std_20)
    target_compile_options(translate_cuda PRIVATE -O1)
    target_include_directories(translate_cuda PRIVATE "${tools}/course")
    set_target_properties(translate_cuda PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tools")
  endif()
  target_link_libraries(${target} PRIVATE td_cuda_copy)  # before the core
  td_kernel_options(${target} SIM_ONLY)
  target_include_directories(${target} BEFORE PRIVATE "${PROJECT_SOURCE_DIR}/common/cuda/include")
  add_dependencies(${target} translate_cuda)
  set_property(TARGET ${target} PROPERTY RULE_LAUNCH_COMPILE
    "\"${PROJECT_SOURCE_DIR}/cmake/compile_program.sh\" \"${PROJECT_BINARY_DIR}/tools/translate_cuda\"")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpermissive)
  endif()
  target_link_options(${target} PRIVATE LINKER:--exclude-libs,libtd_cuda_copy.a)
endfunction()

# The same files by nvcc, as lib<target>_cuda.so next to the other (common/launch/cuda_launch.cpp).
function(td_cuda_kernels target)
  set(copies "")
  set(exports "#include \"simt/kernel_library/cuda_exports.h\"\n")  # once per library
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(GET source STEM name)
    # A file of its own, because a file has one language per folder.
    set(copy "${CMAKE_CURRENT_BINARY_DIR}/${target}_cuda/${name}.cu")
    file(CONFIGURE OUTPUT "${copy}" CONTENT "${exports}#include \"${source}\"\n")
    set(exports "")
    # The stub of an exercise is a file that the build makes.
    set_source_files_properties("${copy}" PROPERTIES LANGUAGE CUDA OBJECT_DEPENDS "${source}")
    list(APPEND copies "${copy}")
  endforeach()
  add_library(${target}_cuda SHARED EXCLUDE_FROM_ALL ${copies})
  target_include_directories(${target}_cuda PRIVATE "${PROJECT_SOURCE_DIR}/common"
    $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  # Since 13.0 nvcc hides the kernels of a library, which are found by their names here.
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target}_cuda PRIVATE -device-entity-has-hidden-visibility=false)
  endif()
  set_target_properties(${target}_cuda PROPERTIES
    OUTPUT_NAME "$<IF:$<BOOL:$<TARGET_PROPERTY:${target},OUTPUT_NAME>>,$<TARGET_PROPERTY:${target},OUTPUT_NAME>,${target}>_cuda"
    LIBRARY_OUTPUT_DIRECTORY "$<TARGET_FILE_DIR:${target}>")
  target_link_options(${target}_cuda PRIVATE LINKER:-Bsymbolic)
  add_dependencies(${target} ${target}_cuda)
endfunction()
