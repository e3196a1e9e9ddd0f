// The only place where kernels are launched. A kernel is a trivially copyable struct ("work") with
// `on_host()`, and, in files compiled by nvcc, `on_cuda(stream)`. cpu runs it now, sim queues
// it, cuda launches it. Included by kernel files only: nvcc and g++ see different bodies here, so
// no other file may (a build would hold two versions of one function).
#pragma once

#ifndef TD_KERNEL_FILE
#error "kernels/launch.h is for kernel files, whose names end in .cu; elsewhere call ops/kernels.h"
#endif

#include <span>

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

template <class Work>
[[gnu::noinline]] Record make_record(const char* name, const Work& work, TensorRefs reads,
                                     TensorRefs writes) {
  Record record(name);
  for (const Tensor* t : reads)
    if (t->defined()) record.reads_from(extent_of(*t).data, extent_of(*t).bytes);
  for (const Tensor* t : writes)
    if (t->defined()) record.writes_to(extent_of(*t).data, extent_of(*t).bytes);
  record.set_work([work] { work.on_host(); });
  return record;
}

#ifdef TD_DEVICE_CODE
// A kernel that reads address 0 or the host's memory ends this process's use of the GPU, and the
// error comes later and names another operation. So every launch is checked before it starts.
inline void check_memory(const char* name, Device device, TensorRefs tensors) {
  for (const Tensor* t : tensors) {
    if (!t->defined() || t->numel() == 0) continue;
    const bool is_number = t->is_cpu() && t->dim() == 0;  // its value is among the arguments
    TD_CHECK(DeviceError, is_number || (t->device() == device && t->data_ptr()), name, " on ",
             device, " was launched with a tensor on ", t->device(), " at address ", t->data_ptr(),
             "; this is a fault of td, please report it");
  }
}

// What on_cuda returns; true where it returns nothing.
template <class Work>
bool start_on_cuda(const Work& work, cudaStream_t stream) {
  if constexpr (std::is_same_v<decltype(work.on_cuda(stream)), bool>) {
    return work.on_cuda(stream);
  } else {
    work.on_cuda(stream);
    return true;
  }
}

// Starts the work; throws when CUDA rejects it, or reports that earlier work failed.
template <class Work>
bool launch_on_cuda(const char* name, Device device, const Work& work, TensorRefs reads,
                    TensorRefs writes) {
  check_memory(name, device, reads);
  check_memory(name, device, writes);
#ifndef __CUDACC__
  const device_code::Launching launching(make_record(name, work, reads, writes));
#endif
  NativeStream* const stream = current_native_stream(device);
  cuda::use_device(device.index());
  const auto span = cuda::stream_span(name, 0, device.index(), stream, trace::Category::kKernel);
  const bool started = start_on_cuda(work, reinterpret_cast<cudaStream_t>(stream));
  if (const cudaError_t error = cudaGetLastError()) [[unlikely]]
    cuda::throw_error(name + (" on " + device.str()), error);
  return started;
}
#endif

/// Runs `work` on `device`, in the order of its current stream.
/// @param reads,writes the tensors whose memory the work touches; undefined ones are skipped.
/// @return false when the work's on_cuda says that there is no such kernel: nothing was started.
template <class Work>
bool launch(const char* name, Device device, const Work& work, TensorRefs reads,
            TensorRefs writes) {
  if (observed.load(std::memory_order_acquire)) [[unlikely]]
    tell_issued(make_record(name, work, reads, writes), device);
  switch (device.type()) {
    case DeviceType::CPU:
      if (trace::is_on()) [[unlikely]]
        run_with_span(make_record(name, work, reads, writes));
      else
        work.on_host();
      return true;
    case DeviceType::CUDA:
#ifdef TD_DEVICE_CODE
      return launch_on_cuda(name, device, work, reads, writes);
#else
      fail<DeviceError>(
          name, ": this build has no CUDA kernels; configure it with TD_CUDA=ON, which needs nvcc");
#endif
    default:
      backend(device.type())
          .submit(make_record(name, work, reads, writes), device.index(),
                  current_native_stream(device));
      return true;
  }
}

}  // namespace
}  // namespace td
