// Matrix and vector products. mm and bmm do the work; the others bring their arguments into those
// shapes by views, whose gradients bring the result's gradient back.
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op kMm{"mm", {"input", "mat2"}};
constexpr Op kBmm{"bmm", {"input", "mat2"}};
constexpr Op kMv{"mv", {"input", "vec"}};
constexpr Op kDot{"dot", {"input", "tensor"}};
constexpr Op kOuter{"outer", {"input", "vec2"}};
constexpr Op kMatmul{"matmul", {"input", "other"}};
constexpr Op kAddmm{"addmm", {"input", "mat1", "mat2"}};

void check_dim(const Op& op, int argument, const Tensor& t, std::int64_t dims) {
  TD_CHECK(ShapeError, t.dim() == dims, op.name, ": \"", op.arguments[argument], "\" must have ",
           dims, dims == 1 ? " dimension" : " dimensions", " but has sizes ", t.sizes());
}

void check_types(const Op& op, const Tensor& a, int first, const Tensor& b, int second) {
  TD_CHECK(DtypeError, a.dtype() == b.dtype(), op.name, ": \"", op.arguments[first], "\" is ",
           a.dtype(), " but \"", op.arguments[second], "\" is ", b.dtype(),
           "; products do not convert, so bring them to one type with to(dtype)");
  TD_CHECK(DtypeError, a.dtype() != kBool, op.name,
           ": not defined for bool tensors; convert with to(kInt64) or to(kFloat32)");
}

// The last size of a must equal the second last of b (the only one of a vector).
void check_inner(const Op& op, const Tensor& a, int first, const Tensor& b, int second) {
  const std::int64_t inner_a = a.sizes().back();
  const std::int64_t inner_b = b.sizes()[b.dim() > 1 ? static_cast<std::size_t>(b.dim()) - 2 : 0];
  TD_CHECK(ShapeError, inner_a == inner_b, op.name, ": \"", op.arguments[first], "\" of sizes ",
           a.sizes(), " and \"", op.arguments[second], "\" of sizes ", b.sizes(),
           " do not fit: the inner sizes ", inner_a, " and ", inner_b, " must be equal");
}

Device check_product(const Op& op, const Tensor& a, const Tensor& b, std::int64_t dims_a,
                     std::int64_t dims_b) {
  const Device device = common_device(op, a, b);
  check_dim(op, 0, a, dims_a);
  check_dim(op, 1, b, dims_b);
  check_types(op, a, 0, b, 1);
  check_inner(op, a, 0, b, 1);
  return device;
}

// mm, of matrices, or bmm, of batches of them: `dims` is 2 or 3.
Tensor product(const Op& op, const Tensor& a, const Tensor& b, std::int64_t dims) {
  const Device device = check_product(op, a, b, dims, dims);
  TD_CHECK(ShapeError, dims == 2 || a.size(0) == b.size(0), "bmm: \"input\" holds ", a.size(0),
           " matrices but \"mat2\" holds ", b.size(0), "; use matmul to broadcast");
  Sizes sizes = a.impl().sizes;
  sizes[static_cast<std::size_t>(dims - 1)] = b.sizes().back();
  Tensor out = empty_on(sizes, a.dtype(), device);
  kernels::matmul(op.name, out, a, b);
  if (recording(a, b))
    record(op.name, out, {&a, &b},
           [dims, a = save(a), b = save(b)](Gradients& grads, const Tensor& g) {
             const auto multiply = dims == 2 ? mm : bmm;
             grads.set_lazily(0, [&] { return multiply(g, b().transpose(-2, -1)); });
             grads.set_lazily(1, [&] { return multiply(a().transpose(-2, -1), g); });
           });
  return out;
}

// matmul's leading sizes, broadcast, in front of the last `kept` sizes of `t`.
Tensor expand_batch(const Tensor& t, const Sizes& batch) {
  Sizes sizes = batch;
  sizes.push_back(t.size(-2));
  sizes.push_back(t.size(-1));
  const Tensor wide = t.impl().sizes == sizes ? t : t.expand(sizes);
  return wide.reshape({numel_of(batch), t.size(-2), t.size(-1)});
}

// Both arguments have at least two dimensions.
Tensor matmul_batched(const Tensor& a, const Tensor& b) {
  if (b.dim() == 2) {  // the leading sizes of a are rows of one large product
    Sizes sizes(a.sizes());
    sizes[sizes.size() - 1] = 1;
    const std::int64_t rows = numel_of(sizes);
    sizes[sizes.size() - 1] = b.size(1);
    return mm(a.reshape({rows, a.size(-1)}), b).view(sizes);
  }
  const auto leading = [](const Tensor& t) {
    return IntArrayRef(t.sizes().data(), static_cast<std::size_t>(t.dim() - 2));
  };
  const Sizes batch = broadcast_sizes("matmul", leading(a), leading(b));
  Sizes sizes = batch;
  sizes.push_back(a.size(-2));
  sizes.push_back(b.size(-1));
  return bmm(expand_batch(a, batch), expand_batch(b, batch)).view(sizes);
}

}  // namespace

Tensor mm_impl(const Tensor& input, const Tensor& mat2) { return product(kMm, input, mat2, 2); }
Tensor bmm_impl(const Tensor& input, const Tensor& mat2) { return product(kBmm, input, mat2, 3); }

Tensor addmm_impl(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                  const Scalar& alpha) {
  const Device device = common_device(kAddmm, input, mat1, mat2);
  check_dim(kAddmm, 1, mat1, 2);
  check_dim(kAddmm, 2, mat2, 2);
  check_types(kAddmm, input, 0, mat1, 1);
  check_types(kAddmm, mat1, 1, mat2, 2);
  check_inner(kAddmm, mat1, 1, mat2, 2);
  const Sizes sizes{mat1.size(0), mat2.size(1)};
  TD_CHECK(ShapeError, broadcast_sizes("addmm", input.sizes(), sizes) == sizes,
           "addmm: \"input\" of sizes ", input.sizes(),
           " does not broadcast to the product's sizes ", IntArrayRef(sizes));
  Tensor out = empty_on(sizes, mat1.dtype(), device);
  if (beta.to<double>() != 0) kernels::convert(out, input);
  kernels::matmul("addmm", out, mat1, mat2, {}, alpha.to<double>(), beta.to<double>());
  if (recording(input, mat1, mat2))
    record("addmm", out, {&input, &mat1, &mat2},
           [old = input.impl().sizes, a = save(mat1), b = save(mat2), beta, alpha](
               Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return mul(sum_to(g, old), beta); });
             grads.set_lazily(1, [&] { return mul(mm(g, b().t()), alpha); });
             grads.set_lazily(2, [&] { return mul(mm(a().t(), g), alpha); });
           });
  return out;
}

Tensor mv_impl(const Tensor& input, const Tensor& vec) {
  check_product(kMv, input, vec, 2, 1);
  return mm(input, vec.unsqueeze(1)).squeeze(1);
}

Tensor dot_impl(const Tensor& input, const Tensor& tensor) {
  check_product(kDot, input, tensor, 1, 1);
  return mm(input.unsqueeze(0), tensor.unsqueeze(1)).view({});
}

Tensor outer(const Tensor& input, const Tensor& vec2) {
  common_device(kOuter, input, vec2);
  check_dim(kOuter, 0, input, 1);
  check_dim(kOuter, 1, vec2, 1);
  return mul(input.unsqueeze(1), vec2);
}

Tensor matmul_impl(const Tensor& input, const Tensor& other) {
  common_device(kMatmul, input, other);
  TD_CHECK(ShapeError, input.dim() > 0 && other.dim() > 0, "matmul: \"",
           kMatmul.arguments[input.dim() > 0],
           "\" has no dimensions; multiply by a number with * instead");
  check_types(kMatmul, input, 0, other, 1);
  check_inner(kMatmul, input, 0, other, 1);
  if (input.dim() == 1 && other.dim() == 1) return dot(input, other);
  if (input.dim() == 2 && other.dim() == 2) return mm(input, other);
  if (input.dim() == 1) return matmul_batched(input.unsqueeze(0), other).squeeze(-2);
  if (other.dim() == 1) return matmul_batched(input, other.unsqueeze(1)).squeeze(-1);
  return matmul_batched(input, other);
}

}  // namespace td
