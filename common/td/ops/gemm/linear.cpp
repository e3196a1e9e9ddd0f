// linear: y = x W^T + b, the layer of nn::Linear, with the bias added in the product's own launch.
#include "td/ops/gemm/gemm.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op kLinear{"linear", {"input", "weight", "bias"}};

Device check_linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  const Device device = common_device(kLinear, x, w, b);
  if (!w.defined()) undefined_argument(kLinear, 1);
  TD_CHECK(ShapeError, w.dim() == 2,
           "linear: \"weight\" must be a matrix [out_features, in_features] but has sizes ",
           w.sizes());
  TD_CHECK(ShapeError, x.dim() > 0,
           "linear: \"input\" has no dimensions; its last one must be the ", w.size(1),
           " features that \"weight\" expects");
  TD_CHECK(ShapeError, x.size(-1) == w.size(1), "linear: \"input\" has ", x.size(-1),
           " features but \"weight\" expects ", w.size(1), " (input ", x.sizes(), ", weight ",
           w.sizes(), "); the last size of the input must be in_features");
  TD_CHECK(ShapeError, !b.defined() || (b.dim() == 1 && b.size(0) == w.size(0)),
           "linear: \"bias\" must have sizes [", w.size(0),
           "], one number per output feature, but has ", b.sizes());
  const auto same_type = [&](const Tensor& t, const char* name) {
    TD_CHECK(DtypeError, !t.defined() || t.dtype() == x.dtype(), "linear: \"input\" is ", x.dtype(),
             " but \"", name, "\" is ", t.dtype(), "; convert one with to(dtype)");
  };
  same_type(w, "weight");
  same_type(b, "bias");
  TD_CHECK(DtypeError, x.dtype() != kBool, "linear: not defined for bool tensors");
  return device;
}

// g^T x, written to `home` where that is defined and fits.
Tensor weight_gradient(const Tensor& home, const Tensor& g, const Tensor& x) {
  if (!home.defined() || !home.is_contiguous() || home.dtype() != g.dtype()) return mm(g.t(), x);
  kernels::matmul("mm", home, g.t(), x);
  return home;
}

// x is [rows, in_features]. Without a bias it is mm(x, W^T), and is recorded as such.
Tensor linear_matrix(const Tensor& x, const Tensor& w, const Tensor& b, Device device) {
  Tensor y = empty_on({x.sizes()[0], w.sizes()[0]}, x.dtype(), device);
  kernels::matmul(
      "linear", y, x,
      alias(w, {w.sizes()[1], w.sizes()[0]}, {w.strides()[1], w.strides()[0]}, w.storage_offset()),
      b);
  if (recording(x, w, b))
    record(b.defined() ? "addmm" : "mm", y, {&x, &w, &b},
           [x = save(x), w = save(w), features = w.size(0)](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return mm(g, w()); });
             grads.set_lazily(1, [&] { return weight_gradient(grads.home(1), g, x()); });
             grads.set_lazily(2, [&] { return sum_to(g, {features}); });
           });
  return y;
}

}  // namespace

Tensor linear_impl(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Device device = check_linear(input, weight, bias);
  if (input.dim() == 2) return linear_matrix(input, weight, bias, device);
  Sizes sizes(input.sizes());
  sizes[sizes.size() - 1] = weight.size(0);
  std::int64_t rows = 1;
  for (std::int64_t d = 0; d + 1 < input.dim(); ++d) rows *= input.sizes()[d];
  return linear_matrix(input.reshape({rows, weight.size(1)}), weight, bias, device).view(sizes);
}

}  // namespace td
