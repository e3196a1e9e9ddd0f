// Average pooling, with fixed windows or with windows that split the image evenly (adaptive). One
// worker computes one element of the result, so the sums have one order on every device.
#include "td/kernels/kernels.h"
#include "td/ops/pool/pool.h"
#include "td/ops/pool/pool_shape.h"
#include "td/kernels/workers.h"

namespace td {
namespace {

using kernels::AvgRule;
using kernels::PoolWindow;

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
    const auto at = out.place(i);
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
    const auto at = in.place(i);
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

}  // namespace

namespace kernels {

void avg_pool2d(const Tensor& output, const Tensor& input, const PoolWindow& window,
                const AvgRule& rule) {
  if (output.numel() == 0) return;
  const bool last = lie_channels_last(input, output);
  const Images in(input, last), out(output, last);
  const Side rows(window, rule, 0, in.h, out.h), columns(window, rule, 1, in.w, out.w);
  dispatch_floats("avg_pool2d", output.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const AvgPool<T> worker{in,
                            out,
                            rows,
                            columns,
                            rule.divisor_override,
                            kernel_pointer<const T>(input),
                            kernel_pointer<T>(output)};
    launch_workers("avg_pool2d", output.device(), worker, output.numel(), {&input}, {&output});
  });
}

void avg_pool2d_backward(const Tensor& grad_input, const Tensor& grad, const PoolWindow& window,
                         const AvgRule& rule) {
  if (grad_input.numel() == 0) return;
  const bool last = lie_channels_last(grad_input, grad);
  const Images in(grad_input, last), out(grad, last);
  const Side rows(window, rule, 0, in.h, out.h), columns(window, rule, 1, in.w, out.w);
  dispatch_floats("avg_pool2d_backward", grad.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const AvgPoolBackward<T> worker{in,
                                    out,
                                    rows,
                                    columns,
                                    rule.divisor_override,
                                    kernel_pointer<const T>(grad),
                                    kernel_pointer<T>(grad_input)};
    launch_workers("avg_pool2d_backward", grad.device(), worker, grad_input.numel(), {&grad},
                   {&grad_input});
  });
}

}  // namespace kernels
}  // namespace td
