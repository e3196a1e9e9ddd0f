// Launches the version of a kernel that nvcc has compiled. Used by launch.cpp. Includes nothing of
// simt, whose vector types have the names of CUDA's.
#pragma once

#include <cstddef>
#include <string>

#include "td/device/device.h"

namespace td::simt {

/// A launch on cuda, in the terms of cudaLaunchKernel.
struct CudaLaunch {
  std::string name;
  const void* kernel;  ///< As g++ has compiled it for sim; its name leads to the other version.
  unsigned grid[3], block[3];
  std::size_t shared;  ///< bytes
  void** arguments;    ///< where the value of each parameter is
  Device device;
};

/// Queues the kernel on the current stream of the device, as `<<<>>>` does.
/// @throws DeviceError when this build has no kernels for cuda, and when CUDA refuses the launch.
void launch_on_cuda(const CudaLaunch& launch);

}  // namespace td::simt
