// Tensors of one value: fill_ and zero_, and new ones by zeros, ones, full and their _like forms.
// Each is filled on its device by one kernel.
#include "td/kernels/pointwise.h"
#include "td/ops/op.h"

namespace td {
namespace {

template <class T>
struct Constant {
  T value;
  TD_HD T operator()() const { return value; }
};

}  // namespace

void kernels::fill(const Tensor& out, const Scalar& value) {
  dispatch_all(out.dtype(),
               [&]<class T>(CppType<T>) { pointwise<T>("fill", Constant<T>{value.to<T>()}, out); });
}

Tensor& Tensor::fill_(const Scalar& value) const {
  value.check_fits(dtype());
  begin_inplace("fill_", *this, /*one_value=*/true);
  kernels::fill(*this, value);
  if (recording(*this))
    record_in_place("fill", *this, {this}, [](const Tensor& g) { return zeros_like(g); });
  return handle();
}
Tensor& Tensor::fill_(const Tensor& value) const {
  TD_CHECK(ShapeError, value.dim() == 0, "fill_: \"value\" must have 0 dimensions but has sizes ",
           value.sizes());
  check_inplace("fill_", *this);
  return copy_(value.impl().storage == impl().storage ? value.clone() : value);
}
Tensor& Tensor::zero_() const {
  check_inplace("zero_", *this, /*one_value=*/true);
  return fill_(0);
}

namespace {

// A new dense tensor, filled before a gradient can be recorded for it.
Tensor filled(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
  value.check_fits(options.dtype());
  Tensor t = empty(sizes, options);
  kernels::fill(t, value);
  return t;
}

}  // namespace

Tensor zeros(IntArrayRef sizes, const TensorOptions& options) { return filled(sizes, 0, options); }
Tensor ones(IntArrayRef sizes, const TensorOptions& options) { return filled(sizes, 1, options); }
Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
  const ScalarType type = value.is_floating_point() ? kFloat : value.kind();
  return filled(sizes, value, options.has_dtype() ? options : options.dtype(type));
}
Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options) {
  Tensor t = empty_like(like, options);
  value.check_fits(t.dtype());
  kernels::fill(t, value);
  if (options.requires_grad()) t.requires_grad_();
  return t;
}
Tensor zeros_like(const Tensor& like, const TensorOptions& options) {
  return full_like(like, 0, options);
}
Tensor ones_like(const Tensor& like, const TensorOptions& options) {
  return full_like(like, 1, options);
}

}  // namespace td
