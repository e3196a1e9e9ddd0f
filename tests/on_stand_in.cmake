# What runs on the stand-in for CUDA (support/cuda_stand_in): the tests of the cuda backend and of the stand-in
# itself, the areas whose tests take cuda devices, the chapters' programs and the exercises' solutions.
# Included by CMakeLists.txt.
if(NOT TD_CUDA_STAND_IN)
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS "common/td/backends/cuda/stand_in/*.cpp")
add_executable(test_cuda_stand_in ${sources})
td_target_options(test_cuda_stand_in)
target_include_directories(test_cuda_stand_in PRIVATE support)
target_include_directories(test_cuda_stand_in SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS}
  ${NCCL_INCLUDE_DIR})
# By its path: the target would bring the libraries that the stand-in takes the place of.
target_link_libraries(test_cuda_stand_in PRIVATE td_cuda_stand_in td_cuda_stand_in_more td_cuda_stand_in_trace
  td_cuda_stand_in_libs $<TARGET_FILE:td_distributed> Catch2::Catch2WithMain)
target_compile_options(test_cuda_stand_in PRIVATE -O1)
add_dependencies(test_cuda_stand_in td_distributed td_cuda_stand_in_launch)
add_dependencies(core_tests test_cuda_stand_in)
# Every planted fault is found in the lazy order; random adds streams that overtake each other. The two others are in
# the program's own tests of the order.
set(orders lazy random)
if(TD_SANITIZE)
  set(orders random)
endif()
# The stand-in keeps captures and events forever, so that it notices their use after destruction.
set(sanitizer_options "")
if(TD_SANITIZE)
  set(sanitizer_options "ASAN_OPTIONS=set:detect_leaks=0")
endif()
foreach(order IN LISTS orders)
  td_add_stand_in_test(cuda_stand_in_${order} test_cuda_stand_in)
  set_property(TEST on_stand_in_cuda_stand_in_${order} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    TD_STAND_IN_ORDER=set:${order} ${sanitizer_options})
endforeach()
if(TARGET test_cuda_gpu)
  # Unobserved: the operation suite observes the kernels.
  set(gpu_cases "~[large]~[shapes]")
  if(TD_STAND_IN_COVERAGE)  # with gcov's counters its kernels take longer than a rank waits for another
    string(APPEND gpu_cases "~\"NCCL waits for the work before it*\"")
  endif()
  td_add_stand_in_test(cuda_gpu test_cuda_gpu "${gpu_cases}")
  set_property(TEST on_stand_in_cuda_gpu APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "TD_STAND_IN_OBSERVE=set:0")
  td_add_stand_in_test(shapes test_cuda_gpu "[shapes]")
  td_add_stand_in_test(large test_cuda_gpu "[large]")
  set_property(TEST on_stand_in_large APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "TD_STAND_IN_EDGES=set:8;TD_STAND_IN_MEMORY=set:12288")
  # Where each block is a separate allocation, the stand-in sees its end.
  td_add_stand_in_test(uncached test_cuda_gpu "-#" "[#libs_test]")
  set_property(TEST on_stand_in_uncached APPEND PROPERTY ENVIRONMENT_MODIFICATION "TD_NO_CACHING=set:1")
  # Once more with three ranks.
  td_add_stand_in_test(nccl test_cuda_gpu
    "-#" "[#nccl_test]~NCCL waits for the work before it*")
  list(APPEND three_gpus nccl)
endif()
td_add_stand_in_test(collectives test_cuda_stand_in
  "-#" "[#collectives_test],[#nccl_ranks_test]~[.child]")
list(APPEND three_gpus collectives)
if(TARGET test_cuda_build)  # the stand-in has doubles of NVIDIA's libraries
  td_add_stand_in_test(cuda_build test_cuda_build "~NVIDIA's libraries*")
endif()
set(areas autograd data ddp device distributed graphs io nn parallel tensor)
if(NOT TD_SANITIZE)
  list(APPEND areas amp blas cuda half machine ops optim td_more trace training)
endif()
foreach(area IN LISTS areas)
  td_add_stand_in_test(${area} test_${area})
  # The sanitizers look at the host's code; these areas would take minutes.
  if(TD_SANITIZE OR area MATCHES "^(amp|half|optim)$")
    set_property(TEST on_stand_in_${area} APPEND PROPERTY ENVIRONMENT_MODIFICATION
      "TD_STAND_IN_OBSERVE=set:0" ${sanitizer_options})
  endif()
endforeach()
if(NOT TD_SANITIZE)
  # The kernels of optimizers and of the gradient scaler, observed.
  td_add_stand_in_test(optim_kernels
    test_optim "*takes the steps of its formula*,step_if_finite*")
  td_add_stand_in_test(scaler_kernels test_amp "unscale_*,one infinity*,step_on_device*")
  # The chapters' programs, and what each of the exercises' solutions does on two GPUs.
  foreach(chapter IN ITEMS 01 02 03 04 04_inference 05 08 09 09_pipeline 11 12 13 15)
    td_add_stand_in_test(ch${chapter} python3 -B
      "${CMAKE_CURRENT_SOURCE_DIR}/system/stand_in_program_test.py" "${PROJECT_BINARY_DIR}/chapters"
      ${chapter})
  endforeach()
  td_add_stand_in_test(ch07 "${CMAKE_COMMAND}" -E env TD_STAND_IN_OBSERVE=0 python3 -B
    "${CMAKE_CURRENT_SOURCE_DIR}/system/amp_program_test.py" "${PROJECT_BINARY_DIR}/chapters" cuda:0)
  if(TD_GLOO_FOUND)  # ranks that are processes, whose kernels would take minutes under observers
    td_add_stand_in_test(ch06 "${CMAKE_COMMAND}" -E env TD_STAND_IN_OBSERVE=0 python3 -B
      "${CMAKE_CURRENT_SOURCE_DIR}/system/ddp_program_test.py" "${PROJECT_BINARY_DIR}/chapters" cuda)
    list(APPEND three_gpus ch06)
  endif()
  file(GLOB solutions CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/solutions/*/*.c*")
  foreach(solution IN LISTS solutions)
    string(REGEX MATCH "/(..)_[a-z_]+/([a-z0-9_]+)\\.cu?p*$" path "${solution}")
    if(NOT CMAKE_MATCH_1 STREQUAL "10")  # whose devices are a plugin's
      td_add_stand_in_test(solution_ch${CMAKE_MATCH_1}_${CMAKE_MATCH_2} check_ch${CMAKE_MATCH_1}
        "[${CMAKE_MATCH_2}]")
    endif()
  endforeach()
endif()
foreach(name IN LISTS three_gpus)
  set_property(TEST on_stand_in_${name} APPEND PROPERTY
    ENVIRONMENT_MODIFICATION "TD_STAND_IN_GPUS=set:3" ${sanitizer_options})
endforeach()
# The longest begin first (CTest's COST), and have time where other work shares the cores.
foreach(name IN ITEMS ops cuda_gpu)
  if(TEST on_stand_in_${name})
    set_tests_properties(on_stand_in_${name} PROPERTIES COST 100 TIMEOUT 600)
  endif()
endforeach()
