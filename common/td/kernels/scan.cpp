// Running sums and products along one dimension: cumsum and cumprod. One thread walks a row.
#define TD_KERNEL_FILE
#include "td/kernels/kernels.h"
#include "td/kernels/rows.h"

namespace td {
namespace {

struct Plus {
  static constexpr int start = 0;
  template <class A>
  TD_HD A operator()(A a, A b) const {
    return a + b;
  }
};
struct Times {
  static constexpr int start = 1;
  template <class A>
  TD_HD A operator()(A a, A b) const {
    return a * b;
  }
};

/// Real numbers are combined in double and rounded for each element.
template <class T, class Combine>
struct Running {
  RowShape s;
  const T* x;
  T* y;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    if (!row.leader) return;
    using A = std::conditional_t<std::is_floating_point_v<compute_t<T>>, double, std::int64_t>;
    A total = Combine::start;
    for (std::int64_t j = 0, at = s.start(i); j < s.n; ++j, at += s.stride) {
      total = Combine{}(total, static_cast<A>(static_cast<compute_t<T>>(x[at])));
      y[at] = static_cast<T>(static_cast<compute_t<T>>(total));
    }
  }
};

template <class Combine>
void run(const char* name, const Tensor& out, const Tensor& x, std::int64_t dim) {
  dispatch_numbers(name, x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const RowShape s = row_shape(x.sizes(), dim);
    const Running<T, Combine> program{s, kernel_pointer<const T>(x), kernel_pointer<T>(out)};
    launch(name, out.device(), rows_work(program, s.rows, s.n), {&x}, {&out});
  });
}

}  // namespace

namespace kernels {

void cumsum(const Tensor& out, const Tensor& x, std::int64_t dim) {
  run<Plus>("cumsum", out, x, dim);
}
void cumprod(const Tensor& out, const Tensor& x, std::int64_t dim) {
  run<Times>("cumprod", out, x, dim);
}

}  // namespace kernels
}  // namespace td
