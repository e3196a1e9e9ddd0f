// A kernel's launch, which the core's kernels (kernels.cpp) pass to the stand-in for the runtime
// (launches.cpp). Includes nothing of CUDA and nothing of simt, which have types of the same
// names.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cuda_stand_in {

/// Memory that the launch names, as the program's address.
struct NamedMemory {
  const void* data;
  std::size_t bytes;
  bool writes;
};

struct KernelLaunch {
  std::string name;
  unsigned grid[3], block[3];
  std::size_t shared = 0;          ///< bytes of dynamic shared memory
  std::size_t argument_bytes = 0;  ///< CUDA takes at most 4096
  std::vector<NamedMemory> memory;
  std::function<void()> run;  ///< throws KernelFault
};

/// The device fails with this cudaError_t.
struct KernelFault {
  int code;
  std::string text;
};

/// What cudaLaunchKernel does; cudaGetLastError returns its error.
void launch_kernel(KernelLaunch launch, void* stream);

/// See stand_in.h.
void* device_view(const void* memory);
int memory_device(const void* memory);

}  // namespace cuda_stand_in
