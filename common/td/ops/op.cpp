// Checks and errors that all operations share, and the promotion rules.
#include "td/ops/op.h"

namespace td {

void undefined_argument(const Op& op, int argument) {
  fail<Error>(op.name, ": \"", op.arguments[argument],
              "\" is undefined: it was declared but never given a value");
}

void device_mismatch(const Op& op, const Tensor* const* tensors, int count) {
  // Name the first argument that differs from an earlier one; 0-dimensional cpu tensors pass.
  int a = -1;
  for (int i = 0; i < count; ++i) {
    const Tensor& t = *tensors[i];
    if (!t.defined() || (t.dim() == 0 && t.is_cpu())) continue;
    if (a < 0) {
      a = i;
      continue;
    }
    const Tensor& first = *tensors[a];
    if (t.device() == first.device()) continue;
    // Advise towards the accelerator: that is where the work was meant to run.
    const bool move_first = first.is_cpu();
    const char* mover = op.arguments[move_first ? a : i];
    const Device target = move_first ? t.device() : first.device();
    fail<DeviceError>(op.name, ": \"", op.arguments[i], "\" is on ", t.device(), " but \"",
                      op.arguments[a], "\" is on ", first.device(),
                      ". All tensors of an operation must be on one device; move one with ", mover,
                      ".to(\"", target, "\").");
  }
  fail<DeviceError>(op.name, ": arguments are on different devices");
}

Device common_device(const char* op, const TensorList& tensors) {
  TD_CHECK(ShapeError, !tensors.empty(), op, ": expected at least one tensor, got an empty list");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TD_CHECK(Error, tensors[i].defined(), op, ": tensors[", i, "] is undefined");
    TD_CHECK(DeviceError, tensors[i].device() == tensors[0].device(), op, ": \"tensors[", i,
             "]\" is on ", tensors[i].device(), " but \"tensors[0]\" is on ", tensors[0].device(),
             ". All tensors of an operation must be on one device; move one with tensors[", i,
             "].to(\"", tensors[0].device(), "\").");
  }
  return tensors[0].device();
}

namespace {

int category(ScalarType t) { return t == kBool ? 0 : is_floating_point(t) ? 2 : 1; }
int rank(const Tensor& t) { return t.impl().wrapped_number ? 0 : t.dim() == 0 ? 1 : 2; }
// A number brings its category, not its width: an integer is at least int64, a float float32.
ScalarType offered(const Tensor& t) {
  return t.impl().wrapped_number && t.is_floating_point() ? kFloat : t.dtype();
}

}  // namespace

ScalarType result_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype() && !a.impl().wrapped_number && !b.impl().wrapped_number)
    return a.dtype();
  const Tensor& strong = rank(a) >= rank(b) ? a : b;
  const Tensor& weak = rank(a) >= rank(b) ? b : a;
  if (rank(a) != rank(b) && category(weak.dtype()) <= category(strong.dtype()))
    return offered(strong);
  return rank(a) == rank(b) ? promote_types(offered(a), offered(b)) : offered(weak);
}

ScalarType result_type(const Tensor& a, const Scalar& b) {
  if (category(b.kind()) <= category(a.dtype())) return a.dtype();
  return b.is_floating_point() ? kFloat : kLong;
}

Tensor wrapped_number(const Scalar& value) {
  Tensor t = empty_on({}, value.kind(), Device(kCPU));
  switch (value.kind()) {
    case kDouble:
      *t.data_ptr<double>() = value.to<double>();
      break;
    case kBool:
      *t.data_ptr<bool>() = value.to<bool>();
      break;
    default:
      *t.data_ptr<std::int64_t>() = value.to<std::int64_t>();
  }
  t.impl().wrapped_number = true;
  return t;
}

Tensor result_like(const Tensor& like, const Sizes& sizes, ScalarType dtype, Device device) {
  Tensor out = empty_on(sizes, dtype, device);
  if (!like.is_contiguous() && like.impl().sizes == sizes)
    out.impl().set_geometry(sizes, preserved_strides(sizes, like.strides()));
  return out;
}

namespace {

// Strides of `x` seen in `sizes`: 0 where it is broadcast.
Sizes broadcast_strides(const Tensor& x, const Sizes& sizes) {
  Sizes strides(sizes.size(), 0);
  const std::size_t added = sizes.size() - x.impl().sizes.size();
  for (std::size_t d = added; d < sizes.size(); ++d)
    if (x.impl().sizes[d - added] == sizes[d]) strides[d] = x.impl().strides[d - added];
  return strides;
}

}  // namespace

Tensor result_like(const Tensor& a, const Tensor& b, const Sizes& sizes, ScalarType dtype,
                   Device device) {
  Tensor out = empty_on(sizes, dtype, device);
  if (a.is_contiguous() && b.is_contiguous()) return out;
  if (a.impl().sizes == b.impl().sizes && a.impl().strides == b.impl().strides)
    return result_like(a, sizes, dtype, device);
  out.impl().set_geometry(
      sizes, preserved_strides(sizes, broadcast_strides(a, sizes), broadcast_strides(b, sizes)));
  return out;
}

namespace {

// Elements from the first to behind the last one.
std::int64_t extent(const TensorImpl& t) {
  std::int64_t reach = 1;
  for (std::size_t d = 0; d < t.sizes.size(); ++d) reach += (t.sizes[d] - 1) * t.strides[d];
  return reach;
}

}  // namespace

void assert_no_partial_overlap(const char* operation, const Tensor& changed, const Tensor& read,
                               const char* argument) {
  const TensorImpl &a = changed.impl(), &b = read.impl();
  if (a.storage != b.storage || changed.numel() == 0 || read.numel() == 0) return;
  if (a.offset == b.offset && a.sizes == b.sizes && a.strides == b.strides) return;
  const std::int64_t of_a = extent(a), of_b = extent(b);
  const bool gaps = of_a != changed.numel() || of_b != read.numel();
  const bool apart = a.offset + of_a <= b.offset || b.offset + of_b <= a.offset;
  TD_CHECK(Error, gaps || apart, operation, ": \"", argument,
           "\" shares some of its memory with the tensor that is changed; use its clone()");
}

}  // namespace td
