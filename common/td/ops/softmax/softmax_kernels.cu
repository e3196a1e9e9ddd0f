// Row programs of softmax and log_softmax; their gradients have a file of their own, which keeps
// compiling for a GPU quick.
#include "td/kernels/kernels.h"
#include "td/kernels/mixed.h"
#include "td/kernels/rows.h"
#include "td/kernels/scalar_math.h"

namespace td {
namespace {

// exp, log for float and double under one name, on the host and on a GPU.
using scalar_math::exp;
using std::log;

// Subtracting the largest element keeps exp() in range: the exponents are then at most 0.
template <class T, class Out, bool kLog>
struct Softmax {
  using C = compute_t<T>;
  RowShape s;
  const T* x;
  Out* y;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const T* in = x + s.start(i);
    Out* out = y + s.start(i);
    const std::int64_t step = s.stride;
    const C m = row.max([&](std::int64_t j) { return static_cast<C>(in[j * step]); });
    if constexpr (!kLog && std::is_same_v<Out, C>) {  // wide enough to keep the exponentials in
      const C sum = row.sum(
          [&](std::int64_t j) { return out[j * step] = exp(static_cast<C>(in[j * step]) - m); });
      const C factor = C(1) / sum;
      row.each([&](std::int64_t j) { out[j * step] *= factor; });
    } else {
      const C sum = row.sum([&](std::int64_t j) { return exp(static_cast<C>(in[j * step]) - m); });
      const C shift = log(sum);
      row.each([&](std::int64_t j) {
        const C d = static_cast<C>(in[j * step]) - m;
        out[j * step] = static_cast<Out>(kLog ? d - shift : exp(d) / sum);
      });
    }
  }
};

template <bool kLog>
void forward(const char* name, const Tensor& out, const Tensor& x, std::int64_t dim) {
  dispatch_mixed(name, x.dtype(), out.dtype(), [&](auto type, auto result) {
    using T = typename decltype(type)::type;
    using Out = typename decltype(result)::type;
    const RowShape s = row_shape(x.sizes(), dim);
    const Softmax<T, Out, kLog> program{s, kernel_pointer<const T>(x), kernel_pointer<Out>(out)};
    launch(name, out.device(), rows_work(program, s.rows, s.n), {&x}, {&out});
  });
}

}  // namespace

namespace kernels {

void softmax(const Tensor& out, const Tensor& x, std::int64_t dim) {
  forward<false>("softmax", out, x, dim);
}
void log_softmax(const Tensor& out, const Tensor& x, std::int64_t dim) {
  forward<true>("log_softmax", out, x, dim);
}

}  // namespace kernels
}  // namespace td
