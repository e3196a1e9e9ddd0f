// Explains CUDA's error codes: why there is no device, and what to do after a failure. Called by
// backend.cpp and kernels/launch.h, and only after something went wrong.
#include <cuda_runtime.h>

#include <algorithm>
#include <iterator>

#include "td/backends/cuda/cuda.h"
#include "td/base/error.h"

namespace td::cuda {
namespace {

// 13010 -> "13.1"
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// An error after which "any further CUDA work will return the same error", as driver_types.h says
// of each. Two are numbers because toolkits before 12.9 have no names for them.
bool loses_the_context(cudaError_t error) {
  constexpr int kErrors[] = {cudaErrorECCUncorrectable,
                             cudaErrorNvlinkUncorrectable,
                             226,  // cudaErrorContained
                             cudaErrorIllegalAddress,
                             cudaErrorLaunchTimeout,
                             cudaErrorAssert,
                             cudaErrorHardwareStackError,
                             cudaErrorIllegalInstruction,
                             cudaErrorMisalignedAddress,
                             cudaErrorInvalidAddressSpace,
                             cudaErrorInvalidPc,
                             cudaErrorLaunchFailure,
                             721};  // cudaErrorTensorMemoryLeak
  return std::find(std::begin(kErrors), std::end(kErrors), error) != std::end(kErrors);
}

constexpr const char* kStartFabricManager =
    "Where NVSwitches join the GPUs, as in HGX machines, the service nvidia-fabricmanager must "
    "run, in the version of the driver: `sudo systemctl start nvidia-fabricmanager`, then wait "
    "until `nvidia-smi -q` shows its Fabric state as Completed.";

const char* advice(cudaError_t error) {
  switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "This build holds no machine code for this GPU: look up its compute capability with "
             "`nvidia-smi --query-gpu=compute_cap --format=csv`, and configure the build with, "
             "for 8.6, -DCMAKE_CUDA_ARCHITECTURES=86-real.";
    case cudaErrorMemoryAllocation:
      return "Another process may hold the memory: `nvidia-smi` lists them.";
    case cudaErrorDevicesUnavailable:
      return "Another process has the GPU for itself: `nvidia-smi` lists the processes.";
    case cudaErrorSystemNotReady:
      return kStartFabricManager;
    case cudaErrorLaunchTimeout:
      return "The GPU also draws a screen, and the system stops kernels of some seconds there.";
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorCapturedEvent:
      return "The stream is being captured into a graph, and this cannot be part of one: the host "
             "may not wait for captured work, and captured streams may not wait for others.";
    default:
      break;
  }
  if (loses_the_context(error))
    return "A kernel queued earlier may be at fault. This process cannot use the GPU any more: "
           "run it again with CUDA_LAUNCH_BLOCKING=1 to stop at the operation, or under "
           "compute-sanitizer to see the address.";
  return "The driver refused; `nvidia-smi` shows whether the GPU is healthy.";
}

std::string reason(cudaError_t error, int driver, int runtime) {
  switch (error) {
    case cudaErrorInsufficientDriver:
      if (driver == 0)
        return "no NVIDIA driver was found: install one, or, in a container, start it with "
               "--gpus all.";
      return "the NVIDIA driver is too old: it serves CUDA " + version_text(driver) +
             ", and this build needs " + version_text(runtime) +
             ". Install a newer driver, or build with an older CUDA toolkit.";
    case cudaErrorStubLibrary:
      return "the libcuda.so.1 that was found is the toolkit's stub, made for linking only: take "
             "the toolkit's stubs folder out of LD_LIBRARY_PATH.";
    case cudaSuccess:
    case cudaErrorNoDevice:
      return "there is an NVIDIA driver but no GPU for this process: see what `nvidia-smi` lists, "
             "and whether CUDA_VISIBLE_DEVICES hides it.";
    case cudaErrorSystemNotReady:
      return std::string("the GPUs are not ready for CUDA (error 802). ") + kStartFabricManager;
    case cudaErrorSystemDriverMismatch:
      return "the NVIDIA driver in memory and its libraries on disk differ in version: restart "
             "the machine.";
    default:
      break;
  }
  return std::string("the NVIDIA driver reports: ") + cudaGetErrorString(error) +
         ". `nvidia-smi` tells more.";
}

}  // namespace

void throw_error(const std::string& doing, int cuda_error) {
  const auto error = static_cast<cudaError_t>(cuda_error);
  cudaGetLastError();  // otherwise the next call would report it again
  const std::string text = doing + ": " + cudaGetErrorString(error) + " (" +
                           cudaGetErrorName(error) + "). " + advice(error);
  if (loses_the_context(error)) throw AsyncError(text);
  throw DeviceError(text);
}

std::string no_device_reason(int cuda_error, int driver, int runtime) {
  return reason(static_cast<cudaError_t>(cuda_error), driver, runtime) +
         " Or use sim:0, the software accelerator.";
}

}  // namespace td::cuda
