#!/bin/bash
# What doctor.sh finds out about the CUDA Toolkit, and NVIDIA's libraries where cmake/NvidiaLibraries.cmake finds
# them. Sourced by it, after doctor_cuda.sh, whose gpu_count and driver_cuda it reads.
# Invariant: a toolkit is judged only together with the GPU and the driver that it is for.
# shellcheck disable=SC2034,SC2154  # doctor.sh and its other parts share these variables

toolkit_root="" has_cudnn=false has_nccl=false

examine_toolkit() {
  local nvcc text
  if [[ ":${LD_LIBRARY_PATH:-}:" == */stubs:* || ":${LD_LIBRARY_PATH:-}:" == */stubs/:* ]]; then
    finding warning cuda_stubs "LD_LIBRARY_PATH names the toolkit's stubs folder." \
      "Programs load its empty libcuda.so.1 instead of the driver and find no GPU (error 34)." "$ unset LD_LIBRARY_PATH"
    no_cuda "LD_LIBRARY_PATH names the toolkit's stubs"
  fi
  if ! nvcc="$(command -v nvcc)"; then
    examine_absent_toolkit
    return
  fi
  toolkit_root="$(dirname "$(dirname "$(readlink -f "$nvcc")")")"
  text="$("$nvcc" --version 2>/dev/null)"
  [[ "$text" =~ release\ ([0-9]+\.[0-9]+) ]] && toolkit_version="${BASH_REMATCH[1]}"
  if ! at_least "$toolkit_version" 13.0; then
    finding warning toolkit_too_old "The CUDA Toolkit is ${toolkit_version:-of an unknown version} ($nvcc)." \
      "The course needs CUDA 13. Without it the course runs on cpu and sim." "$ ./course setup --cuda"
    no_cuda "the CUDA Toolkit is too old"
    return
  fi
  if [ "$gpu_count" -eq 0 ]; then
    finding note toolkit_without_gpu "CUDA Toolkit $toolkit_version ($nvcc), and no GPU." \
      "The course runs on cpu and sim, and leaves CUDA out of the build. ./course test --all compiles it."
    return
  fi
  examine_fit "$nvcc"
  examine_nvidia_libraries
  if [ -z "$without_cuda" ] && grep -qs '^TD_CUDA_CHOICE:INTERNAL=off' build/release/CMakeCache.txt; then
    finding note build_without_cuda "build/release was configured with TD_CUDA=OFF." \
      "Programs run on cpu and sim until it is switched on." "$ cmake --preset release -DTD_CUDA=AUTO"
  fi
}

examine_absent_toolkit() {
  if [ "$gpu_count" -eq 0 ]; then
    finding ok toolkit_not_needed "There is no CUDA Toolkit, and without a GPU none is needed."
  elif [ -n "$without_cuda" ]; then
    finding note toolkit_absent "There is no CUDA Toolkit." "The GPU cannot be used for the reason above, so it would not help yet."
  else
    finding warning toolkit_missing "There is a GPU and its driver, and no CUDA Toolkit (nvcc)." \
      "The course runs on cpu and sim. This installs the toolkit into the course, without root: 1.2 GB to download." \
      "$ ./course setup --cuda"
    no_cuda "there is no CUDA Toolkit"
  fi
}

examine_fit() {  # examine_fit NVCC: toolkit against driver, GPU and compiler
  local nvcc="$1" text capability fits=true
  if [ -n "$driver_cuda" ] && [ "${toolkit_version%.*}" -gt "${driver_cuda%.*}" ] && at_least "$driver_cuda" 13.0; then
    finding warning toolkit_newer_than_driver "The CUDA Toolkit is $toolkit_version, and the driver serves CUDA $driver_cuda." \
      "Within one major version an older driver runs newer programs, across major versions it does not." "$ ./course setup --cuda"
    no_cuda "the CUDA Toolkit is newer than the driver" && fits=false
  fi
  text="$("$nvcc" --list-gpu-arch 2>/dev/null)"
  for capability in "${gpu_capabilities[@]}"; do
    if [ -n "$text" ] && at_least "$capability" 7.5 && ! grep -qx "compute_${capability/./}" <<<"$text"; then
      finding warning toolkit_lacks_gpu "CUDA Toolkit $toolkit_version does not know compute capability $capability." \
        "It compiles nothing for this GPU. A newer toolkit does: https://developer.nvidia.com/cuda-downloads"
      no_cuda "the CUDA Toolkit does not know the GPU" && fits=false
    fi
  done
  examine_host_compiler || fits=false
  ! $fits || finding ok toolkit "CUDA Toolkit $toolkit_version ($nvcc)"
}

# CXX is not for nvcc: CMake gives it CUDAHOSTCXX, and without that variable nvcc takes g++.
examine_host_compiler() {
  local host="${CUDAHOSTCXX:-g++}" version
  version="$("$host" -dumpfullversion 2>/dev/null)" || return 0
  if at_least "$version" 16; then
    finding warning toolkit_compiler_new "nvcc takes g++ up to 15, and $host is g++ $version." \
      "The build with CUDA fails with \"unsupported GNU version\"." "$(install_steps g++-14)" \
      "$ export CUDAHOSTCXX=g++-14"
  elif ! at_least "$version" 12; then
    finding warning toolkit_compiler_old "nvcc compiles the host's part of the code with $host, which is g++ $version." \
      "The course needs g++ 12 or later for that, too." "$ export CUDAHOSTCXX=${CXX:-g++-12}"
  else
    return 0
  fi
  no_cuda "nvcc does not take this g++"
  return 1
}

python_folders() { python3 -c 'import sys; print("\n".join(p for p in sys.path if p))' 2>/dev/null; }

find_nvidia() {  # find_nvidia HEADER LIBRARY-PATTERN: both in one place, as the build takes them
  local folder
  for folder in "$toolkit_root" "$toolkit_root"/targets/*; do
    [ -e "$folder/include/$1" ] && compgen -G "$folder/lib*/$2" >/dev/null && return
  done
  find_header "$1" >/dev/null && find_library "$2" >/dev/null && return
  while IFS= read -r folder; do
    compgen -G "$folder/nvidia/*/include/$1" >/dev/null && compgen -G "$folder/nvidia/*/lib/$2" >/dev/null && return
  done < <(python_folders)
  return 1
}

examine_nvidia_libraries() {
  if find_nvidia cublas_v2.h 'libcublas.so*'; then finding ok cublas "cuBLAS"; else
    finding warning cublas_missing "The CUDA Toolkit has no cuBLAS." "Matrix products on cuda fail with a message: most chapters need them." \
      "$ ./course setup --cuda"
  fi
  if find_nvidia cudnn.h 'libcudnn.so*'; then has_cudnn=true && finding ok cudnn "cuDNN"; else
    finding warning cudnn_missing "cuDNN is not here, which is no part of the toolkit." \
      "Convolutions on cuda fail with a message: chapters 04, 05, 06, 07 and 09 train their networks on cpu or sim." \
      "$ ./course setup --cuda"
  fi
  if find_nvidia nccl.h 'libnccl.so*'; then has_nccl=true && finding ok nccl "NCCL"; else
    finding "$([ "$gpu_count" -gt 1 ] && echo warning || echo note)" nccl_missing "NCCL is not here, which is no part of the toolkit." \
      "Ranks cannot exchange tensors between GPUs: chapters 06 and 14 run on cpu and sim." "$ ./course setup --cuda"
  fi
}
