// Fused cross entropy (and nll_loss): one pass over each row of classes forward, one backward. No
// probabilities are stored; the backward pass makes them again from the row's log-sum.
//
// With weights w, target t, smoothing e over C classes and L = log(sum(exp(x))):
//   loss = (1 - e) * w[t] * (L - x[t]) + e / C * sum over c of w[c] * (L - x[c])
// and for nll_loss, whose input already is a logarithm, L = 0.
#include "td/kernels/kernels.h"
#include "td/kernels/rows.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/index/out_of_range.h"

namespace td {
namespace {

using scalar_math::exp;
using std::log;

template <class T>
struct ClassRows {
  using C = compute_t<T>;
  RowShape s;
  const T* x;
  const std::int64_t* target;
  const T* weight;  // nullptr: all 1
  kernels::ClassLoss kind;

  TD_HD C weight_of(std::int64_t c) const { return weight ? static_cast<C>(weight[c]) : C(1); }
  /// The target of row i; -1 when it is ignored.
  TD_HD std::int64_t target_of(std::int64_t i) const {
    const std::int64_t t = target[i];
    if (t == kind.ignore_index) return -1;
    if (t < 0 || t >= s.n)
      out_of_range(kind.from_log ? "nll_loss" : "cross_entropy", "target", t, s.n);
    return t;
  }
};

template <class T>
struct LossForward {
  using C = compute_t<T>;
  ClassRows<T> r;
  T* losses;
  C* log_sums;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const T* in = r.x + r.s.start(i);
    const std::int64_t step = r.s.stride;
    const auto value = [&](std::int64_t j) { return static_cast<C>(in[j * step]); };
    C log_sum = 0;
    if (!r.kind.from_log) {
      const C m = row.max(value);
      log_sum = m + log(row.sum([&](std::int64_t j) { return exp(value(j) - m); }));
    }
    C smooth = 0;
    const C e = static_cast<C>(r.kind.label_smoothing);
    if (e > 0)
      smooth = row.sum([&](std::int64_t j) { return r.weight_of(j) * (log_sum - value(j)); });
    if (!row.leader) return;
    const std::int64_t t = r.target_of(i);
    log_sums[i] = log_sum;
    losses[i] = static_cast<T>(t < 0 ? C(0)
                                     : (1 - e) * r.weight_of(t) * (log_sum - value(t)) +
                                           e / static_cast<C>(r.s.n) * smooth);
  }
};

// The sum of all losses and of the weights that counted, by one thread or one block.
template <class T>
struct LossTotal {
  using C = compute_t<T>;
  ClassRows<T> r;
  const T* losses;
  T *total, *weight_sum;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t) const {
    const C loss = row.sum([&](std::int64_t i) { return static_cast<C>(losses[i]); });
    const C weights = row.sum([&](std::int64_t i) {
      const std::int64_t t = r.target_of(i);
      return t < 0 ? C(0) : r.weight_of(t);
    });
    if (!row.leader) return;
    *weight_sum = static_cast<T>(weights);
    *total = static_cast<T>(r.kind.mean ? loss / weights : loss);
  }
};

// Both steps as one launch.
template <class T>
struct LossWork {
  RowsWork<LossForward<T>> each;
  RowsWork<LossTotal<T>> all;
  void on_host() const {
    each.on_host();
    // Not each row's own loop over rows: with no rows the mean is 0/0, as in libtorch.
    all.program(HostRow{all.n}, 0);
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    each.on_cuda(stream);
    long_rows_kernel<<<1, dim3(32, 16), 0, stream>>>(all.program, all.n);
  }
#endif
};

template <class T>
struct LossBackward {
  using C = compute_t<T>;
  ClassRows<T> r;
  const T* g;
  bool one_g;
  const C* log_sums;
  const T* weight_sum;
  T* gx;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const std::int64_t at = r.s.start(i), step = r.s.stride, t = r.target_of(i);
    const C e = static_cast<C>(r.kind.label_smoothing) / static_cast<C>(r.s.n);
    const C hit = t < 0 ? C(0) : (1 - static_cast<C>(r.kind.label_smoothing)) * r.weight_of(t);
    C scale = t < 0 ? C(0) : static_cast<C>(g[one_g ? 0 : i]);
    if (t >= 0 && r.kind.mean) scale /= static_cast<C>(*weight_sum);
    C mass = 0;  // what the probabilities are multiplied with: the sum of all the targets' weights
    if (!r.kind.from_log) {
      mass = hit;
      if (e > 0) mass += e * row.sum([&](std::int64_t j) { return r.weight_of(j); });
    }
    row.each([&](std::int64_t j) {
      const C wanted = (j == t ? hit : C(0)) + e * r.weight_of(j);
      const C p = r.kind.from_log ? C(0) : exp(static_cast<C>(r.x[at + j * step]) - log_sums[i]);
      gx[at + j * step] = t < 0 ? T(0) : static_cast<T>(scale * (mass * p - wanted));
    });
  }
};

template <class T>
ClassRows<T> class_rows(const Tensor& x, const Tensor& target, const Tensor& weight,
                        const kernels::ClassLoss& kind) {
  return {row_shape(x.sizes(), 1), kernel_pointer<const T>(x),
          kernel_pointer<const std::int64_t>(target),
          weight.defined() ? kernel_pointer<const T>(weight) : nullptr, kind};
}

}  // namespace

namespace kernels {

void class_loss(const Tensor& losses, const Tensor& log_sums, const Tensor& total,
                const Tensor& weight_sum, const Tensor& x, const Tensor& target,
                const Tensor& weight, const ClassLoss& kind) {
  dispatch_floats("cross_entropy", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const ClassRows<T> r = class_rows<T>(x, target, weight, kind);
    const LossForward<T> forward{r, kernel_pointer<T>(losses),
                                 kernel_pointer<compute_t<T>>(log_sums)};
    const LossTotal<T> sums{r, kernel_pointer<const T>(losses), kernel_pointer<T>(total),
                            kernel_pointer<T>(weight_sum)};
    const LossWork<T> work{rows_work(forward, r.s.rows, r.s.n), rows_work(sums, 1, r.s.rows)};
    launch("cross_entropy", x.device(), work, {&x, &target, &weight},
           {&losses, &log_sums, &total, &weight_sum});
  });
}

void class_loss_backward(const Tensor& out, const Tensor& g, const Tensor& x,
                         const Tensor& log_sums, const Tensor& weight_sum, const Tensor& target,
                         const Tensor& weight, const ClassLoss& kind) {
  dispatch_floats("cross_entropy", x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const ClassRows<T> r = class_rows<T>(x, target, weight, kind);
    const LossBackward<T> program{r,
                                  kernel_pointer<const T>(g),
                                  g.dim() == 0,
                                  kernel_pointer<const compute_t<T>>(log_sums),
                                  kernel_pointer<const T>(weight_sum),
                                  kernel_pointer<T>(out)};
    launch("cross_entropy_backward", x.device(), rows_work(program, r.s.rows, r.s.n),
           {&g, &x, &log_sums, &weight_sum, &target, &weight}, {&out});
  });
}

}  // namespace kernels
}  // namespace td
