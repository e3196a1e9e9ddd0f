// The handle that programs use. Copying a Tensor copies a pointer. Operations are declared once, in
// ops/functions.def, which makes a method here and a free function in ops/ops.h; gradients are in
// autograd/. Names, argument order and defaults are libtorch's.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "td/device/stream.h"
#include "td/ops/autocast.h"
#include "td/tensor/accessor.h"
#include "td/tensor/impl.h"
#include "td/tensor/options.h"

namespace td {

class Tensor;
class Node;
/// Several tensors.
using TensorList = std::vector<Tensor>;
/// Two results: values and indices.
using TensorPair = std::tuple<Tensor, Tensor>;
/// A function of a gradient; may return a replacement, or an undefined Tensor to leave it.
using TensorHook = std::function<Tensor(const Tensor&)>;
/// A function of a leaf whose gradient is finished.
using PostAccumulateHook = std::function<void(const Tensor& leaf)>;

namespace indexing {
struct TensorIndex;
}

/// A list's parameters or arguments, after a first one.
#define TD_AND(...) __VA_OPT__(, ) __VA_ARGS__

// What the methods below call; ops/ops.h lists it for programs.
#define METHOD(R, name, params, args) R name(const Tensor& input TD_AND params);
#define AUTOCAST_METHOD(R, name, params, args) R name##_impl(const Tensor& input TD_AND params);
#include "td/ops/functions.def"
#define BINARY(name, expression, gradient_a, gradient_b) \
  Tensor name(const Tensor& input, const Tensor& other);
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY
#define COMPARISON(name, expression)                     \
  Tensor name(const Tensor& input, const Tensor& other); \
  Tensor name(const Tensor& input, const Scalar& other);
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON

/// A handle to a tensor, 8 bytes and cheap to copy: copies see the same elements.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  /// `x[0] = y` writes into x: assignment to a temporary copies into its memory.
  Tensor& operator=(const Tensor& value) &&;
  Tensor& operator=(const Scalar& value) &&;

  /// @name Properties
  /// @{
  bool defined() const { return static_cast<bool>(impl_); }
  std::int64_t dim() const { return static_cast<std::int64_t>(impl().sizes.size()); }
  std::int64_t ndimension() const { return dim(); }
  std::int64_t numel() const { return impl().numel; }
  IntArrayRef sizes() const { return impl().sizes; }
  IntArrayRef strides() const { return impl().strides; }
  /// Size of one dimension; negative counts from the back. @throws ShapeError out of range.
  std::int64_t size(std::int64_t dim) const;
  std::int64_t stride(std::int64_t dim) const;
  std::int64_t storage_offset() const { return impl().offset; }
  ScalarType dtype() const { return impl().dtype; }
  ScalarType scalar_type() const { return impl().dtype; }
  Device device() const { return impl().device; }
  TensorOptions options() const { return TensorOptions(dtype()).device(device()); }
  std::size_t element_size() const { return td::element_size(dtype()); }
  /// Bytes of the elements, gaps not counted.
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * element_size(); }
  bool is_floating_point() const { return td::is_floating_point(dtype()); }
#define DEVICE(constant, name, reason) \
  bool is_##name() const { return device().is_##name(); }
#include "td/device/devices.def"
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  /// ChannelsLast when the strides say so, else Contiguous.
  MemoryFormat suggest_memory_format() const;
  /// In pinned (page-locked) host memory.
  bool is_pinned() const;
  /// The same tensor (not only equal values).
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  /// The first element. For a sim or cuda tensor the address is the device's: host code must not
  /// read it. @throws DtypeError when T is not the element type.
  template <class T>
  T* data_ptr() const {
    constexpr ScalarType asked = scalar_type_of<std::remove_const_t<T>>();
    if (dtype() != asked) [[unlikely]]
      wrong_dtype_error(asked);
    if (!is_cpu()) [[unlikely]]
      log_data_ptr();
    return static_cast<T*>(data_ptr());
  }
  void* data_ptr() const {
    const TensorImpl& t = impl();
    char* base = static_cast<char*>(t.storage->data());
    return base ? base + t.offset * static_cast<std::int64_t>(td::element_size(t.dtype)) : nullptr;
  }
  /// Elements of a cpu tensor by N indices. @throws DtypeError, ShapeError, DeviceError when T, N
  /// or the device is not the tensor's.
  template <class T, std::size_t N>
  TensorAccessor<T, N> accessor() const {
    check_accessor(static_cast<std::int64_t>(N));
    return {data_ptr<T>(), impl().sizes.data(), impl().strides.data()};
  }
  /// Made in inference mode: can never be part of a graph.
  bool is_inference() const { return impl().inference; }
  /// In-place changes seen by this tensor's memory. @throws AutogradError for a tensor made in
  /// inference mode.
  std::uint32_t _version() const;
  /// The only element, copied to the host. @throws ShapeError unless numel() is 1.
  template <class T>
  T item() const {
    return item().to<T>();
  }
  Scalar item() const;
  /// @}

  /// @name Moving and converting
  /// `to` returns this very tensor when nothing changes and `copy` is false.
  /// With `non_blocking`, a copy from pinned memory and a copy to the cpu return before they are
  /// done (see Stream): synchronize before the host reads the result.
  /// @{
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false,
            MemoryFormat format = MemoryFormat::Preserve) const;
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
            MemoryFormat format = MemoryFormat::Preserve) const;
  /// Takes a device, a device string, or options that name a device, a type or both.
  Tensor to(const TensorOptions& options, bool non_blocking = false, bool copy = false) const;
  Tensor to(MemoryFormat format) const;
  /// To the dtype and device of `other`.
  Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false) const;
  Tensor cpu() const;
#define ACCELERATOR(constant, name, reason) \
  Tensor name(int index = -1) const { return to(Device(k##constant, index)); }
#include "td/device/devices.def"
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  Tensor pin_memory() const;
  /// Tells the allocator that `stream` uses this tensor's memory too.
  void record_stream(const Stream& stream) const;
  Tensor toType(ScalarType type) const { return to(type); }
  /// @}

  /// @name Gradients
  /// @{
  bool requires_grad() const;
  /// @throws AutogradError for integer types, and for a result when turned off.
  const Tensor& requires_grad_(bool wants = true) const;
  const Tensor& set_requires_grad(bool wants) const { return requires_grad_(wants); }
  bool is_leaf() const;
  /// The node that made this tensor; nullptr for a leaf.
  intrusive_ptr<Node> grad_fn() const;
  /// The accumulated gradient; undefined before the first backward.
  const Tensor& grad() const;
  Tensor& mutable_grad() const;
  /// Keeps the gradient of a result that is not a leaf.
  void retain_grad() const;
  /// Computes the gradients of all leaves. `gradient` may be left out for a single element.
  void backward(const Tensor& gradient = {}, optional<bool> retain_graph = nullopt,
                bool create_graph = false) const;
  /// Calls `hook` with the gradient of this tensor; returns a number for remove_hook.
  unsigned register_hook(TensorHook hook) const;
  /// The same for a hook that only looks, and returns nothing.
  template <class F>
  requires std::is_void_v<std::invoke_result_t<F&, Tensor>>
  unsigned register_hook(F hook) const {
    return register_hook(TensorHook([hook](const Tensor& gradient) mutable {
      hook(gradient);
      return Tensor();
    }));
  }
  /// Calls `hook` with this leaf in every backward pass, once its grad() has all that the pass adds
  /// to it: where DistributedDataParallel starts to average. Returns a number for remove_hook.
  unsigned register_post_accumulate_grad_hook(PostAccumulateHook hook) const;
  /// Removes a hook of either kind. @throws AutogradError when this tensor has none of that number.
  void remove_hook(unsigned number) const;
  /// The same values outside the graph.
  Tensor detach() const;
  /// detach(). In libtorch a tensor that was saved for backward does not notice a change through
  /// data(); here it does, and backward rejects it.
  Tensor data() const { return detach(); }
  Tensor& detach_();
  /// Makes this handle refer to `other`'s memory (values, sizes and device), keeping its place in
  /// optimizers and modules. The old gradient stays.
  void set_data(const Tensor& other) const;
  /// @}

  /// @name Operations: one declaration each in ops/functions.def
  /// @{
#define METHOD(R, name, params, args) \
  R name params const { return td::name(*this TD_AND args); }
#define AUTOCAST_METHOD(R, name, params, args)                                       \
  R name params const {                                                              \
    if (autocast::active()) [[unlikely]]                                             \
      return autocast::run(                                                          \
          autocast::rule(#name), [](const auto&... a) { return name##_impl(a...); }, \
          *this TD_AND args);                                                        \
    return name##_impl(*this TD_AND args);                                           \
  }
#define MEMBER(R, name, params, args) R name params const;
#define IN_PLACE(name, params) Tensor& name params const;
#include "td/ops/functions.def"
  Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
  Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
  Tensor broadcast_to(IntArrayRef sizes) const { return expand(sizes); }
  Tensor operator[](std::int64_t index) const { return select(0, index); }
  Tensor operator[](const Tensor& index) const;
  Tensor where(const Tensor& condition, const Tensor& other) const;
  Tensor where(const Tensor& condition, const Scalar& other) const;
  Tensor max(const Tensor& other) const { return maximum(other); }
  Tensor min(const Tensor& other) const { return minimum(other); }
  /// Over all elements. Takes only a bool: var(0) is along dimension 0.
  Tensor var(std::same_as<bool> auto unbiased) const { return var(IntArrayRef(), unbiased); }
  Tensor std(std::same_as<bool> auto unbiased) const { return std(IntArrayRef(), unbiased); }
  Tensor operator-() const { return neg(); }
#define TD_ASSIGN(symbol, name)                                        \
  Tensor& operator symbol(const Tensor& other) { return name(other); } \
  Tensor& operator symbol(const Scalar& other) { return name(other); }
  TD_ASSIGN(+=, add_)
  TD_ASSIGN(-=, sub_)
  TD_ASSIGN(*=, mul_)
  TD_ASSIGN(/=, div_)
#undef TD_ASSIGN
  /// @}

  /// @name Element-wise functions: one line each of ops/pointwise/*.def
  /// @{
#define UNARY(name, saves, forward, gradient) \
  Tensor name() const;                        \
  Tensor& name##_() const;
#include "td/ops/pointwise/unary_any.def"
#include "td/ops/pointwise/unary_float.def"
#undef UNARY
#define BINARY(name, expression, gradient_a, gradient_b) \
  Tensor name(const Tensor& other) const { return td::name(*this, other); }
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY
#define COMPARISON(name, expression)                                        \
  Tensor name(const Tensor& other) const { return td::name(*this, other); } \
  Tensor name(const Scalar& other) const { return td::name(*this, other); }
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON
  /// @}

  /// What the handle points to; impl_ptr may be empty.
  const intrusive_ptr<TensorImpl>& impl_ptr() const { return impl_; }
  /// @throws Error when the tensor is undefined.
  TensorImpl& impl() const {
    if (!impl_) [[unlikely]]
      undefined_error();
    return *impl_;
  }

 private:
  [[noreturn, gnu::cold]] static void undefined_error();
  [[noreturn, gnu::cold]] void wrong_dtype_error(ScalarType asked) const;
  // Logs that the program was given the address of an accelerator's tensor, for the report of a
  // host access to it. Kernels do not come this way.
  void log_data_ptr() const;
  void check_accessor(std::int64_t dims) const;
  // Methods that change elements are const, as in libtorch: the handle stays what it is. They
  // return it as it came, so that calls can follow one another.
  Tensor& handle() const { return const_cast<Tensor&>(*this); }
  intrusive_ptr<TensorImpl> impl_;
};

/// A new tensor for operations: like empty(), but with no options to decode, and a device whose
/// index is filled in and checked.
Tensor empty_on(const Sizes& sizes, ScalarType dtype, Device device);
/// Another handle on `source`'s memory with other geometry; no gradient is recorded.
Tensor alias(const Tensor& source, const Sizes& sizes, const Sizes& strides, std::int64_t offset);
/// How many elements `sizes` are. @throws ShapeError for a negative size, OutOfMemoryError for more
/// elements than any memory can hold.
std::int64_t checked_numel(const char* op, IntArrayRef sizes);
/// `dim` counted from the front. @throws ShapeError naming `op` and the allowed range.
std::int64_t wrap_dim(const char* op, std::int64_t dim, std::int64_t dims);

}  // namespace td
