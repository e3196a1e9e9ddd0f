// Average pooling, with fixed windows or with windows that split the image evenly (adaptive):
// checks, gradients and kernels. One thread computes one element of the result, so the sums have
// one order on every device. The operation is linear, so forward and backward are each other's
// gradients.
#include "td/ops/pool/pool_shape.h"

namespace td {
namespace {

constexpr Op kAvgPool{"avg_pool2d", {"input"}};
constexpr Op kAdaptive{"adaptive_avg_pool2d", {"input"}};

// How an average counts. `adaptive` splits the image into output.size windows and ignores the rest.
struct AvgRule {
  bool adaptive = false;
  bool count_include_pad = true;      // padding counts as zeros
  std::int64_t divisor_override = 0;  // divide by this; 0: by the count
};

// The input positions of one output along one side: [begin, end), and what they count as.
struct Extent1 {
  std::int64_t begin, end, counted;
};

// The windows of all outputs along one side.
struct Side {
  bool adaptive, count_padding;
  std::int64_t size, outputs, kernel, stride, padding;

  Side(const PoolWindow& window, const AvgRule& rule, int side, std::int64_t in, std::int64_t out)
      : adaptive(rule.adaptive),
        count_padding(rule.count_include_pad),
        size(in),
        outputs(out),
        kernel(window.kernel[side]),
        stride(window.stride[side]),
        padding(window.padding[side]) {}

  TD_HD Extent1 window(std::int64_t o) const {
    if (adaptive) {
      const std::int64_t begin = o * size / outputs, end = ((o + 1) * size + outputs - 1) / outputs;
      return {begin, end, end - begin};
    }
    std::int64_t begin = o * stride - padding;
    std::int64_t end = begin + kernel < size + padding ? begin + kernel : size + padding;
    const std::int64_t padded = end - begin;
    begin = begin < 0 ? 0 : begin;
    end = end < size ? end : size;
    return {begin, end, count_padding ? padded : end - begin};
  }
  TD_HD Span outputs_over(std::int64_t at) const {
    if (adaptive) return {at * outputs / size, ((at + 1) * outputs - 1) / size};
    return windows_over(at, kernel, stride, padding, outputs);
  }
};

template <class T>
struct AvgPool {
  Images in, out;
  Side rows, columns;
  std::int64_t divisor;  // 0: the count
  const T* x;
  T* y;

  TD_HD std::int64_t cost() const {
    return 4 * (rows.size / rows.outputs + 1) * (columns.size / columns.outputs + 1);
  }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.coords(i);
    const Extent1 ys = rows.window(at.y), xs = columns.window(at.x);
    const T* plane = x + in.plane(at.n, at.c);
    compute_t<T> sum = 0;
    for (std::int64_t row = ys.begin; row < ys.end; ++row)
      for (std::int64_t column = xs.begin; column < xs.end; ++column)
        sum += static_cast<compute_t<T>>(plane[in.pixel(row * in.w + column)]);
    y[i] = static_cast<T>(sum /
                          static_cast<compute_t<T>>(divisor ? divisor : ys.counted * xs.counted));
  }
};

template <class T>
struct AvgPoolBackward {
  Images in, out;
  Side rows, columns;
  std::int64_t divisor;
  const T* grad;
  T* grad_input;

  TD_HD std::int64_t cost() const { return 16; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = in.coords(i);
    const Span ys = rows.outputs_over(at.y), xs = columns.outputs_over(at.x);
    compute_t<T> sum = 0;
    for (std::int64_t oy = ys.first; oy <= ys.last; ++oy)
      for (std::int64_t ox = xs.first; ox <= xs.last; ++ox) {
        const std::int64_t count = rows.window(oy).counted * columns.window(ox).counted;
        const T g = grad[out.plane(at.n, at.c) + out.pixel(oy * out.w + ox)];
        sum += static_cast<compute_t<T>>(g) / static_cast<compute_t<T>>(divisor ? divisor : count);
      }
    grad_input[i] = static_cast<T>(sum);
  }
};

// `output` is the average of each window or, backward, `input` gets each average's gradient back.
template <template <class> class Kernel>
void launch_avg(const char* name, const Tensor& input, const Tensor& output, const PoolWindow& w,
                const AvgRule& rule, const Tensor& from, const Tensor& to) {
  if (to.numel() == 0) return;
  const bool last = are_channels_last(input, output);
  const Images in(input, last), out(output, last);
  const Side rows(w, rule, 0, in.h, out.h), columns(w, rule, 1, in.w, out.w);
  dispatch_floats(name, to.dtype(), [&]<class T>(CppType<T>) {
    const Kernel<T> work{in,
                         out,
                         rows,
                         columns,
                         rule.divisor_override,
                         kernel_pointer<const T>(from),
                         kernel_pointer<T>(to)};
    launch_index_kernel(name, to.device(), work, to.numel(), {&from}, {&to});
  });
}

Tensor avg_pool(const Op& op, const Tensor& x, const Sizes& sizes, const PoolWindow& w,
                const AvgRule& rule);

// `sizes` and `format` are the input's.
Tensor avg_pool_backward(const Op& op, const Tensor& g, const Sizes& sizes, MemoryFormat format,
                         const PoolWindow& w, const AvgRule& rule) {
  const Tensor grad = g.contiguous(format);
  Tensor dx = empty_image(sizes, g.dtype(), g.device(), format);
  launch_avg<AvgPoolBackward>("avg_pool2d_backward", dx, grad, w, rule, grad, dx);
  if (recording(g))
    record("avg_pool2d_backward", dx, {&g},
           [&op, w, rule, sizes = g.impl().sizes](Gradients& grads, const Tensor& of_dx) {
             grads.set_lazily(0, [&] { return avg_pool(op, of_dx, sizes, w, rule); });
           });
  return dx;
}

Tensor avg_pool(const Op& op, const Tensor& input, const Sizes& sizes, const PoolWindow& w,
                const AvgRule& rule) {
  const MemoryFormat format = input.suggest_memory_format();
  const Tensor x = input.contiguous(format);
  Tensor y = empty_image(x, sizes, x.dtype());
  launch_avg<AvgPool>("avg_pool2d", x, y, w, rule, x, y);
  if (recording(x))
    record(op.name, y, {&x},
           [&op, sizes = x.impl().sizes, format, w, rule](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return avg_pool_backward(op, g, sizes, format, w, rule); });
           });
  return y;
}

}  // namespace

Tensor avg_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, bool ceil_mode, bool count_include_pad,
                  optional<std::int64_t> divisor_override) {
  TD_CHECK(ShapeError, !divisor_override || *divisor_override != 0,
           "avg_pool2d: divisor_override must not be 0");
  const Tensor x = checked_image(kAvgPool, input);
  const PoolWindow w = window_of(kAvgPool, kernel_size, stride, padding, 1);
  const Sizes sizes{x.size(0), x.size(1), outputs(kAvgPool, x, w, 0, ceil_mode),
                    outputs(kAvgPool, x, w, 1, ceil_mode)};
  const AvgRule rule{false, count_include_pad, divisor_override.value_or(0)};
  return without_batch(avg_pool(kAvgPool, x, sizes, w, rule), input);
}

Tensor adaptive_avg_pool2d(const Tensor& input, IntArrayRef output_size) {
  const Tensor x = checked_image(kAdaptive, input);
  const auto size = pair_of(kAdaptive, "output_size", output_size, 1);
  const PoolWindow whole{{x.size(2), x.size(3)}, {1, 1}};
  const AvgRule rule{true, true, 0};
  return without_batch(
      avg_pool(kAdaptive, x, {x.size(0), x.size(1), size[0], size[1]}, whole, rule), input);
}

}  // namespace td
