# The chapters: programs, exercises in all their variants, checkers and the proof of the promises.
# Included by the top level; tests/course uses td_add_chapter for its fixture course too.
# Invariants: a learner's file is compiled by the targets mine_* alone, which nothing depends on; all
# variants of an exercise are libraries of the same name in different folders, so LD_LIBRARY_PATH chooses.

# Learners wait 10 s (course-tool's own default). The proof is more patient: it shares the machine with
# other tests, sanitizers slow it down, and a wrong answer that never ends costs it nothing but time.
set(TD_CHECK_TIME_LIMIT 60 CACHE STRING "Seconds that one check may take in the proof")
set(course_programs "${PROJECT_BINARY_DIR}/chapters")
set(course_variants "${PROJECT_BINARY_DIR}/exercises")

# What all targets of the chapters share.
function(course_options target)
  if(COMMAND td_target_options)
    td_target_options(${target})
  endif()
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/common")
  # LD_LIBRARY_PATH must win over the recorded folder: RUNPATH yields to it, RPATH would not.
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
endfunction()

# Stubs, wrong answers and learners' files are unfinished by nature: a warning must not stop them.
function(course_unfinished_options target optimization)
  course_options(${target})
  set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR OFF)
  target_compile_options(${target} PRIVATE -Wno-unused-parameter -Wno-unused-variable
    -Wno-unused-function -Wno-unused-but-set-variable ${optimization})
endfunction()

# One precompiled header for each optimization, made once and reused by every exercise that has it. Its name
# stands in <>: CMake would write the folder of this clone into it, and the compiler cache is for all clones.
# Sets `precompiled` to the target that carries it; empty where there is nothing worth it.
function(course_precompiled optimization)
  set(precompiled "" PARENT_SCOPE)
  if(NOT "td" IN_LIST chapter_LIBRARIES)
    return()
  endif()
  set(holder exercise_precompiled${optimization})
  set(precompiled ${holder} PARENT_SCOPE)
  if(TARGET ${holder})
    return()
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${holder}.cpp" CONTENT "// Carries a header.\n")
  add_library(${holder} OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/${holder}.cpp")
  course_options(${holder})
  target_compile_options(${holder} PRIVATE ${optimization})
  target_link_libraries(${holder} PRIVATE td)
  target_precompile_headers(${holder} PRIVATE <td/td.h>)
endfunction()

# One variant of one exercise: course_exercise(target chapter name source folder [optimization]).
# Solutions have the build's own optimization; whatever names another is unfinished work. Kernels
# are all compiled alike (Kernels.cmake), because the counts of their accesses are judged.
function(course_exercise target chapter name source folder)
  add_library(${target} SHARED EXCLUDE_FROM_ALL "${source}")
  set(optimization "")
  if(ARGC GREATER 5)
    set(optimization ${ARGV5})
  endif()
  if(is_program)
    td_program_options(${target})
    target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
  elseif(source MATCHES "\\.cu$")
    # Stubs and wrong answers fail on sim, before a checker takes them to a GPU.
    if(target MATCHES "^(stub|answers?)_")
      td_kernel_options(${target} SIM_ONLY)
    else()
      td_kernel_options(${target})
    endif()
    target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
    if(optimization)  # unfinished work: see course_unfinished_options
      target_compile_options(${target} PRIVATE -Wno-unused-parameter -Wno-unused-variable)
    endif()
  else()
    if(optimization)
      course_unfinished_options(${target} ${optimization})
    else()
      course_options(${target})
    endif()
    course_precompiled("${optimization}")
    if(precompiled)
      target_precompile_headers(${target} REUSE_FROM ${precompiled})
    endif()
  endif()
  target_include_directories(${target} PRIVATE ${chapter_includes})
  target_link_libraries(${target} PRIVATE ${chapter_LIBRARIES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${chapter}_${name} DEFINE_SYMBOL ""
    LIBRARY_OUTPUT_DIRECTORY "${folder}")
endfunction()

# Where there is nvcc but no GPU, nvcc compiles the learner's kernel for nothing but its errors. This
# target is built after the verdict (tools/course/check.cpp), which needs no toolkit.
find_program(COURSE_NVCC nvcc HINTS /usr/local/cuda/bin)
mark_as_advanced(COURSE_NVCC)
function(course_add_nvcc_target target source)
  if(NOT COURSE_NVCC OR TD_CUDA_FOUND)
    add_custom_target(${target})
    return()
  endif()
  set(binary "${PROJECT_BINARY_DIR}/nvcc/${target}.cubin")
  add_custom_command(OUTPUT "${binary}" DEPENDS "${source}" VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/nvcc"
    COMMAND "${COURSE_NVCC}" -std=c++20 -arch=sm_75 -cubin -o "${binary}"
      "-I${PROJECT_SOURCE_DIR}/common" "-I${chapter_folder}/exercises" "-I${chapter_folder}" "${source}")
  add_custom_target(${target} DEPENDS "${binary}")
endfunction()

# The wrong and right answers to one exercise: course_answers(chapter name source...). Each answer becomes a library
# <variants>/answers/<number>.<name>/<answer>/lib<chapter>_<name>.so. It is a namespace of its source, so that one
# compilation serves all (link_answers.sh). Where answers define members of a class of exercises.h, they have an
# #ifdef each instead. Sets `answers` to the targets.
function(course_answers chapter name)
  string(REGEX REPLACE "^ch" "" number ${chapter})
  set(folder "${course_variants}/answers/${number}.${name}")
  set(sources ${ARGN})
  set(targets "")
  foreach(source IN LISTS ARGN)
    if(NOT EXISTS "${source}")  # the build writes it
      continue()
    endif()
    file(STRINGS "${source}" lines REGEX "^#ifdef ")
    if(lines)
      list(REMOVE_ITEM sources "${source}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    endif()
    foreach(line IN LISTS lines)
      string(REPLACE "#ifdef " "" answer "${line}")
      set(target answer_${chapter}_${name}_${answer})
      course_exercise(${target} ${chapter} ${name} "${source}" "${folder}/${answer}" -O0)
      target_compile_definitions(${target} PRIVATE ${answer})
      list(APPEND targets ${target})
    endforeach()
  endforeach()
  if(sources)
    set(target answers_${chapter}_${name})
    list(APPEND targets ${target})
    course_exercise(${target} ${chapter} ${name} "${sources}" "${folder}" -O0)
    course_link_answers(${target} lib${chapter}_${name}.so)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    list(FILTER sources INCLUDE REGEX "/right/.*\\.cu$")
    if(sources AND TD_CUDA_FOUND AND NOT is_program)  # wrong answers fail on sim, before a checker takes them to a GPU
      td_cuda_kernels(${target} ${sources})
      course_link_answers(${target}_cuda lib${chapter}_${name}_cuda.so)
    endif()
  endif()
  set(answers ${targets} PARENT_SCOPE)
endfunction()

# course_link_answers(target library): each namespace of the target's sources is linked for itself, with the names that
# the solution's library exports.
function(course_link_answers target library)
  set(script "${PROJECT_SOURCE_DIR}/cmake/link_answers.sh")
  set(solution "${course_variants}/solution/${library}")
  get_target_property(launcher ${target} RULE_LAUNCH_LINK)
  if(NOT launcher)
    set(launcher "")
  endif()
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${script};${solution}"
    RULE_LAUNCH_LINK "\"${script}\" \"${solution}\" ${launcher}")
endfunction()

# The solution, the stub, the learner's file, and the wrong and right answers of one exercise.
function(course_add_exercise chapter name suffix)
  set(solution "${chapter_ROOT}/solutions/${chapter_FOLDER}/${name}${suffix}")
  set(is_program "")  # host code that launches by itself
  if(suffix STREQUAL ".cu")
    file(STRINGS "${solution}" is_program REGEX "<<<")
  endif()
  course_exercise(${chapter}_${name} ${chapter} ${name} "${solution}" "${course_variants}/solution")

  set(stub "${PROJECT_BINARY_DIR}/stubs/${chapter_FOLDER}/${name}${suffix}")
  add_custom_command(OUTPUT "${stub}" DEPENDS "${solution}" course-tool VERBATIM
    COMMAND $<TARGET_FILE:course-tool> cut "${solution}" --output "${stub}"
    COMMENT "Cutting the stub of ${chapter}.${name}")
  course_exercise(stub_${chapter}_${name} ${chapter} ${name} "${stub}"
    "${course_variants}/stub" -O0)

  # An #include instead of the file itself: a learner who deletes it breaks this target alone.
  set(learners "${chapter_MINE_ROOT}/chapters/${chapter_FOLDER}/exercises/${name}${suffix}")
  set(mine "${PROJECT_BINARY_DIR}/mine/${chapter_FOLDER}/${name}${suffix}")
  file(CONFIGURE OUTPUT "${mine}" CONTENT "#include \"${learners}\"\n")
  course_exercise(mine_${chapter}_${name} ${chapter} ${name} "${mine}"
    "${course_variants}/mine" -O1)
  # Without a return the program would crash; the compiler knows the line.
  target_compile_options(mine_${chapter}_${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror=return-type>)
  # For ./course debug: with the lines that gdb shows. The precompiled header has none.
  course_exercise(debug_${chapter}_${name} ${chapter} ${name} "${mine}" "${course_variants}/debug" -O0)
  set_target_properties(debug_${chapter}_${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  target_compile_options(debug_${chapter}_${name} PRIVATE -g -Werror=return-type)
  if(suffix STREQUAL ".cu")
    course_add_nvcc_target(nvcc_mine_${chapter}_${name} "${learners}")
  endif()

  set(tests "${chapter_ROOT}/tests/chapters/${chapter_FOLDER}")
  file(GLOB sources CONFIGURE_DEPENDS "${tests}/wrong/${name}${suffix}" "${tests}/right/${name}${suffix}")
  course_answers(${chapter} ${name} ${sources})
  add_custom_target(exercise_${chapter}_${name})
  add_dependencies(exercise_${chapter}_${name} ${chapter}_${name} stub_${chapter}_${name} ${answers})
  add_dependencies(exercises_${chapter} exercise_${chapter}_${name})
endfunction()

# What checkers share: flags, support, and one precompiled header for those that link the same.
function(course_checker_options target)
  course_options(${target})
  # Checkers are many and run once: compiling them fast matters more than running them fast.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(TD_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  endif()
  target_link_libraries(${target} PRIVATE check_support ${chapter_LIBRARIES})
  set(headers <catch.h>)
  set(holder checker_precompiled)
  if("td" IN_LIST chapter_LIBRARIES)
    string(APPEND holder _td)
    target_link_libraries(${target} PRIVATE check_tensors)
    list(APPEND headers <td/td.h>)
  elseif("td_device" IN_LIST chapter_LIBRARIES)
    target_link_libraries(${target} PRIVATE check_devices)
  endif()
  if("td_launch" IN_LIST chapter_LIBRARIES)
    target_link_libraries(${target} PRIVATE check_kernels)
  endif()
  if(target STREQUAL holder)
    target_precompile_headers(${target} PRIVATE ${headers})
    return()
  endif()
  if(NOT TARGET ${holder})
    # A program, not a library: its code is position-independent in the same way as the checkers'.
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${holder}.cpp"
      CONTENT "// Carries a header; check_support has main.\n")
    add_executable(${holder} EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/${holder}.cpp")
    course_checker_options(${holder})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()

# The checker: the chapter's tests, linked to the solutions like the chapter's program.
function(course_add_checker chapter)
  file(GLOB tests CONFIGURE_DEPENDS "${chapter_ROOT}/tests/chapters/${chapter_FOLDER}/*_test.cpp")
  if(NOT tests)
    return()
  endif()
  add_executable(check_${chapter} EXCLUDE_FROM_ALL ${tests})
  course_checker_options(check_${chapter})
  target_include_directories(check_${chapter} PRIVATE ${chapter_includes})
  target_link_libraries(check_${chapter} PRIVATE ${chapter_LIBRARIES} ${exercises})
  # Exports let the exercise's library and the checker share one count of stubs reached.
  set_target_properties(check_${chapter} PROPERTIES ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY "${course_programs}")
  add_dependencies(exercises_${chapter} check_${chapter})
  add_dependencies(checkers check_${chapter})
endfunction()

# A program of the chapter, linked to these exercises' solutions: course_add_program(target source [exercise...]).
function(course_add_program target source)
  add_executable(${target} "${source}")
  course_options(${target})
  # The libraries that it calls are compiled with -O3; its own lines need not be.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # The solutions have made the precompiled header; a program takes it if it has their -fPIC.
  if(ARGN)
    course_precompiled("")
    if(precompiled)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
      target_precompile_headers(${target} REUSE_FROM ${precompiled})
    endif()
  endif()
  target_include_directories(${target} PRIVATE ${chapter_includes})
  target_link_libraries(${target} PRIVATE ${ARGN} ${chapter_LIBRARIES} ${chapter_PROGRAM})
  if(TARGET td_app AND chapter_LIBRARIES)
    target_link_libraries(${target} PRIVATE td_app)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${course_programs}")
endfunction()

# td_add_chapter(05_data_parallel [ROOT dir] [MINE_ROOT dir] [LIBRARIES td] [PROGRAM td_data] [NO_PROOF])
#   ROOT       where chapters/, solutions/ and tests/chapters/ lie; the project without it
#   MINE_ROOT  where the learner's chapters/ lie; ROOT without it
#   LIBRARIES  what exercises, checker and program link
#   PROGRAM    what the program links in addition
#   NO_PROOF   registers no test: for a chapter whose promises are broken on purpose
# Targets: ch05_data_parallel (program), ch05-<name> (one of programs/), check_ch05 (checker), mine_ch05_<name> (learner's file),
# exercise_ch05_<name> (what the proof of one needs besides the checker), exercises_ch05 (all).
function(td_add_chapter folder)
  cmake_parse_arguments(PARSE_ARGV 1 chapter "NO_PROOF" "ROOT;MINE_ROOT"
    "LIBRARIES;PROGRAM")
  if(NOT chapter_ROOT)
    set(chapter_ROOT "${PROJECT_SOURCE_DIR}")
  endif()
  if(NOT chapter_MINE_ROOT)
    set(chapter_MINE_ROOT "${chapter_ROOT}")
  endif()
  set(chapter_FOLDER ${folder})
  set(chapter_folder "${chapter_ROOT}/chapters/${folder}")
  set(chapter_includes "${chapter_folder}/exercises" "${chapter_folder}")
  string(SUBSTRING ${folder} 0 2 number)
  set(chapter ch${number})
  add_custom_target(exercises_${chapter} ALL)

  # Kernels that exercises in host code launch.
  file(GLOB given CONFIGURE_DEPENDS "${chapter_folder}/given/*.cu")
  if(given)
    course_exercise(given_${chapter} ${chapter} given "${given}" "${course_variants}")
    list(APPEND chapter_LIBRARIES given_${chapter})
  endif()
  set(exercises "")
  file(GLOB solutions CONFIGURE_DEPENDS "${chapter_ROOT}/solutions/${folder}/*.cpp"
    "${chapter_ROOT}/solutions/${folder}/*.cu")
  foreach(solution IN LISTS solutions)
    get_filename_component(name "${solution}" NAME_WE)
    get_filename_component(suffix "${solution}" EXT)
    course_add_exercise(${chapter} ${name} ${suffix})
    list(APPEND exercises ${chapter}_${name})
  endforeach()
  if(TARGET check_support)
    course_add_checker(${chapter})
  else()
    # course-tool shows the learner what stands after "This machine lacks".
    add_custom_target(check_${chapter} VERBATIM COMMAND ${CMAKE_COMMAND} -E echo
      "error: This machine lacks Catch2, which judges exercises: install the Debian package catch2"
      COMMAND ${CMAKE_COMMAND} -E false)
  endif()

  # The course's main programs call no exercise: the first `./course run` is faster without them.
  file(STRINGS "${chapter_folder}/main.cpp" calls REGEX "^#include \"exercises\\.h\"")
  set(called "")
  if(calls)
    set(called ${exercises})
  endif()
  course_add_program(ch${folder} "${chapter_folder}/main.cpp" ${called})
  file(GLOB programs CONFIGURE_DEPENDS "${chapter_folder}/programs/*.cpp")
  foreach(program IN LISTS programs)
    get_filename_component(name "${program}" NAME_WE)
    course_add_program(${chapter}-${name} "${program}" ${exercises})
  endforeach()

  if(solutions AND TARGET check_${chapter} AND NOT chapter_NO_PROOF)
    course_add_proof(${chapter})
  endif()
endfunction()

# CTest entries of a chapter: all promises of all its exercises, for authors, and the solutions alone, which is what
# `./course test` runs. Inside them every promise is a line and a process.
function(course_add_proof chapter)
  string(REGEX REPLACE "^ch0*" "" number ${chapter})
  set(proof course-tool --root "${chapter_ROOT}" --build "${PROJECT_BINARY_DIR}" prove ${number} --no-build)
  add_test(NAME promises_${chapter} COMMAND ${proof})
  add_test(NAME solutions_${chapter} COMMAND ${proof} --solutions)
  set_tests_properties(promises_${chapter} PROPERTIES LABELS promises)
  set_tests_properties(solutions_${chapter} PROPERTIES LABELS here)
  set_tests_properties(promises_${chapter} solutions_${chapter} PROPERTIES TIMEOUT 600 PROCESSORS 2
    ENVIRONMENT "TD_CHECK_TIME_LIMIT=${TD_CHECK_TIME_LIMIT}"
    ENVIRONMENT_MODIFICATION "OPENBLAS_CORETYPE=unset:;OPENBLAS_L2_SIZE=unset:")
  # The promises run the solutions too; these entries are for builds that are too slow for all of them.
  if(TD_SANITIZE)
    foreach(solution IN LISTS solutions)
      get_filename_component(name "${solution}" NAME_WE)
      file(STRINGS "${solution}" is_program REGEX "<<<")
      if(is_program)  # as whole CUDA programs: the sanitizers' libraries would have to be theirs
        continue()
      endif()
      add_test(NAME solution_${chapter}_${name} COMMAND check_${chapter} "[${name}]")
      set_tests_properties(solution_${chapter}_${name} PROPERTIES LABELS solutions TIMEOUT 300
        ENVIRONMENT_MODIFICATION "OPENBLAS_CORETYPE=unset:;OPENBLAS_L2_SIZE=unset:")
    endforeach()
  endif()
endfunction()

# All checkers, each with the solutions it is linked to.
add_custom_target(checkers)

# The support that checkers link; without Catch2 there are programs but no checkers.
if(TD_CATCH2_FOUND)
  file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
  list(FILTER support EXCLUDE REGEX "/race_listener\\.cpp$")  # for the core's tests; it needs td
  add_library(check_support OBJECT EXCLUDE_FROM_ALL ${support})
  course_options(check_support)
  target_compile_options(check_support PRIVATE $<$<CONFIG:Release>:-O1>)
  # Catch2 itself is not what sanitizers are after, and takes them three minutes.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/support/catch_runner.cpp" PROPERTIES
    COMPILE_OPTIONS "-O0;-fno-sanitize=all")
  target_include_directories(check_support PUBLIC "${PROJECT_SOURCE_DIR}/tests/support")
  # Catch2's own signal handlers would hide the report of a host read of device memory.
  target_compile_definitions(check_support PUBLIC CATCH_CONFIG_NO_POSIX_SIGNALS)
  target_link_libraries(check_support PUBLIC Catch2::Catch2)
  # Devices for the chapters that have no tensors, tensors for the others, kernels for chapters 11 to 13.
  foreach(name IN ITEMS devices tensors kernels)
    file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/${name}/check_*.cpp")
    add_library(check_${name} OBJECT EXCLUDE_FROM_ALL ${support})
    course_options(check_${name})
  endforeach()
  target_link_libraries(check_devices PUBLIC check_support td_device td_sim)
  target_link_libraries(check_tensors PUBLIC check_support td td_sim)
  target_link_libraries(check_kernels PUBLIC check_tensors td_launch)
  target_include_directories(check_kernels PUBLIC "${PROJECT_SOURCE_DIR}/tests/support/kernels")
  target_compile_definitions(check_kernels PRIVATE
    CHECK_PICTURES="${PROJECT_BINARY_DIR}/pictures")
endif()

# What the chapters' programs and the tool share: options and the terminal. The tool is the first thing that a learner
# builds, and options are parsed once per run, so these files are compiled fast.
file(GLOB app_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/common/app/*.cpp")
set(option_sources ${app_sources})
list(FILTER option_sources INCLUDE REGEX "/(nearest|option_[a-z]+|terminal)\\.cpp$")
add_library(app_options OBJECT EXCLUDE_FROM_ALL ${option_sources})
course_options(app_options)
target_compile_options(app_options PRIVATE $<$<CONFIG:Release>:-O0>)
set_target_properties(app_options PROPERTIES UNITY_BUILD ON)
# The slowest file of all, because of CLI11. Under sanitizers that header takes a minute, and tests nothing of ours.
set_source_files_properties("${PROJECT_SOURCE_DIR}/common/app/option_parser.cpp" PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
if(TD_SANITIZE AND NOT TD_FUZZERS)
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/common/app/option_parser.cpp" PROPERTY
    COMPILE_OPTIONS "-O0;-fno-sanitize=all")
endif()

# The shared code of the chapters' programs.
list(REMOVE_ITEM app_sources ${option_sources})
add_library(td_app STATIC EXCLUDE_FROM_ALL ${app_sources} $<TARGET_OBJECTS:app_options>)
course_options(td_app)
target_compile_options(td_app PRIVATE $<$<CONFIG:Release>:-O0>)
target_compile_definitions(td_app PRIVATE TD_DATA_FOLDER="${PROJECT_SOURCE_DIR}/data")
target_link_libraries(td_app PUBLIC td_device td_trace)

# What a chapter's exercises, checker and program link, and what its program links in addition.
set(libraries td td_sim)
set(libraries_of_01 td_device td_sim)
set(program_of_01 td)
foreach(number IN ITEMS 04 05 07 08 09 13)
  set(program_of_${number} td_data)
endforeach()
foreach(number IN ITEMS 06 14)
  set(libraries_of_${number} ${libraries} td_distributed)
  set(program_of_${number} td_data)
endforeach()
set(libraries_of_10 ${libraries} td_xla)
foreach(number IN ITEMS 11 12 13)
  set(libraries_of_${number} ${libraries} td_launch)
endforeach()
set(program_of_10 td_data)
file(GLOB chapter_programs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/chapters/*/main.cpp")
foreach(program IN LISTS chapter_programs)
  get_filename_component(folder "${program}" DIRECTORY)
  get_filename_component(folder "${folder}" NAME)
  string(SUBSTRING ${folder} 0 2 number)
  if(NOT libraries_of_${number})
    set(libraries_of_${number} ${libraries})
  endif()
  td_add_chapter(${folder} LIBRARIES ${libraries_of_${number}} PROGRAM ${program_of_${number}})
endforeach()

# What git holds as stubs is what the solutions yield; runs where CI=1 is set (see course-tool cut).
add_test(NAME stubs_are_the_cut COMMAND course-tool cut --check)
set_tests_properties(stubs_are_the_cut PROPERTIES LABELS promises SKIP_RETURN_CODE 77)
