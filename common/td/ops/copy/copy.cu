// What happens behind .to(device): to, copy_, clone, contiguous, pin_memory, item, and the kernel
// that copies values on one device to another type or to other strides. The chapter on tensor moves
// reads this file.
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/graph.h"
#include "td/device/record.h"
#include "td/kernels/pointwise.h"
#include "td/ops/op.h"

namespace td {
namespace {

struct Identity {
  template <class T>
  TD_HD T operator()(T x) const {
    return x;
  }
};
}  // namespace

void kernels::convert(const Tensor& out, const Tensor& x) {
  dispatch_all(out.dtype(), [&]<class To>(CppType<To>) {
    dispatch_all(x.dtype(), [&]<class From>(CppType<From>) {
      pointwise<To, From>("convert", Identity{}, out, x);
    });
  });
}

namespace {

// Checks that a graph can hold the copy: on the device, or to and from pinned memory.
void check_captured_copy(const Tensor& to, const Tensor& from, bool non_blocking) {
  const Tensor& host = to.is_cpu() ? to : from;
  if (!host.is_cpu()) return;
  if (!host.is_pinned()) check_may_copy_pageable();
  if (!non_blocking)
    fail_in_capture("copy",
                    "It would make the host wait, and nothing runs before the graph is replayed. "
                    "Pass non_blocking = true.");
}

// Bytes from one device to another, both sides dense and of one type.
void copy_bytes(const Tensor& to, const Tensor& from, bool non_blocking) {
  if (capturing_graph()) [[unlikely]]
    check_captured_copy(to, from, non_blocking);
  // The accelerator's stream orders the copy. Between two accelerators, the source's.
  const Device engine = from.is_cpu() ? to.device() : from.device();
  NativeStream* native = current_native_stream(engine);
  const Stream stream(engine, native);
  const bool two_devices = !to.is_cpu() && !from.is_cpu() && !(to.device() == from.device());
  if (two_devices) stream.wait(getCurrentStream(to.device()));  // the target may still be in use
  if (observed.load(std::memory_order_acquire)) [[unlikely]] {
    Record record("copy");
    record.reads_from(from.data_ptr(), from.nbytes());
    record.writes_to(to.data_ptr(), to.nbytes());
    tell_issued(record, engine);
  }
  backend(engine.type())
      .copy(to.data_ptr(), to.device(), from.data_ptr(), from.device(), from.nbytes(),
            engine.index(), native);
  if (two_devices) getCurrentStream(to.device()).wait(stream);
  // Pinned memory returns to its cache only after this copy.
  if (from.is_pinned()) from.record_stream(stream);
  if (to.is_pinned()) to.record_stream(stream);
  if (!non_blocking && (to.is_cpu() || from.is_cpu())) stream.synchronize();
}

// Same sizes; any types, strides and devices.
void copy_values(const Tensor& to, const Tensor& from, bool non_blocking) {
  if (to.numel() == 0) return;
  if (to.device() == from.device()) return kernels::convert(to, from);
  const bool with_host = to.is_cpu() || from.is_cpu();
  if (!with_host && to.device().type() != from.device().type())  // sim to cuda
    return copy_values(to, from.cpu(), non_blocking);
  // A host that blocks anyway converts; for an asynchronous copy the device converts.
  const bool converts_at_source = !with_host || from.is_cpu() != non_blocking;
  if (from.dtype() != to.dtype() && !converts_at_source) {
    const Tensor staged = empty_like(from, TensorOptions(from.dtype()).device(to.device()));
    copy_values(staged, from, non_blocking);
    return kernels::convert(to, staged);
  }
  // Only bytes are copied between devices: convert and make contiguous at the source.
  Tensor source = as_type(from, to.dtype());
  const bool same_layout =
      to.impl().strides == source.impl().strides && is_dense(to.sizes(), to.strides());
  if (same_layout) return copy_bytes(to, source, non_blocking);
  source = source.contiguous();
  if (to.is_contiguous()) return copy_bytes(to, source, non_blocking);
  const Tensor staged = empty_on(to.impl().sizes, to.dtype(), to.device());
  copy_bytes(staged, source, non_blocking);
  kernels::convert(to, staged);
}

Tensor moved(const Tensor& self, Device device, ScalarType dtype, MemoryFormat format,
             bool non_blocking) {
  Tensor out;
  {
    NoGradGuard no_grad;
    // Only pinned memory can be copied to while the host continues.
    const bool pins = non_blocking && device.is_cpu() && !self.is_cpu();
    out = empty_like(self, TensorOptions(dtype).device(device).pinned_memory(pins), format);
    copy_values(out, self.detach(), non_blocking);
  }
  if (recording(self) && is_floating_point(dtype))
    record(dtype == self.dtype() && device == self.device() ? "clone" : "to_copy", out, {&self},
           [device = self.device(), type = self.dtype()](const Tensor& g) {
             return g.to(device, type);
           });
  return out;
}

}  // namespace

Tensor Tensor::to(Device device, ScalarType dtype, bool non_blocking, bool copy,
                  MemoryFormat format) const {
  const Device target = check_device(device);
  const bool same = target == this->device() && dtype == this->dtype() &&
                    (format == MemoryFormat::Preserve || is_contiguous(format));
  return same && !copy ? *this : moved(*this, target, dtype, format, non_blocking);
}
Tensor Tensor::to(ScalarType dtype, bool non_blocking, bool copy, MemoryFormat format) const {
  return to(device(), dtype, non_blocking, copy, format);
}
Tensor Tensor::to(const TensorOptions& o, bool non_blocking, bool copy) const {
  TD_CHECK(AutogradError, !o.requires_grad(),
           "to: whether a result requires a gradient follows from the tensor it is made of; leave "
           "requires_grad out of the options, or call requires_grad_() on the result");
  return to(o.has_device() ? o.device() : device(), o.has_dtype() ? o.dtype() : dtype(),
            non_blocking, copy, o.memory_format().value_or(MemoryFormat::Preserve));
}
Tensor Tensor::to(const Tensor& other, bool non_blocking, bool copy) const {
  return to(other.device(), other.dtype(), non_blocking, copy);
}
Tensor Tensor::to(MemoryFormat format) const { return contiguous(format); }
Tensor Tensor::cpu() const { return to(Device(kCPU)); }

Tensor Tensor::clone(MemoryFormat format) const {
  return moved(*this, device(), dtype(), format, false);
}

Tensor Tensor::contiguous(MemoryFormat format) const {
  TD_CHECK(Error, format != MemoryFormat::Preserve,
           "contiguous: Preserve is not an order of memory; ask for Contiguous or ChannelsLast");
  return is_contiguous(format) ? *this : clone(format);
}

Tensor& Tensor::copy_(const Tensor& source, bool non_blocking) const {
  if (!source.defined()) undefined_argument("copy_", "source");
  const Sizes sizes = broadcast_sizes("copy_", this->sizes(), source.sizes());
  TD_CHECK(ShapeError, sizes == impl().sizes, "copy_: \"source\" of sizes ", source.sizes(),
           " does not fit into \"self\" of sizes ", this->sizes());
  assert_no_partial_overlap("copy_", *this, source, "source");
  begin_inplace("copy_", *this);
  {
    NoGradGuard no_grad;
    const bool broadcast = !(source.impl().sizes == sizes);
    copy_values(*this, broadcast ? source.detach().expand(sizes) : source.detach(), non_blocking);
  }
  if (recording(*this, source))
    record_in_place("copy", *this, {this, &source},
                    [device = source.device(), type = source.dtype(), from = source.impl().sizes](
                        Gradients& grads, const Tensor& g) {
                      grads.set_lazily(0, [&] { return zeros_like(g); });
                      grads.set_lazily(1, [&] { return sum_to(g, from).to(device, type); });
                    });
  return handle();
}

Tensor& Tensor::operator=(const Tensor& value) && { return copy_(value); }
Tensor& Tensor::operator=(const Scalar& value) && { return fill_(value); }

Tensor Tensor::pin_memory() const {
  TD_CHECK(DeviceError, is_cpu(),
           "pin_memory: only host memory can be pinned, but the tensor is on ", device(),
           "; call cpu() first");
  if (is_pinned()) return *this;
  // The same strides; an expanded tensor gets memory for each element.
  bool is_expanded = false;
  for (std::int64_t d = 0; d < dim(); ++d) is_expanded |= stride(d) == 0 && size(d) > 1;
  const TensorOptions pins = options().pinned_memory(true);
  const Tensor pinned =
      is_expanded ? empty_like(*this, pins) : empty_strided(sizes(), strides(), pins);
  return pinned.copy_(*this);
}

Scalar Tensor::item() const {
  TD_CHECK(ShapeError, numel() == 1, "item: the tensor has ", numel(),
           " elements, and only one can become a number; index it or reduce it first");
  check_may_wait("item", device());
  const Tensor host = detach().cpu();
  if (observed.load(std::memory_order_acquire)) [[unlikely]] {  // the host reads pinned memory
    Record record("item");
    record.reads_from(host.data_ptr(), host.nbytes());
    tell_issued(record, kCPU);
  }
  return dispatch_all(dtype(), [&]<class T>(CppType<T>) { return Scalar(*host.data_ptr<T>()); });
}

}  // namespace td
