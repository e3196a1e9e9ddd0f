// hypot: sqrt(input^2 + other^2), without overflow. An operation for adding_test.py: its checks,
// its kernel and its gradient are this file.
#include <cmath>

#include "td/kernels/pointwise.h"
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op hypot_op{"hypot", {"input", "other"}};

struct Hypot {
  template <class C>
  TD_HD C operator()(C a, C b) const {
    return static_cast<C>(std::hypot(static_cast<double>(a), static_cast<double>(b)));
  }
};

}  // namespace

Tensor hypot(const Tensor& input, const Tensor& other) {
  const Device device = common_device(hypot_op, input, other);
  TD_CHECK(ShapeError, input.sizes() == other.sizes(), "hypot: \"input\" has sizes ", input.sizes(),
           " but \"other\" has ", other.sizes());
  const Tensor y = result_like(input, Sizes(input.sizes()), input.dtype(), device);
  dispatch_floats("hypot", y.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    pointwise<T, T, T>("hypot", Hypot{}, y, input, other);
  });
  if (recording(input, other))
    record(
        "hypot", y, {&input, &other},
        [a = save(input), b = save(other), y = save_result(y)](Gradients& grads, const Tensor& g) {
          grads.set_lazily(0, [&] { return g * a() / y(); });
          grads.set_lazily(1, [&] { return g * b() / y(); });
        });
  return y;
}

}  // namespace td
