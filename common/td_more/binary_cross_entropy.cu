// The kernel of binary_cross_entropy: the loss of each element. An input that is no probability is
// an error on every device, as an index out of range is; element_loss.cpp has the rest. It works by
// index, because pointwise also calls its functor for elements that are not there.
#include <cstdio>

#include "td/kernels/index_kernel.h"
#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"
#include "td_more/kernels.h"

namespace td {
namespace {

template <class T>
struct BinaryCrossEntropy {
  using C = compute_t<T>;
  T* out;
  const T* input;
  const T* target;

  TD_HD std::int64_t cost() const { return 64; }
  TD_HD void operator()(std::int64_t i) const {
    const C x = static_cast<C>(input[i]), t = static_cast<C>(target[i]);
    if (!(x >= C(0) && x <= C(1))) refuse(static_cast<double>(x));
    out[i] = static_cast<T>(-(t * limited(std::log(x)) + (C(1) - t) * limited(std::log1p(-x))));
  }
  TD_HD static C limited(C logarithm) { return logarithm < C(-100) ? C(-100) : logarithm; }
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
  const Tensor input = x.contiguous(), wanted = target.contiguous();
  dispatch_floats("binary_cross_entropy", out.dtype(), [&]<class T>(CppType<T>) {
    const BinaryCrossEntropy<T> loss{Pointer{out}, Pointer{input}, Pointer{wanted}};
    launch_index_kernel("binary_cross_entropy", out.device(), loss, out.numel(), {&input, &wanted},
                        {&out});
  });
}

}  // namespace td
