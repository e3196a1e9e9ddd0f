// Numbers in braces, memory layouts, tensors with options or over the caller's memory, and rarely
// used queries of a tensor. What every operation uses is in impl.cpp.
#include "td/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/context.h"
#include "td/tensor/braces.h"

namespace td {

void Scalar::check_fits(ScalarType type) const {
  const double value = to<double>(), size = std::abs(value);
  const bool fits = [&] {
    switch (type) {
      case kByte:
        return size < 256;
      case kInt:
        return value >= -0x1p31 && value < 0x1p31;
      case kLong:
        return kind_ != kDouble || (value >= -0x1p63 && value < 0x1p63);
      case kBool:
      case kDouble:
        return true;
      default:  // floats
        const double largest = type == kHalf ? 65504 : std::numeric_limits<float>::max();
        return !(size > largest) || std::isinf(size);
    }
  }();
  TD_CHECK(DtypeError, fits, "the number ", value, " does not fit into ", type,
           "; use a wider dtype or a number that it can hold");
}

NestedNumbers::NestedNumbers(std::initializer_list<NestedNumbers> slices)
    : sizes_{std::int64_t(slices.size())} {
  if (slices.size() == 0) return;
  const NestedNumbers& first = *slices.begin();
  dtype_ = first.dtype_;
  for (std::int64_t n : first.sizes_) sizes_.push_back(n);
  for (const NestedNumbers& slice : slices) {
    TD_CHECK(ShapeError, slice.sizes_ == first.sizes_, "tensor: rows of sizes ",
             IntArrayRef(first.sizes_), " and ", IntArrayRef(slice.sizes_),
             " in one list; all rows must have the same length");
    TD_CHECK(DtypeError, slice.dtype_ == first.dtype_, "tensor: ", dtype_name(first.dtype_),
             " and ", dtype_name(slice.dtype_), " numbers in one list; write all as one kind");
    values_.insert(values_.end(), slice.values_.begin(), slice.values_.end());
  }
}

Sizes channels_last_strides(IntArrayRef s) {
  TD_CHECK(ShapeError, s.size() == 4, "channels last needs 4 dimensions (N, C, H, W) but got ", s);
  return {s[1] * s[2] * s[3], 1, s[1] * s[3], s[1]};
}

namespace {

// A dimension of size 1 may have any stride; an empty tensor is in every order.
bool same_order(IntArrayRef sizes, IntArrayRef strides, const Sizes& wanted) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return true;
    if (sizes[d] != 1 && strides[d] != wanted[d]) return false;
  }
  return true;
}

}  // namespace

bool is_channels_last(IntArrayRef sizes, IntArrayRef strides) {
  return sizes.size() == 4 && same_order(sizes, strides, channels_last_strides(sizes));
}

namespace {

// 1 when dimension `a` lies outside `b` in memory, -1 when inside, 0 when strides do not show it:
// those of a broadcast dimension are 0.
int compare_dims(IntArrayRef sizes, IntArrayRef strides, std::size_t a, std::size_t b) {
  if (strides.empty() || strides[a] == 0 || strides[b] == 0) return 0;
  if (strides[a] != strides[b]) return strides[a] > strides[b] ? 1 : -1;
  return sizes[a] > sizes[b] ? 1 : 0;
}

}  // namespace

Sizes preserved_strides(IntArrayRef sizes, IntArrayRef like, IntArrayRef second) {
  // Dimensions from the innermost to the outermost, sorted by insertion as libtorch does: where the
  // strides show no order, the row-major order stays.
  std::array<std::size_t, kMaxDims> order{};
  for (std::size_t d = 0; d < sizes.size(); ++d) order[d] = sizes.size() - 1 - d;
  for (std::size_t i = 1; i < sizes.size(); ++i)
    for (std::size_t at = i, inner = i; inner-- > 0;) {
      int comparison = compare_dims(sizes, like, order[inner], order[at]);
      if (comparison == 0) comparison = compare_dims(sizes, second, order[inner], order[at]);
      if (comparison < 0) break;
      if (comparison == 0) continue;
      std::swap(order[inner], order[at]);
      at = inner;
    }
  Sizes strides(sizes.size(), 1);
  std::int64_t next = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    strides[order[i]] = next;
    next *= std::max<std::int64_t>(sizes[order[i]], 1);
  }
  // Without gaps already: dimensions of size 1 keep whatever stride they have.
  return second.empty() && same_order(sizes, like, strides) ? Sizes(like) : strides;
}

bool is_dense(IntArrayRef sizes, IntArrayRef strides) {
  return is_contiguous(sizes, strides) || preserved_strides(sizes, strides) == Sizes(strides);
}

void Tensor::check_accessor(std::int64_t dims) const {
  TD_CHECK(DeviceError, is_cpu(), "accessor: the elements are on ", device(),
           ", where host code cannot read them; bring them to the host with cpu()");
  TD_CHECK(ShapeError, dims == dim() && dims > 0, "accessor: ", dims,
           " dimensions asked of a tensor of sizes ", sizes());
}

void Tensor::undefined_error() {
  fail<Error>("the tensor is undefined: it was declared but never given a value");
}

void Tensor::wrong_dtype_error(ScalarType asked) const {
  fail<DtypeError>("data_ptr: the tensor holds ", dtype(), " but ", asked,
                   " was asked for; convert it with to(dtype) or ask for its own type");
}

MemoryFormat Tensor::suggest_memory_format() const {
  return dim() == 4 && !impl().contiguous && is_channels_last(sizes(), strides())
             ? MemoryFormat::ChannelsLast
             : MemoryFormat::Contiguous;
}

std::uint32_t Tensor::_version() const {
  TD_CHECK(AutogradError, !impl().inference,
           "_version: tensors made in inference mode do not track a version counter; clone it "
           "outside that mode");
  return impl().storage->version();
}
bool Tensor::is_pinned() const { return is_cpu() && is_pinned_memory(impl().storage->data()); }

void Tensor::record_stream(const Stream& stream) const {
  void* block = impl().storage->data();
  if (is_cpu()) return record_pinned_stream(block, stream);
  allocator(device()).record_stream(block, stream);
}

std::int64_t checked_numel(const char* op, IntArrayRef sizes) {
  // Strides are products of sizes even where another size is 0, and must not overflow either.
  std::int64_t n = 1, extent = 1;
  for (std::int64_t s : sizes) {
    TD_CHECK(ShapeError, s >= 0, op, ": sizes must not be negative but got ", sizes);
    if (__builtin_mul_overflow(extent, std::max<std::int64_t>(s, 1), &extent) ||
        extent > (std::int64_t{1} << 59))
      fail<OutOfMemoryError>(op, ": ", sizes, " has more elements than any memory can hold");
    n *= s;
  }
  return n;
}

namespace {

// How many bytes elements of these sizes and strides reach over.
std::size_t reach(const char* op, IntArrayRef sizes, IntArrayRef strides, ScalarType dtype) {
  TD_CHECK(ShapeError, sizes.size() == strides.size(), op, ": ", sizes.size(), " sizes but ",
           strides.size(), " strides; give one stride a dimension");
  if (checked_numel(op, sizes) == 0) return 0;
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    TD_CHECK(ShapeError, strides[d] >= 0, op, ": strides must not be negative: ", strides);
    elements += (sizes[d] - 1) * strides[d];
  }
  return static_cast<std::size_t>(elements) * element_size(dtype);
}

intrusive_ptr<TensorImpl> new_impl(std::size_t bytes, const TensorOptions& options) {
  auto storage = make_storage(check_device(options.device()), bytes, options.pinned_memory());
  return make_intrusive<TensorImpl>(std::move(storage), options.dtype());
}

Tensor wrap(intrusive_ptr<TensorImpl> impl, const TensorOptions& options) {
  impl->inference = context().inference_mode;
  Tensor tensor(std::move(impl));
  if (options.requires_grad()) tensor.requires_grad_(true);
  return tensor;
}

}  // namespace

Tensor empty(IntArrayRef sizes, const TensorOptions& options) {
  const auto n = static_cast<std::size_t>(checked_numel("empty", sizes));
  auto impl = new_impl(n * element_size(options.dtype()), options);
  impl->set_contiguous(sizes);
  return wrap(std::move(impl), options);
}

Tensor empty(IntArrayRef sizes, const TensorOptions& options, MemoryFormat format) {
  TD_CHECK(Error, format != MemoryFormat::Preserve,
           "empty: there is nothing to preserve; ask for Contiguous or ChannelsLast");
  return format == MemoryFormat::ChannelsLast
             ? empty_strided(sizes, channels_last_strides(sizes), options)
             : empty(sizes, options);
}
Tensor empty(IntArrayRef sizes, MemoryFormat format) { return empty(sizes, {}, format); }

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  auto impl = new_impl(reach("empty_strided", sizes, strides, options.dtype()), options);
  impl->set_geometry(sizes, strides);
  return wrap(std::move(impl), options);
}

Tensor empty_like(const Tensor& like, const TensorOptions& options, MemoryFormat asked) {
  const MemoryFormat format = options.memory_format().value_or(asked);
  const TensorOptions all = options.dtype(options.has_dtype() ? options.dtype() : like.dtype())
                                .device(options.has_device() ? options.device() : like.device());
  if (format == MemoryFormat::ChannelsLast) return empty(like.sizes(), all, format);
  if (format == MemoryFormat::Contiguous || like.is_contiguous()) return empty(like.sizes(), all);
  return empty_strided(like.sizes(), preserved_strides(like.sizes(), like.strides()), all);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options) {
  const std::size_t bytes = reach("from_blob", sizes, strides, options.dtype());
  auto storage = make_intrusive<Storage>(check_device(options.device()), data, bytes, deleter);
  auto impl = make_intrusive<TensorImpl>(std::move(storage), options.dtype());
  impl->set_geometry(sizes, strides);
  return wrap(std::move(impl), options);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return from_blob(data, sizes, strides, {}, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), deleter, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), {}, options);
}

void Tensor::log_data_ptr() const {
  Backend& guard = backend(device().type());
  if (!guard.guards_memory()) return;
  guard.gave_out(impl().storage->data(),
                 str(", given out by data_ptr() of a ", dtype(), " tensor of sizes ", sizes()));
}

}  // namespace td
