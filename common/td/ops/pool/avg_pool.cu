// Average pooling, with fixed windows or with windows that split the image evenly (adaptive):
// checks, gradients and kernels. One thread computes one element of the result, so the sums have
// one order on every device. The operation is linear, so forward and backward are each other's
// gradients.
#include "td/ops/pool/pool_shape.h"

namespace td {
namespace {

constexpr const char *kAvgPool = "avg_pool2d", *kAdaptive = "adaptive_avg_pool2d";

// How an average counts. `adaptive` splits the image into as many windows as there are outputs, and
// ignores the rest.
struct AvgRule {
  bool adaptive = false;
  bool count_include_pad = true;      // padding counts as zeros
  std::int64_t divisor_override = 0;  // divide by this; 0: by the count
};

// The input positions of one output along one side: [begin, end), and what they count as.
struct Extent1 {
  std::int64_t begin, end, counted;
};

struct AvgWindows : Windows {
  AvgRule rule;

  TD_HD Extent1 window(const Side& side, std::int64_t o) const {
    if (rule.adaptive) {
      const std::int64_t begin = o * side.size / side.outputs;
      const std::int64_t end = ((o + 1) * side.size + side.outputs - 1) / side.outputs;
      return {begin, end, end - begin};
    }
    std::int64_t begin = side.begin(o), end = begin + side.kernel;
    end = end < side.size + side.padding ? end : side.size + side.padding;
    const std::int64_t padded = end - begin;
    begin = begin < 0 ? 0 : begin;
    end = end < side.size ? end : side.size;
    return {begin, end, rule.count_include_pad ? padded : end - begin};
  }
  TD_HD Span outputs_over(const Side& side, std::int64_t at) const {
    if (!rule.adaptive) return side.outputs_over(at);
    return {at * side.outputs / side.size, ((at + 1) * side.outputs - 1) / side.size};
  }
  TD_HD std::int64_t divisor(const Extent1& ys, const Extent1& xs) const {
    return rule.divisor_override ? rule.divisor_override : ys.counted * xs.counted;
  }
};

template <class T>
struct AvgPool : AvgWindows {
  const T* x;
  T* y;

  TD_HD std::int64_t cost() const {
    return 4 * (rows.size / rows.outputs + 1) * (columns.size / columns.outputs + 1);
  }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.coords(i);
    const Extent1 ys = window(rows, at.y), xs = window(columns, at.x);
    const T* plane = x + in.plane(at.n, at.c);
    compute_t<T> sum = 0;
    for (std::int64_t row = ys.begin; row < ys.end; ++row)
      for (std::int64_t column = xs.begin; column < xs.end; ++column)
        sum += static_cast<compute_t<T>>(plane[in.pixel(row * in.w + column)]);
    y[i] = static_cast<T>(sum / static_cast<compute_t<T>>(divisor(ys, xs)));
  }
};

template <class T>
struct AvgPoolBackward : AvgWindows {
  const T* grad;
  T* grad_input;

  TD_HD std::int64_t cost() const { return 16; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = in.coords(i);
    const Span ys = outputs_over(rows, at.y), xs = outputs_over(columns, at.x);
    compute_t<T> sum = 0;
    for (std::int64_t oy = ys.first; oy <= ys.last; ++oy)
      for (std::int64_t ox = xs.first; ox <= xs.last; ++ox) {
        const T g = grad[out.plane(at.n, at.c) + out.pixel(oy * out.w + ox)];
        sum += static_cast<compute_t<T>>(g) /
               static_cast<compute_t<T>>(divisor(window(rows, oy), window(columns, ox)));
      }
    grad_input[i] = static_cast<T>(sum);
  }
};

// The same on the host for float and double: one worker per plane, or per image where channels are
// last, which goes from window to window. Sums have the same order as above.
template <class T, bool kBackward>
struct AvgPoolPlanes : AvgWindows {
  const T* from;
  T* to;

  TD_HD std::int64_t inner() const { return in.channels_last ? in.c : 1; }  // elements of one pixel
  TD_HD std::int64_t planes() const { return in.channels_last ? in.n : in.n * in.c; }
  TD_HD std::int64_t cost() const { return 4 * (in.h * in.w + out.h * out.w) * inner(); }

  TD_HD void operator()(std::int64_t plane) const {
    const std::int64_t images = in.h * in.w * inner(), averages = out.h * out.w * inner();
    const T* const x = from + plane * (kBackward ? averages : images);
    T* const y = to + plane * (kBackward ? images : averages);
    for (std::int64_t i = 0; kBackward && i < images; ++i) y[i] = T(0);
    for (std::int64_t oy = 0; oy < out.h; ++oy) {
      const Extent1 ys = window(rows, oy);
      for (std::int64_t ox = 0; ox < out.w; ++ox) {
        const std::int64_t at = (oy * out.w + ox) * inner();
        one_window(ys, window(columns, ox), x + (kBackward ? at : 0), y + (kBackward ? 0 : at));
      }
    }
  }
  TD_HD void one_window(const Extent1& ys, const Extent1& xs, const T* x, T* y) const {
    const std::int64_t step = inner();
    const T count = static_cast<T>(divisor(ys, xs));
    for (std::int64_t c = 0; c < step; ++c) {
      const T g = kBackward ? x[c] / count : T(0);
      T sum = 0;
      for (std::int64_t row = ys.begin; row < ys.end; ++row)
        for (std::int64_t column = xs.begin; column < xs.end; ++column) {
          const std::int64_t pixel = (row * in.w + column) * step + c;
          if constexpr (kBackward)
            y[pixel] += g;
          else
            sum += x[pixel];
        }
      if constexpr (!kBackward) y[c] = sum / count;
    }
  }
};

// The average of each window of images or, backward, each average's gradient for its window.
// `sizes` are the result's, `format` the images'.
template <bool kBackward>
Tensor average(const char* op, const Tensor& given, const Sizes& sizes, MemoryFormat format,
               const PoolWindow& w, const AvgRule& rule) {
  const char* const name = kBackward ? "avg_pool2d_backward" : "avg_pool2d";
  const Tensor x = given.contiguous(format);
  const Tensor y = empty_image(sizes, x.dtype(), x.device(), format);
  const Tensor &input = kBackward ? y : x, &output = kBackward ? x : y;
  if (y.numel() > 0)
    dispatch_floats(name, y.dtype(), [&]<class T>(CppType<T>) {
      using Kernel = std::conditional_t<kBackward, AvgPoolBackward<T>, AvgPool<T>>;
      const AvgWindows windows{{w, input, output, are_channels_last(input, output)}, rule};
      if constexpr (std::is_same_v<T, compute_t<T>>)
        if (!y.is_cuda()) {
          const AvgPoolPlanes<T, kBackward> work{windows, Pointer{x}, Pointer{y}};
          return launch_index_kernel(name, y.device(), work, work.planes(), {&x}, {&y});
        }
      const Kernel work{windows, Pointer{x}, Pointer{y}};
      launch_index_kernel(name, y.device(), work, y.numel(), {&x}, {&y});
    });
  if (recording(x))
    record(kBackward ? name : op, y, {&x},
           [op, sizes = x.impl().sizes, format, w, rule](const Tensor& g) {
             return average<!kBackward>(op, g, sizes, format, w, rule);
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
  const Sizes sizes = output_sizes(kAvgPool, x, w, ceil_mode);
  const AvgRule rule{false, count_include_pad, divisor_override.value_or(0)};
  return without_batch(average<false>(kAvgPool, x, sizes, x.suggest_memory_format(), w, rule),
                       input);
}

Tensor adaptive_avg_pool2d(const Tensor& input, IntArrayRef output_size) {
  const Tensor x = checked_image(kAdaptive, input);
  const auto size = pair_of(kAdaptive, "output_size", output_size, 1);
  if (size == Pair{1, 1}) {  // mean() has faster kernels
    Tensor out = x.mean({2, 3}, true);
    const std::int64_t c = x.size(1);
    if (x.suggest_memory_format() == MemoryFormat::ChannelsLast)
      out = out.as_strided(out.sizes(), {c, 1, c, c});
    return without_batch(out, input);
  }
  const PoolWindow whole{{x.size(2), x.size(3)}, {1, 1}};
  const AvgRule rule{true, true, 0};
  const Sizes sizes{x.size(0), x.size(1), size[0], size[1]};
  return without_batch(average<false>(kAdaptive, x, sizes, x.suggest_memory_format(), whole, rule),
                       input);
}

}  // namespace td
