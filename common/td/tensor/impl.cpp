// What every operation does with tensors: memory, geometry, a new tensor, another handle on one.
// The other ways to make a tensor are in tensor.cpp.
#include <algorithm>
#include <utility>

#include "td/base/error.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/record.h"
#include "td/tensor/tensor.h"

namespace td {

Storage::Storage(Device device, std::size_t bytes, Allocator& from)
    : data_(from.allocate(bytes)), bytes_(bytes), allocator_(&from), device_(device) {}

Storage::Storage(Device device, void* data, std::size_t bytes, std::function<void(void*)> deleter)
    : data_(data), bytes_(bytes), device_(device) {
  if (deleter) deleter_ = std::make_unique<std::function<void(void*)>>(std::move(deleter));
}

Storage::~Storage() {
  if (allocator_)
    allocator_->release(data_, bytes_);
  else if (deleter_)
    (*deleter_)(data_);
}

void Storage::swap_memory(Storage& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(allocator_, other.allocator_);
  std::swap(deleter_, other.deleter_);
}

intrusive_ptr<Storage> make_storage(Device device, std::size_t bytes, bool pinned) {
  if (!pinned) return make_intrusive<Storage>(device, bytes, allocator(device));
  TD_CHECK(DeviceError, device.is_cpu(),
           "only host memory can be pinned, but the tensor is to be on ", device,
           "; leave out pinned_memory(true), or make it on cpu");
  return make_intrusive<Storage>(device, bytes, pinned_allocator(preferred_accelerator()));
}

Sizes contiguous_strides(IntArrayRef sizes) {
  Sizes strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<std::int64_t>(sizes[d], 1);
  return strides;
}

bool is_contiguous(IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t expected = 1;
  bool ok = true;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) return true;
    if (sizes[d] != 1 && strides[d] != expected) ok = false;
    expected *= sizes[d];
  }
  return ok;
}

void TensorImpl::set_geometry(const Sizes& new_sizes, const Sizes& new_strides) {
  sizes = new_sizes;
  strides = new_strides;
  numel = numel_of(sizes);
  contiguous = td::is_contiguous(sizes, strides);
}

void TensorImpl::set_contiguous(const Sizes& new_sizes) {
  sizes = new_sizes;
  strides = contiguous_strides(sizes);
  numel = numel_of(sizes);
  contiguous = true;
}

Tensor empty_on(const Sizes& sizes, ScalarType dtype, Device device) {
  const std::size_t bytes = static_cast<std::size_t>(numel_of(sizes)) * element_size(dtype);
  auto impl = make_intrusive<TensorImpl>(make_storage(device, bytes), dtype);
  impl->set_contiguous(sizes);
  impl->inference = context().inference_mode;
  return Tensor(std::move(impl));
}

Tensor alias(const Tensor& source, const Sizes& sizes, const Sizes& strides, std::int64_t offset) {
  auto impl = make_intrusive<TensorImpl>(source.impl().storage, source.dtype());
  impl->set_geometry(sizes, strides);
  impl->offset = offset;
  impl->inference = source.impl().inference;
  return Tensor(std::move(impl));
}

Tensor Tensor::detach() const {
  const TensorImpl& t = impl();
  Tensor out = alias(*this, t.sizes, t.strides, t.offset);
  out.impl().wrapped_number = t.wrapped_number;
  return out;
}

std::int64_t wrap_dim(const char* op, std::int64_t dim, std::int64_t dims) {
  const std::int64_t n = std::max<std::int64_t>(dims, 1);
  TD_CHECK(ShapeError, dim >= -n && dim < n, op, ": dimension ", dim, " is out of range for a ",
           dims, "-dimensional tensor; expected ", -n, " to ", n - 1);
  return dim < 0 ? dim + n : dim;
}

std::int64_t Tensor::size(std::int64_t d) const {
  TD_CHECK(ShapeError, dim() > 0, "size: a 0-dimensional tensor has no sizes");
  return impl().sizes[wrap_dim("size", d, dim())];
}

std::int64_t Tensor::stride(std::int64_t d) const {
  TD_CHECK(ShapeError, dim() > 0, "stride: a 0-dimensional tensor has no strides");
  return impl().strides[wrap_dim("stride", d, dim())];
}

bool Tensor::is_contiguous(MemoryFormat format) const {
  if (format == MemoryFormat::ChannelsLast) return is_channels_last(sizes(), strides());
  return impl().contiguous;
}

}  // namespace td
