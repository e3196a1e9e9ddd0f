// Pooling of images: max_pool2d, avg_pool2d, adaptive_avg_pool2d. Each is linear in its input once
// the places of the maxima are known, so forward and backward are each other's gradients.
#include "td/ops/pool/pool.h"
#include "td/ops/op.h"

namespace td {
namespace {

using kernels::AvgRule;
using kernels::PoolWindow;

constexpr Op kMaxPool{"max_pool2d", {"input"}};
constexpr Op kAvgPool{"avg_pool2d", {"input"}};
constexpr Op kAdaptive{"adaptive_avg_pool2d", {"input"}};

std::array<std::int64_t, 2> pair_of(const Op& op, const char* name, IntArrayRef list,
                                    std::int64_t least) {
  TD_CHECK(ShapeError, list.size() == 1 || list.size() == 2, op.name, ": ", name,
           " takes one number or {height, width} but got ", list);
  const std::array<std::int64_t, 2> pair{list[0], list.back()};
  TD_CHECK(ShapeError, pair[0] >= least && pair[1] >= least, op.name, ": ", name,
           " must be at least ", least, " but got ", list);
  return pair;
}

// An empty stride list means: as large as the kernel.
PoolWindow window_of(const Op& op, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                     IntArrayRef dilation) {
  const auto k = pair_of(op, "kernel_size", kernel, 1);
  const auto s = stride.empty() ? k : pair_of(op, "stride", stride, 1);
  const auto p = pair_of(op, "padding", padding, 0);
  TD_CHECK(ShapeError, 2 * p[0] <= k[0] && 2 * p[1] <= k[1], op.name, ": padding ", padding,
           " is more than half of kernel_size ", kernel, ", so some windows would be empty");
  return {k, s, p, pair_of(op, "dilation", dilation, 1)};
}

// A dense image with a batch, in one of the two layouts.
Tensor checked_image(const Op& op, const Tensor& input) {
  common_device(op, input);
  TD_CHECK(ShapeError, input.dim() == 3 || input.dim() == 4, op.name,
           ": \"input\" must have sizes [batch, channels, height, width] or [channels, height, "
           "width] but has ",
           input.sizes());
  for (std::int64_t d = input.dim() - 3; d < input.dim(); ++d)
    TD_CHECK(ShapeError, input.size(d) > 0, op.name,
             ": only the batch of \"input\" may be empty but its sizes are ", input.sizes());
  TD_CHECK(DtypeError, input.is_floating_point(), op.name,
           ": \"input\" must be floating point but is ", input.dtype(),
           "; convert it with to(kFloat32)");
  const Tensor batch = input.dim() == 3 ? input.unsqueeze(0) : input;
  TD_CHECK(ShapeError, batch.size(2) * batch.size(3) < (std::int64_t(1) << 31), op.name,
           ": an image of sizes ", input.sizes(), " has too many pixels");
  return batch.contiguous(batch.suggest_memory_format());
}

std::int64_t outputs(const Op& op, const Tensor& x, const PoolWindow& w, int side, bool ceil) {
  const std::int64_t size = x.sizes()[2 + side], stride = w.stride[side], padding = w.padding[side];
  const std::int64_t rest = size + 2 * padding - w.dilation[side] * (w.kernel[side] - 1) - 1;
  TD_CHECK(ShapeError, rest >= 0, op.name, ": the window of ", w.kernel[side], " does not fit the ",
           side == 0 ? "height" : "width", " ", size, " of \"input\" with padding ", padding);
  std::int64_t n = (rest + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (n - 1) * stride >= size + padding) --n;  // would lie in the padding alone
  return n;
}

Tensor empty_image(const Sizes& sizes, ScalarType dtype, Device device, MemoryFormat format) {
  Tensor t = empty_on(sizes, dtype, device);
  if (format == MemoryFormat::ChannelsLast)
    t.impl().set_geometry(sizes, channels_last_strides(sizes));
  return t;
}
// In `like`'s layout.
Tensor empty_image(const Tensor& like, const Sizes& sizes, ScalarType dtype) {
  return empty_image(sizes, dtype, like.device(), like.suggest_memory_format());
}
// `x` in `like`'s layout: gradients may arrive in any.
Tensor arranged_like(const Tensor& x, const Tensor& like) {
  return x.contiguous(like.suggest_memory_format());
}

Tensor take(const Tensor& x, const Tensor& places, const PoolWindow& w);

Tensor max_pool_backward(const Tensor& g, const Tensor& places, const Sizes& sizes,
                         const PoolWindow& w) {
  const Tensor grad = arranged_like(g, places);
  Tensor dx = empty_image(places, sizes, g.dtype());
  kernels::max_pool2d_backward(dx, grad, places, w);
  if (recording(g))
    record("max_pool2d_with_indices_backward", dx, {&g},
           [places, w](Gradients& grads, const Tensor& of_dx) {
             grads.set_lazily(0, [&] { return take(of_dx, places, w); });
           });
  return dx;
}

// The gradient's gradient: x at the places where the maxima were.
Tensor take(const Tensor& x, const Tensor& places, const PoolWindow& w) {
  const Tensor image = arranged_like(x, places);
  Tensor y = empty_image(places, places.impl().sizes, x.dtype());
  kernels::take_pooled(y, image, places, w);
  if (recording(x))
    record("max_pool2d_with_indices", y, {&x},
           [places, w, sizes = x.impl().sizes](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return max_pool_backward(g, places, sizes, w); });
           });
  return y;
}

// The maxima, and their places in their windows, which are left out when nobody needs them.
std::pair<Tensor, Tensor> max_pool(const Tensor& x, const PoolWindow& w, bool ceil_mode,
                                   bool with_places) {
  const Sizes sizes{x.size(0), x.size(1), outputs(kMaxPool, x, w, 0, ceil_mode),
                    outputs(kMaxPool, x, w, 1, ceil_mode)};
  Tensor y = empty_image(x, sizes, x.dtype()), places;
  if (with_places || recording(x)) places = empty_image(x, sizes, kernels::place_type(w));
  kernels::max_pool2d(y, places, x, w);
  if (recording(x))
    record("max_pool2d_with_indices", y, {&x},
           [places, w, sizes = x.impl().sizes](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return max_pool_backward(g, places, sizes, w); });
           });
  return {y, places};
}

// A window whose places can be counted.
PoolWindow max_window_of(IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                         IntArrayRef dilation) {
  constexpr std::int64_t kMost = std::int64_t(1) << 31;
  const PoolWindow w = window_of(kMaxPool, kernel, stride, padding, dilation);
  TD_CHECK(ShapeError, w.kernel[0] < kMost / w.kernel[1], kMaxPool.name, ": kernel_size ", kernel,
           " makes windows of ", w.kernel[0] * w.kernel[1], " places; fewer than ", kMost,
           " are possible");
  return w;
}

Tensor avg_pool(const Op& op, const Tensor& x, const Sizes& sizes, const PoolWindow& w,
                const AvgRule& rule);

// `sizes` and `format` are the input's.
Tensor avg_pool_backward(const Op& op, const Tensor& g, const Sizes& sizes, MemoryFormat format,
                         const PoolWindow& w, const AvgRule& rule) {
  const Tensor grad = g.contiguous(format);
  Tensor dx = empty_image(sizes, g.dtype(), g.device(), format);
  kernels::avg_pool2d_backward(dx, grad, w, rule);
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
  kernels::avg_pool2d(y, x, w, rule);
  if (recording(x))
    record(op.name, y, {&x},
           [&op, sizes = x.impl().sizes, format, w, rule](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return avg_pool_backward(op, g, sizes, format, w, rule); });
           });
  return y;
}

Tensor without_batch(const Tensor& y, const Tensor& input) {
  return input.dim() == 3 ? y.squeeze(0) : y;
}

}  // namespace

Tensor max_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  const Tensor x = checked_image(kMaxPool, input);
  const PoolWindow w = max_window_of(kernel_size, stride, padding, dilation);
  return without_batch(max_pool(x, w, ceil_mode, false).first, input);
}

std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   IntArrayRef stride, IntArrayRef padding,
                                                   IntArrayRef dilation, bool ceil_mode) {
  const Tensor x = checked_image(kMaxPool, input);
  const PoolWindow w = max_window_of(kernel_size, stride, padding, dilation);
  const auto [y, places] = max_pool(x, w, ceil_mode, true);
  const Tensor indices = empty_image(places, places.impl().sizes, kLong);
  kernels::max_pool2d_indices(indices, places, {x.size(2), x.size(3)}, w);
  return {without_batch(y, input), without_batch(indices, input)};
}

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
