// Row programs of the gradients of softmax and log_softmax.
#include "td/kernels/kernels.h"
#include "td/kernels/mixed.h"
#include "td/kernels/rows.h"
#include "td/kernels/scalar_math.h"

namespace td {
namespace {

using scalar_math::exp;

// T: the type of the input and so of its gradient; Out: that of the result.
template <class T, class Out, bool kLog>
struct SoftmaxBackward {
  using C = compute_t<T>;
  RowShape s;
  const Out *g, *y;
  T* gx;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const std::int64_t at = s.start(i), step = s.stride;
    const C total = row.sum([&](std::int64_t j) {
      const C gj = static_cast<C>(g[at + j * step]);
      return kLog ? gj : gj * static_cast<C>(y[at + j * step]);
    });
    row.each([&](std::int64_t j) {
      const C gj = static_cast<C>(g[at + j * step]), yj = static_cast<C>(y[at + j * step]);
      gx[at + j * step] = static_cast<T>(kLog ? gj - exp(yj) * total : yj * (gj - total));
    });
  }
};

template <bool kLog>
void backward(const char* name, const Tensor& out, const Tensor& g, const Tensor& y,
              std::int64_t dim) {
  dispatch_mixed(name, out.dtype(), y.dtype(), [&](auto type, auto result) {
    using T = typename decltype(type)::type;
    using Out = typename decltype(result)::type;
    const RowShape s = row_shape(y.sizes(), dim);
    const SoftmaxBackward<T, Out, kLog> program{
        s, kernel_pointer<const Out>(g), kernel_pointer<const Out>(y), kernel_pointer<T>(out)};
    launch(name, out.device(), rows_work(program, s.rows, s.n), {&g, &y}, {&out});
  });
}

}  // namespace

namespace kernels {

void softmax_backward(const Tensor& out, const Tensor& g, const Tensor& y, std::int64_t dim) {
  backward<false>("softmax_backward", out, g, y, dim);
}
void log_softmax_backward(const Tensor& out, const Tensor& g, const Tensor& y, std::int64_t dim) {
  backward<true>("log_softmax_backward", out, g, y, dim);
}

}  // namespace kernels
}  // namespace td
