// Lets g++ compile the core's device code, which nvcc compiles for a GPU, for the stand-in for
// CUDA. The build for these tests includes it before every kernel file of common/td, and defines
// TD_DEVICE_CODE. It provides what device_code.h has from nvcc: CUDA's language and `start`. It
// also declares what the core calls of CUDA's runtime in kernel files, because the vector types of
// simt have the names of CUDA's. Invariant: a launch on cuda runs what a GPU would run, on the SIMT
// machine.
#pragma once

#include <tuple>
#include <type_traits>

#include "simt/kernel.h"

#define __grid_constant__

using cudaStream_t = struct CUstream_st*;
using cudaError_t = int;
extern "C" cudaError_t cudaGetLastError();

namespace td {

struct Record;

namespace device_code {

/// While one exists, kernels that this thread starts belong to this launch of the core and may
/// access the memory that the record names, and no other.
class Launching {
 public:
  explicit Launching(const Record& record);
  ~Launching();
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;
};

/// Queues the grid on the stream, as cudaLaunchKernel does. `call` calls the kernel once, for one
/// thread; it is given a copy of `arguments`. `shared`: bytes of dynamic shared memory.
void launch(const void* kernel, dim3 grid, dim3 block, cudaStream_t stream,
            void (*call)(const void* arguments), const void* arguments, std::size_t bytes,
            std::size_t shared = 0);

}  // namespace device_code

namespace {

template <class... T>
void start(void (*kernel)(T...), dim3 grid, dim3 block, cudaStream_t stream,
           const std::type_identity_t<T>&... arguments) {
  using Call = std::tuple<void (*)(T...), T...>;
  static_assert((std::is_trivially_copyable_v<T> && ...), "the arguments are copied as bytes");
  static_assert(alignof(Call) <= 16);
  const Call call(kernel, arguments...);
  device_code::launch(
      reinterpret_cast<const void*>(kernel), grid, block, stream,
      [](const void* all) {
        std::apply([](auto* f, const T&... values) { f(values...); },
                   *static_cast<const Call*>(all));
      },
      &call, sizeof call);
}

}  // namespace
}  // namespace td
