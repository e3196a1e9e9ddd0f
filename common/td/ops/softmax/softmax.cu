// softmax and log_softmax along one dimension: the checks, the gradient, and a row program for each
// direction. Invariant: input and result have one type, or the result of a 16-bit input is float32.
#include "td/kernels/rows.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/op.h"

namespace td {
namespace {

// exp, log for float and double under one name, on the host and on a GPU.
using scalar_math::exp;
using std::log;

// Subtracting the largest element keeps exp() in range: the exponents are then at most 0.
template <class T, class Out, bool kLog>
struct Softmax {
  using C = compute_t<T>;
  /// The result is wide enough to hold the exponentials, which take the host most of the time.
  static constexpr bool kKeeps = !kLog && std::is_same_v<Out, C>;
  RowShape s;
  const T* x;
  Out* y;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const T* in = x + s.start(i);
    Out* out = y + s.start(i);
    const std::int64_t step = step_of<Row>(s);
    const auto value = [&](std::int64_t j) { return static_cast<C>(in[j * step]); };
    const auto values = row.read(value);
    const C m = row.max(values);
    if constexpr (Row::kOnHost && kKeeps) {
      const C sum = row.sum([&](std::int64_t j) { return out[j * step] = exp(value(j) - m); });
      const C factor = C(1) / sum;
      row.each([&](std::int64_t j) { out[j * step] *= factor; });
    } else {
      const C sum = row.sum(values, [&](C x) { return exp(x - m); });
      const C shift = log(sum);
      row.each(values, [&](std::int64_t j, C x) {
        const C d = x - m;
        out[j * step] = static_cast<Out>(kLog ? d - shift : exp(d) / sum);
      });
    }
  }
  void columns(const HostColumns& block, std::int64_t i) const {
    const T* const in = x + s.start(i);
    Out* const out = y + s.start(i);
    C m[HostColumns::kMost], scale[HostColumns::kMost];
    double sum[HostColumns::kMost] = {};
    std::fill_n(m, block.width, -std::numeric_limits<C>::infinity());
    block.each([&](std::int64_t at, std::int64_t c) {
      const C v = static_cast<C>(in[at]);
      m[c] = ((v > m[c]) | (v != v)) ? v : m[c];
    });
    block.each([&](std::int64_t at, std::int64_t c) {
      const C part = exp(static_cast<C>(in[at]) - m[c]);
      sum[c] += part;
      if constexpr (kKeeps) out[at] = part;
    });
    for (std::int64_t c = 0; c < block.width; ++c)
      scale[c] = kLog ? log(static_cast<C>(sum[c])) : C(1) / static_cast<C>(sum[c]);
    block.each([&](std::int64_t at, std::int64_t c) {
      if constexpr (kKeeps) {
        out[at] *= scale[c];
      } else {
        const C d = static_cast<C>(in[at]) - m[c];
        out[at] = static_cast<Out>(kLog ? d - scale[c] : exp(d) * scale[c]);
      }
    });
  }
};

// T: the type of the input and so of its gradient; Out: that of the result.
template <class T, class Out, bool kLog>
struct SoftmaxBackward {
  using C = compute_t<T>;
  RowShape s;
  const Out *g, *y;
  T* gx;
  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const std::int64_t at = s.start(i), step = step_of<Row>(s);
    const C total = row.sum([&](std::int64_t j) {
      const C gj = static_cast<C>(g[at + j * step]);
      return kLog ? gj : gj * static_cast<C>(y[at + j * step]);
    });
    struct Both {
      C g, y;
    };
    const auto both = [&](std::int64_t j) {
      return Both{static_cast<C>(g[at + j * step]), static_cast<C>(y[at + j * step])};
    };
    row.each(both, [&](std::int64_t j, Both of) {
      gx[at + j * step] = static_cast<T>(kLog ? of.g - exp(of.y) * total : of.y * (of.g - total));
    });
  }
  void columns(const HostColumns& block, std::int64_t i) const {
    const std::int64_t start = s.start(i);
    const auto gradient = [&](std::int64_t at) { return static_cast<C>(g[start + at]); };
    const auto result = [&](std::int64_t at) { return static_cast<C>(y[start + at]); };
    double sum[HostColumns::kMost] = {};
    block.each([&](std::int64_t at, std::int64_t c) {
      sum[c] += kLog ? gradient(at) : gradient(at) * result(at);
    });
    block.each([&](std::int64_t at, std::int64_t c) {
      const C total = static_cast<C>(sum[c]), value = result(at);
      gx[start + at] =
          static_cast<T>(kLog ? gradient(at) - exp(value) * total : value * (gradient(at) - total));
    });
  }
};

// One fused pass, unless the gradient must itself be differentiable:
//   softmax: y (g - sum(g y))     log_softmax: g - exp(y) sum(g)
// `type` is the input's.
template <bool kLog>
Tensor gradient(const Tensor& g, const Tensor& y, std::int64_t dim, ScalarType type) {
  if (recording(g, y)) {
    if (kLog) return as_type(g - exp(y) * sum(g, dim, true), type);
    const Tensor gy = g * y;
    return as_type(gy - y * sum(gy, dim, true), type);
  }
  Tensor out = empty_on(Sizes(y.sizes()), type, y.device());
  const Tensor dense = g.contiguous();
  const char* name = kLog ? "log_softmax_backward" : "softmax_backward";
  dispatch_mixed(name, type, y.dtype(), [&]<class T, class Out>(CppType<T>, CppType<Out>) {
    const RowShape s = row_shape(y.sizes(), dim);
    const SoftmaxBackward<T, Out, kLog> program{s, Pointer{dense}, Pointer{y}, Pointer{out}};
    launch(name, out.device(), rows_work(program, s), {&dense, &y}, {&out});
  });
  return out;
}

template <bool kLog>
Tensor along_rows(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  const char* op = kLog ? "log_softmax" : "softmax";
  const Device device = device_of(op, input);
  const std::int64_t d = wrap_dim(op, dim, input.dim());
  const ScalarType type = dtype.value_or(input.dtype());
  const Tensor x = (widens(input.dtype(), type) ? input : as_type(input, type)).contiguous();
  Tensor y = empty_on(Sizes(x.sizes()), type, device);
  dispatch_mixed(op, x.dtype(), type, [&]<class T, class Out>(CppType<T>, CppType<Out>) {
    const RowShape s = row_shape(x.sizes(), d);
    const Softmax<T, Out, kLog> program{s, Pointer{x}, Pointer{y}};
    launch(op, device, rows_work(program, s), {&x}, {&y});
  });
  if (recording(x))
    record(op, y, {&x}, [y = save_result(y), d, from = x.dtype()](const Tensor& g) {
      return gradient<kLog>(g, y(), d, from);
    });
  return y;
}

}  // namespace

Tensor softmax_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  return along_rows<false>(input, dim, dtype);
}
Tensor log_softmax_impl(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype) {
  return along_rows<true>(input, dim, dtype);
}

}  // namespace td
