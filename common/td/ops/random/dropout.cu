// Dropout: zeroes elements at random in training and scales the others up, so that the expected
// value stays. The mask comes from the process's random stream: one seed, one mask, on any device.
// Source: Srivastava et al., "Dropout", 2014; scaling in training ("inverted") as in PyTorch.
#include "td/kernels/pointwise.h"
#include "td/ops/op.h"

namespace td {
namespace {

template <class S>
struct KeepScaled {
  S scale;
  TD_HD S operator()(S x, bool keep) const { return x * (keep ? scale : S(0)); }
};

// Linear in x, so it is its own gradient.
Tensor keep_scaled(const Tensor& x, const Tensor& mask, double scale) {
  Tensor y = result_like(x, x.impl().sizes, x.dtype(), x.device());
  dispatch_floats("dropout", x.dtype(), [&]<class T>(CppType<T>) {
    using S = compute_t<T>;
    pointwise<T, T, bool>("dropout", KeepScaled<S>{static_cast<S>(scale)}, y, x, mask);
  });
  if (recording(x))
    record("dropout", y, {&x},
           [mask, scale](const Tensor& g) { return keep_scaled(g, mask, scale); });
  return y;
}

}  // namespace

Tensor dropout(const Tensor& input, double p, bool train) {
  const Device device = device_of("dropout", input);
  TD_CHECK(Error, p >= 0 && p <= 1,
           "dropout: p is the probability of an element to be zeroed and "
           "lies between 0 and 1, but it is ",
           p);
  TD_CHECK(DtypeError, input.is_floating_point(),
           "dropout: \"input\" must be floating point but is ", input.dtype());
  if (!train || p == 0) return input;
  Tensor mask = empty_on(input.impl().sizes, kBool, device);
  mask.bernoulli_(1 - p);
  return keep_scaled(input, mask, p < 1 ? 1 / (1 - p) : 0);
}

}  // namespace td
