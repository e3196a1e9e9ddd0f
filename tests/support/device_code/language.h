// Lets g++ compile the core's device code, which nvcc compiles for a GPU, so that sim runs it on
// the SIMT machine. The build for these tests includes it before every kernel file of common/td,
// and defines TD_DEVICE_CODE. It provides what device_code.h has from nvcc: CUDA's words and
// `start`. Invariant: a launch of sim then runs what a GPU would run, observed; what the observers
// find is the launch's error.
#pragma once

#include <tuple>
#include <type_traits>

#include "simt/kernel.h"
#include "td/device/device.h"

#define __grid_constant__

using cudaStream_t = void*;

namespace td {

struct Record;

namespace device_code {

/// What a kernel may access: the memory that a record reads and writes.
struct Memory;
/// Keeps the record's name and memory for the life of the process, because records own nothing.
const Memory* memory_of(const Record& record, Device device);

/// While it exists, kernels of this thread belong to a launch with this memory.
class Launching {
 public:
  explicit Launching(const Memory* memory);
  ~Launching();
};

/// Runs the grid on the machine. `call` calls the kernel once, for one thread, with copies of the
/// arguments. @throws Error with the first finding.
void run(const void* kernel, dim3 grid, dim3 block, void (*call)(const void* arguments),
         const void* arguments, std::size_t bytes);

}  // namespace device_code

namespace {

template <class... T>
void start(void (*kernel)(T...), dim3 grid, dim3 block, cudaStream_t,
           const std::type_identity_t<T>&... arguments) {
  using Call = std::tuple<void (*)(T...), T...>;
  const Call call(kernel, arguments...);
  device_code::run(
      reinterpret_cast<const void*>(kernel), grid, block,
      [](const void* all) {
        std::apply([](auto* f, const T&... values) { f(values...); },
                   *static_cast<const Call*>(all));
      },
      &call, sizeof call);
}

/// Makes the record run the work's device code.
template <class RecordType, class Work>
void set_device_code(RecordType& record, Device device, const Work& work) {
  record.set_work([work, memory = device_code::memory_of(record, device)] {
    const device_code::Launching launching(memory);
    work.on_cuda(nullptr);
  });
}

}  // namespace
}  // namespace td
