// The stand-in's launches: checked as CUDA checks them, then queued. What runs is the kernel
// itself, on the SIMT machine (kernels.cpp).
#include "kernel_launch.h"
#include "uses.h"

namespace cuda_stand_in {
namespace {

bool has_bad_shape(const unsigned* grid, const unsigned* block) {
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || block[i] == 0) return true;
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  return threads > 1024 || block[2] > 64 || grid[0] > 0x7FFFFFFFu || grid[1] > 65535 ||
         grid[2] > 65535;
}

Operation operation_of(KernelLaunch launch) {
  Operation operation{launch.name, {}, [run = std::move(launch.run)](bool) {
                        try {
                          run();
                        } catch (const KernelFault& fault) {
                          throw DeviceFault{static_cast<cudaError_t>(fault.code), fault.text};
                        }
                        return true;
                      }};
  for (const NamedMemory& memory : launch.memory)
    operation.uses.push_back({memory.data, memory.bytes, memory.writes});
  return operation;
}

}  // namespace

void launch_kernel(KernelLaunch launch, void* handle) {
  static constexpr const char* kCall = "cudaLaunchKernel";
  call(kCall, true, [&](State& all, Lock& lock) {
    if (has_bad_shape(launch.grid, launch.block)) return cudaErrorInvalidConfiguration;
    // Of an H100, where the kernel allows more than 48 KiB (simt/kernel_library/cuda_exports.h).
    if (launch.shared > 227 * 1024) return cudaErrorInvalidValue;
    if (launch.argument_bytes > 4096)
      return refuse(all, kCall, launch.name + " has more than 4096 bytes of arguments");
    Stream& stream = stream_of(all, static_cast<cudaStream_t>(handle));
    if (stream.device != thread.device) return cudaErrorInvalidResourceHandle;
    all.last = {launch.name,
                stream.device,
                {launch.grid[0], launch.grid[1], launch.grid[2]},
                {launch.block[0], launch.block[1], launch.block[2]}};
    Operation operation = operation_of(std::move(launch));
    if (const cudaError_t error = check_memory(all, kCall, operation, stream.device)) return error;
    return put_operation(all, kCall, stream, std::move(operation), lock);
  });
}

}  // namespace cuda_stand_in

/// Takes the place of td::Backend::kernel_address, which every object defines weakly: kernels of
/// the core find the memory of cuda tensors where the stand-in maps it for them.
void* kernel_address_on_stand_in(const void* backend, int device,
                                 void* memory) asm("_ZNK2td7Backend14kernel_addressEiPv");
void* kernel_address_on_stand_in(const void*, int, void* memory) {
  return cuda_stand_in::device_view(memory);
}
