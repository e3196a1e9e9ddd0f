// The only place where kernels are launched. A kernel is a trivially copyable struct ("work") with
// `on_host()`, and, in files compiled by nvcc, `on_cuda(stream)`. cpu runs it now, sim queues
// it, cuda launches it. Included by kernel files only: nvcc and g++ see different bodies here, so
// no other file may (a build would hold two versions of one function).
#pragma once

#ifndef TD_KERNEL_FILE
#error "kernels/launch.h is for kernel files, whose names end in .cu; elsewhere call ops/kernels.h"
#endif

#include <span>
#include <type_traits>

#include "td/base/span.h"
#include "td/device/backend.h"
#include "td/device/context.h"
#include "td/device/record.h"
#include "td/kernels/device_code.h"
#include "td/tensor/tensor.h"

#ifdef TD_DEVICE_CODE
#include "td/backends/cuda/cuda.h"
#endif

namespace td {
namespace {

/// The address at which a kernel of the tensor's device finds the elements.
template <class T>
inline T* kernel_pointer(const Tensor& tensor) {
  const Device device = tensor.device();
  void* data = tensor.data_ptr();
  if (!device.is_cpu()) data = backend(device.type()).kernel_address(device.index(), data);
  return static_cast<T*>(data);
}

/// The same for a member of a kernel, whose type it takes: `Kernel<T>{Pointer{x}, Pointer{y}}`.
/// nullptr where the tensor is undefined.
struct Pointer {
  const Tensor& of;
  template <class T>
  operator T*() const {
    return of.defined() ? kernel_pointer<T>(of) : nullptr;
  }
};

/// Whether a kernel reads type `from` and writes type `to` in one pass: sums and softmax whose
/// caller wants float32 make no float32 copy of a 16-bit input first. Such a kernel computes in
/// float.
constexpr bool widens(ScalarType from, ScalarType to) {
  return to == kFloat && (from == kHalf || from == kBFloat16);
}

/// Calls `f(CppType<Narrow>{}, CppType<Wide>{})` for float types that are equal, or float32 next to
/// a 16-bit one. @pre wide == narrow or widens(narrow, wide).
template <class F>
void dispatch_mixed(const char* op, ScalarType narrow, ScalarType wide, F&& f) {
  dispatch_floats(op, narrow, [&]<class T>(CppType<T> type) {
    if constexpr (!std::is_same_v<T, compute_t<T>>)
      if (wide == kFloat) return f(type, CppType<float>{});
    f(type, type);
  });
}

/// From the tensor's lowest to its highest address. A stride may be negative.
inline Extent extent_of(const Tensor& tensor) {
  if (tensor.is_contiguous() || tensor.numel() == 0) return {tensor.data_ptr(), tensor.nbytes()};
  std::int64_t lowest = 0, highest = 0;  // in elements from the first one
  for (std::int64_t d = 0; d < tensor.dim(); ++d) {
    const std::int64_t last = (tensor.size(d) - 1) * tensor.stride(d);
    (last < 0 ? lowest : highest) += last;
  }
  const auto bytes = static_cast<std::int64_t>(tensor.element_size());
  return {static_cast<std::byte*>(tensor.data_ptr()) + lowest * bytes,
          static_cast<std::size_t>((highest - lowest + 1) * bytes)};
}

/// The tensors a launch reads or writes: braces, or an array whose length is known at run time.
/// Valid during the call it is passed to.
struct TensorRefs : std::span<const Tensor* const> {
  TensorRefs(std::initializer_list<const Tensor*> list) : span(std::data(list), list.size()) {}
  TensorRefs(const Tensor* const* first, std::size_t count) : span(first, count) {}
};

/// One launch, whatever its kernel is: the code below is compiled once, and not once per kernel.
/// Valid during the call it is passed to.
struct Launch {
  const char* name;  ///< A string that lives as long as the process.
  Device device;
  const void* work;                   ///< The kernel's arguments,
  std::size_t bytes;                  ///< so many bytes,
  void (*on_host)(const void* work);  ///< and the function for them.
  TensorRefs reads, writes;           ///< Undefined ones are skipped.
};

/// The same as a record, which outlives the call.
[[gnu::noinline]] inline Record record_of(const Launch& launch) {
  Record record(launch.name);
  for (const Tensor* t : launch.reads)
    if (t->defined()) record.reads_from(extent_of(*t).data, extent_of(*t).bytes);
  for (const Tensor* t : launch.writes)
    if (t->defined()) record.writes_to(extent_of(*t).data, extent_of(*t).bytes);
  record.set_work(launch.work, launch.bytes, launch.on_host);
  return record;
}

/// Tells the observers, if there are any.
inline void announce(const Launch& launch) {
  if (observed.load(std::memory_order_acquire)) [[unlikely]]
    tell_issued(record_of(launch), launch.device);
}

/// Runs the launch on cpu, with a span, or queues it on the current stream of a device other than
/// cuda.
[[gnu::noinline]] inline void submit(const Launch& launch) {
  announce(launch);
  switch (launch.device.type()) {
    case DeviceType::CPU:
      return run_with_span(record_of(launch));
    case DeviceType::CUDA:
      fail<DeviceError>(
          launch.name,
          ": this build has no CUDA kernels; configure it with TD_CUDA=ON, which needs nvcc");
    default:
      backend(launch.device.type())
          .submit(record_of(launch), launch.device.index(), current_native_stream(launch.device));
  }
}

#ifdef TD_DEVICE_CODE
// A kernel that reads address 0 or the host's memory ends this process's use of the GPU, and the
// error comes later and names another operation. So every launch is checked before it starts.
inline void check_memory(const Launch& launch) {
  for (const TensorRefs& tensors : {launch.reads, launch.writes})
    for (const Tensor* t : tensors) {
      if (!t->defined() || t->numel() == 0) continue;
      const bool is_number = t->is_cpu() && t->dim() == 0;  // its value is among the arguments
      TD_CHECK(DeviceError, is_number || (t->device() == launch.device && t->data_ptr()),
               launch.name, " on ", launch.device, " was launched with a tensor on ", t->device(),
               " at address ", t->data_ptr(), "; this is a fault of td, please report it");
    }
}

// Queues the kernel on the current stream; throws when CUDA rejects it, or reports that earlier
// work failed.
inline bool launch_on_cuda(const Launch& launch, bool (*start)(const void* work, cudaStream_t)) {
  announce(launch);
  check_memory(launch);
#ifndef __CUDACC__
  const device_code::Launching launching(record_of(launch));
#endif
  const Device device = launch.device;
  NativeStream* const stream = current_native_stream(device);
  cuda::use_device(device.index());
  const auto span =
      cuda::stream_span(launch.name, 0, device.index(), stream, trace::Category::kKernel);
  const bool started = start(launch.work, reinterpret_cast<cudaStream_t>(stream));
  if (const cudaError_t error = cudaGetLastError()) [[unlikely]]
    cuda::throw_error(launch.name + (" on " + device.str()), error);
  return started;
}

// Returns what on_cuda returns, and true where it returns nothing.
template <class Work>
bool start_on_cuda(const void* bytes, cudaStream_t stream) {
  const Work& work = *static_cast<const Work*>(bytes);
  if constexpr (std::is_same_v<decltype(work.on_cuda(stream)), bool>) {
    return work.on_cuda(stream);
  } else {
    work.on_cuda(stream);
    return true;
  }
}
#endif

// Not inlined, so that there is one copy of the kernel's loops for the call below and for records.
template <class Work>
[[gnu::noinline]] void run_on_host(const void* work) {
  static_cast<const Work*>(work)->on_host();
}

/// Runs `work` on `device`, in the order of its current stream.
/// @param reads,writes the tensors whose memory the work touches; undefined ones are skipped.
/// @return false when the work's on_cuda says that there is no such kernel: nothing was started.
template <class Work>
bool launch(const char* name, Device device, const Work& work, TensorRefs reads,
            TensorRefs writes) {
  static_assert(std::is_trivially_copyable_v<Work>, "a launch is copied as bytes");
  static_assert(sizeof(Work) <= Record::kMaxWork, "make the work's arguments smaller");
  const bool is_seen = observed.load(std::memory_order_acquire) || trace::is_on();
  if (device.is_cpu() && !is_seen) {  // on cpu a launch is usually a function call
    run_on_host<Work>(&work);
    return true;
  }
  const Launch data{name, device, &work, sizeof work, run_on_host<Work>, reads, writes};
#ifdef TD_DEVICE_CODE
  if (device.is_cuda()) return launch_on_cuda(data, start_on_cuda<Work>);
#endif
  submit(data);
  return true;
}

}  // namespace
}  // namespace td
