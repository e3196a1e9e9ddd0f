// In a build with CUDA, a kernel library libX.so has libX_cuda.so next to it: the same file,
// compiled by nvcc. It is opened at the first launch on cuda, by its path and with local symbols,
// because both define the kernels under the same names.
#include "launch/cuda_launch.h"

#include "td/base/error.h"
#include "td/device/stream.h"

#ifdef TD_HAS_CUDA
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <map>
#include <mutex>

#include "td/backends/cuda/cuda.h"
#include "td/device/context.h"
#endif

namespace td::simt {

#ifdef TD_HAS_CUDA
namespace {

/// td_launch_kernel of kernel_library/cuda_exports.h.
using LaunchFunction = cudaError_t(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                   std::size_t shared, bool is_cooperative, cudaStream_t stream);

/// What nvcc makes of a kernel.
struct CudaKernel {
  const void* stub = nullptr;  ///< A host function whose address names the kernel to the runtime.
  LaunchFunction* launch = nullptr;  ///< Of the kernel's library.
};

CudaKernel find_kernel(const CudaLaunch& launch) {
  const char* const name = launch.record.name;
  Dl_info info{};
  TD_CHECK(DeviceError, dladdr(launch.kernel, &info) && info.dli_sname, name,
           ": its library does not export it; remove `static` from the kernel");
  std::string path = info.dli_fname;
  const std::size_t end = path.rfind(".so");
  path.insert(end == path.npos ? path.size() : end, "_cuda");
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  TD_CHECK(DeviceError, library, name, ": no kernels for cuda in this build: ", dlerror());
  const CudaKernel kernel{dlsym(library, info.dli_sname),
                          reinterpret_cast<LaunchFunction*>(dlsym(library, "td_launch_kernel"))};
  TD_CHECK(DeviceError, kernel.stub && kernel.launch, name, " is not in ", path,
           "; build it again");
  return kernel;
}

CudaKernel kernel_of(const CudaLaunch& launch) {
  static std::mutex mutex;
  static auto& kernels = *new std::map<const void*, CudaKernel>;
  std::lock_guard lock(mutex);
  CudaKernel& kernel = kernels[launch.kernel];
  if (!kernel.stub) kernel = find_kernel(launch);
  return kernel;
}

}  // namespace

void launch_on_cuda(const CudaLaunch& launch) {
  const CudaKernel kernel = kernel_of(launch);
  void* const stream = current_native_stream(launch.device);
  const DeviceGuard guard(launch.device);
  const int index = launch.device.index();
  cuda::use_device(index);
  const auto span =
      cuda::stream_span(launch.record.name, 0, index, stream, trace::Category::kKernel);
  const dim3 grid(launch.grid[0], launch.grid[1], launch.grid[2]);
  const dim3 block(launch.block[0], launch.block[1], launch.block[2]);
  const cudaError_t error = kernel.launch(kernel.stub, grid, block, launch.arguments, launch.shared,
                                          launch.is_cooperative, static_cast<cudaStream_t>(stream));
  if (error) cuda::throw_error(launch.record.name + (" on " + launch.device.str()), error);
}
#else
void launch_on_cuda(const CudaLaunch& launch) {
  fail<DeviceError>(
      launch.record.name,
      ": this build has no CUDA kernels; configure it with TD_CUDA=ON, which needs nvcc");
}
#endif

}  // namespace td::simt
