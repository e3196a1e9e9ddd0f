// Launches the version of a kernel that nvcc has compiled. Used by launch.cpp. Includes no header
// of simt, because simt's vector types have the same names as CUDA's.
#pragma once

#include <cstddef>

#include "td/device/device.h"
#include "td/device/record.h"

namespace td::simt {

/// A launch on cuda, in the terms of cudaLaunchKernel.
struct CudaLaunch {
  const Record& record;  ///< The launch's name, and what it reads and writes; without its work.
  const void* kernel;    ///< As g++ has compiled it for sim; its name leads to the other version.
  void (*call)(const void* values);  ///< Runs that version for one thread, where there is no GPU.
  unsigned grid[3], block[3];
  std::size_t shared;  ///< bytes
  bool is_cooperative;
  void** arguments;    ///< where the value of each parameter is
  const void* values;  ///< of all parameters, as `call` takes them
  std::size_t value_bytes;
  Device device;
};

/// Queues the kernel on the current stream of the device, as `<<<>>>` does.
/// @throws DeviceError when this build has no kernels for cuda, and when CUDA rejects the launch.
void launch_on_cuda(const CudaLaunch& launch);

}  // namespace td::simt
