// Queues kernels of kernel libraries, such as those of the chapters' exercises, on the stand-in's
// streams. Replaces common/launch/cuda_launch.cpp, which loads the code that nvcc compiled from
// them. Invariant: what runs is the version of the kernel that g++ has compiled for sim.
#include "launch/cuda_launch.h"

#include "language.h"
#include "td/backends/cuda/cuda.h"
#include "td/device/context.h"
#include "td/device/stream.h"

namespace td::simt {

void launch_on_cuda(const CudaLaunch& launch) {
  const auto stream = reinterpret_cast<cudaStream_t>(current_native_stream(launch.device));
  const DeviceGuard guard(launch.device);
  const int index = launch.device.index();
  cuda::use_device(index);
  const auto span =
      cuda::stream_span(launch.record.name, 0, index, stream, trace::Category::kKernel);
  const device_code::Launching launching(launch.record);
  const auto& [x, y, z] = launch.grid;
  const auto& [block_x, block_y, block_z] = launch.block;
  device_code::launch(launch.kernel, {x, y, z}, {block_x, block_y, block_z}, stream, launch.call,
                      launch.values, launch.value_bytes, launch.shared);
  if (const cudaError_t error = cudaGetLastError())
    cuda::throw_error(launch.record.name + (" on " + launch.device.str()), error);
}

}  // namespace td::simt
