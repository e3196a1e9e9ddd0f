// layer_norm against plain float64 loops: types and devices; gradients and theirs against
// differences.
#include "../td/ops/reference.h"
#include "td_more/td_more.h"

using namespace td;
using namespace reference;

namespace {

double tolerance(ScalarType dtype) {
  return dtype == kDouble ? 1e-11 : dtype == kFloat ? 8e-5 : dtype == kHalf ? 4e-2 : 0.24;
}

// Rows of `n` numbers with mean 0 and variance 1, times w plus b.
Values normalized(const Values& x, std::size_t n, const Values& w, const Values& b, double eps) {
  Values y(x.size());
  for (std::size_t row = 0; row < x.size(); row += n) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) mean += x[row + i] / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) squares += (x[row + i] - mean) * (x[row + i] - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(n) + eps);
    for (std::size_t i = 0; i < n; ++i) y[row + i] = (x[row + i] - mean) / deviation * w[i] + b[i];
  }
  return y;
}

}  // namespace

TEST_CASE("layer_norm: every type and device, with and without parameters") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      INFO(device << " " << dtype);
      const Tensor x = filled({4, 3, 5}, dtype).to(device);
      const Tensor w = filled({3, 5}, dtype, 2).to(device), b = filled({3, 5}, dtype, 3).to(device);
      const Values plain = normalized(values(x), 15, Values(15, 1.0), Values(15, 0.0), 1e-5);
      CHECK(distance(values(layer_norm(x, {3, 5})), plain) < tolerance(dtype));
      CHECK(distance(values(layer_norm(strided(x), {3, 5})), plain) < tolerance(dtype));
      const Values expected = normalized(values(x), 15, values(w), values(b), 1e-5);
      CHECK(distance(values(layer_norm(x, {3, 5}, w, b)), expected) < tolerance(dtype));
      CHECK(layer_norm(x.slice(0, 0, 0), {3, 5}, w, b).sizes() == IntArrayRef({0, 3, 5}));
    }
}

TEST_CASE("gradients of layer_norm, and theirs") {
  for (const Device device : all_devices()) {
    INFO(device);
    const Tensor x = filled({3, 4}).to(device), w = filled({4}, kDouble, 2).to(device),
                 b = filled({4}, kDouble, 3).to(device);
    check_gradients([](const TensorList& in) { return layer_norm(in[0], {4}, in[1], in[2]); },
                    {x, w, b});
    check_gradients([](const TensorList& in) { return layer_norm(in[0], {4}); }, {x});
  }
}

TEST_CASE("layer_norm rejects sizes that do not fit") {
  const Tensor x = empty({4, 3, 2, 2}), d = empty({2});
  CHECK_THROWS_AS(layer_norm(x, {3}), ShapeError);
  CHECK_THROWS_AS(layer_norm(x, {2, 2}, d), ShapeError);
}
