// The kernel of binary_cross_entropy: the loss of each element. An input that is no probability is
// an error on every device, as an index out of range is; element_loss.cpp has the rest.
#include <cstdio>

#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/kernels.h"

namespace td {
namespace {

struct BinaryCrossEntropy {
  template <class C>
  TD_HD C operator()(C x, C target) const {
    if (!(x >= C(0) && x <= C(1))) refuse(static_cast<double>(x));
    return -(target * limited(std::log(x)) + (C(1) - target) * limited(std::log1p(-x)));
  }
  template <class C>
  TD_HD static C limited(C logarithm) {
    return logarithm < C(-100) ? C(-100) : logarithm;
  }
  TD_HD static void refuse([[maybe_unused]] double x) {
#ifdef __CUDA_ARCH__
    printf("td: binary_cross_entropy: an input is %g; expected a probability between 0 and 1\n", x);
    __trap();
#else
    fail<Error>(
        "binary_cross_entropy: \"input\" must hold probabilities between 0 and 1; apply sigmoid(), "
        "or use binary_cross_entropy_with_logits");
#endif
  }
};

}  // namespace

void kernels::binary_cross_entropy(const Tensor& out, const Tensor& x, const Tensor& target) {
  dispatch_floats("binary_cross_entropy", out.dtype(), [&]<class T>(CppType<T>) {
    pointwise<T, T, T>("binary_cross_entropy", BinaryCrossEntropy{}, out, x, target);
  });
}

}  // namespace td
