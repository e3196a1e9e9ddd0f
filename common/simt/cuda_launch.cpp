// A kernel library libX.so has, where the build has CUDA, libX_cuda.so next to it: the same file,
// compiled by nvcc. It is opened at the first launch on cuda, by its path and with its symbols for
// itself, because both define the kernels under the same names.
#include "simt/cuda_launch.h"

#include "td/base/error.h"
#include "td/device/stream.h"

#ifdef TD_HAS_CUDA
#include <dlfcn.h>

#include <map>
#include <mutex>

#include "td/backends/cuda/cuda.h"
#include "td/backends/cuda/spans.h"
#include "td/device/thread_state.h"
#endif

namespace td::simt {

#ifdef TD_HAS_CUDA
namespace {

/// A kernel as nvcc has compiled it.
struct CudaKernel {
  const void* host_function = nullptr;  // its address names the kernel to the runtime
  // td_start_kernel of its library (kernel_library/cuda_start.cu).
  int (*start)(const void* kernel, const unsigned* grid, const unsigned* block, void** arguments,
               std::size_t shared, void* stream) = nullptr;
};

CudaKernel find_kernel(const CudaLaunch& launch) {
  Dl_info info{};
  TD_CHECK(DeviceError, dladdr(launch.kernel, &info) && info.dli_sname, launch.name,
           ": its library does not export it; remove `static` from the kernel");
  std::string path = info.dli_fname;
  const std::size_t end = path.rfind(".so");
  path.insert(end == path.npos ? path.size() : end, "_cuda");
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  TD_CHECK(DeviceError, library, launch.name, ": no kernels for cuda in this build: ", dlerror());
  CudaKernel kernel;
  kernel.host_function = dlsym(library, info.dli_sname);
  kernel.start = reinterpret_cast<decltype(kernel.start)>(dlsym(library, "td_start_kernel"));
  TD_CHECK(DeviceError, kernel.host_function && kernel.start, launch.name, " is not in ", path,
           "; build it again");
  return kernel;
}

const CudaKernel& kernel_of(const CudaLaunch& launch) {
  static std::mutex mutex;
  static auto& kernels = *new std::map<const void*, CudaKernel>;
  std::lock_guard lock(mutex);
  CudaKernel& kernel = kernels[launch.kernel];
  if (!kernel.start) kernel = find_kernel(launch);
  return kernel;
}

}  // namespace

void launch_on_cuda(const CudaLaunch& launch) {
  const CudaKernel& kernel = kernel_of(launch);
  void* const stream = current_native_stream(launch.device);
  const DeviceGuard guard(launch.device);
  const cuda::StreamSpan span(launch.name.c_str(), launch.device.index(), stream);
  if (const int error = kernel.start(kernel.host_function, launch.grid, launch.block,
                                     launch.arguments, launch.shared, stream))
    cuda::throw_error(launch.name + " on " + launch.device.str(), error);
}
#else
void launch_on_cuda(const CudaLaunch& launch) {
  fail<DeviceError>(launch.name,
                    ": this build has no kernels for cuda; build where nvcc is installed");
}
#endif

}  // namespace td::simt
