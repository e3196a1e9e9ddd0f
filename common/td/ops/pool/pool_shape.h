// What the operations on images share: pairs of numbers and new images in a memory format (also for
// conv.cu), and for max_pool.cu and avg_pool.cu the checks of their arguments and how they find
// pixels in memory. Pooled images are dense: contiguous or channels last, input and output alike.
#pragma once

#include <array>

#include "td/kernels/geometry.h"
#include "td/kernels/index_kernel.h"
#include "td/ops/op.h"

namespace td {

/// {height, width}.
using Pair = std::array<std::int64_t, 2>;

/// A window and its movement.
struct PoolWindow {
  Pair kernel, stride, padding{0, 0}, dilation{1, 1};
};

namespace {

/// Sizes of a dense image [n, c, h, w] and the strides, in elements.
struct Images {
  std::int64_t n, c, h, w;
  bool channels_last;
  std::int64_t step_n = c * h * w, step_c = channels_last ? 1 : h * w;
  std::int64_t step_w = channels_last ? c : 1;

  Images(const Tensor& t, bool last)
      : n(t.sizes()[0]), c(t.sizes()[1]), h(t.sizes()[2]), w(t.sizes()[3]), channels_last(last) {}

  TD_HD std::int64_t numel() const { return n * step_n; }
  /// Element i in memory order, as n, c, y, x.
  struct Coords {
    std::int64_t n, c, y, x;
  };
  TD_HD Coords coords(std::int64_t i) const {
    const std::int64_t image = quotient(i, step_n), rest = i - image * step_n;
    const std::int64_t step = channels_last ? c : h * w, outer = quotient(rest, step);
    const std::int64_t inner = rest - outer * step, pixel = channels_last ? outer : inner;
    const std::int64_t y = quotient(pixel, w);
    return {image, channels_last ? inner : outer, y, pixel - y * w};
  }
  /// The first pixel of a plane.
  TD_HD std::int64_t plane(std::int64_t image, std::int64_t channel) const {
    return image * step_n + channel * step_c;
  }
  /// Elements from a plane's first pixel to the one at y * w + x.
  TD_HD std::int64_t pixel(std::int64_t at) const { return at * step_w; }
};

/// Whether images are channels last. With one channel or one pixel the strides of one tensor do not
/// tell, so the input and the output are examined together.
inline bool are_channels_last(const Tensor& input, const Tensor& output) {
  return input.suggest_memory_format() == MemoryFormat::ChannelsLast ||
         output.suggest_memory_format() == MemoryFormat::ChannelsLast;
}

/// Outputs [first, last] along one side.
struct Span {
  std::int64_t first, last;
};

/// The windows of all outputs along one side of the image.
struct Side {
  std::int64_t size, outputs, kernel, stride, padding, dilation;

  /// Where the window of an output begins, which may be in the padding.
  TD_HD std::int64_t begin(std::int64_t output) const { return output * stride - padding; }
  TD_HD bool inside(std::int64_t at) const { return at >= 0 && at < size; }
  /// Whether two windows may share an element. Dilated ones count as overlapping: they may also lie
  /// outside of the image.
  TD_HD bool overlap() const { return stride < kernel || dilation > 1; }
  /// The outputs whose windows may hold input position `at`.
  TD_HD Span outputs_over(std::int64_t at) const {
    const std::int64_t low = at + padding - (kernel - 1) * dilation, last = (at + padding) / stride;
    return {low <= 0 ? 0 : (low + stride - 1) / stride, last < outputs ? last : outputs - 1};
  }
};

/// The images of a pooling and the windows along both sides. A position in a plane is y * w + x.
struct Windows {
  Images in, out;
  Side rows, columns;

  Windows(const PoolWindow& w, const Tensor& input, const Tensor& output, bool last)
      : in(input, last), out(output, last), rows(side(w, 0)), columns(side(w, 1)) {}

 private:
  Side side(const PoolWindow& w, int i) const {
    return {i == 0 ? in.h : in.w, i == 0 ? out.h : out.w, w.kernel[i],
            w.stride[i],          w.padding[i],           w.dilation[i]};
  }
};

/// One number for both directions, or {height, width}.
inline Pair pair_of(const char* op, const char* name, IntArrayRef list, std::int64_t least) {
  TD_CHECK(ShapeError, list.size() == 1 || list.size() == 2, op, ": ", name,
           " takes one number or {height, width} but got ", list);
  const Pair pair{list[0], list.back()};
  TD_CHECK(ShapeError, pair[0] >= least && pair[1] >= least, op, ": ", name, " must be at least ",
           least, " but got ", list);
  return pair;
}

// An empty stride list means: as large as the kernel.
inline PoolWindow window_of(const char* op, IntArrayRef kernel, IntArrayRef stride,
                            IntArrayRef padding, IntArrayRef dilation) {
  const auto k = pair_of(op, "kernel_size", kernel, 1);
  const auto s = stride.empty() ? k : pair_of(op, "stride", stride, 1);
  const auto p = pair_of(op, "padding", padding, 0);
  TD_CHECK(ShapeError, 2 * p[0] <= k[0] && 2 * p[1] <= k[1], op, ": padding ", padding,
           " is more than half of kernel_size ", kernel, ", so some windows would be empty");
  return {k, s, p, pair_of(op, "dilation", dilation, 1)};
}

// A dense image with a batch, in one of the two layouts.
inline Tensor checked_image(const char* op, const Tensor& input) {
  device_of(op, input);
  TD_CHECK(ShapeError, input.dim() == 3 || input.dim() == 4, op,
           ": \"input\" must have sizes [batch, channels, height, width] or [channels, height, "
           "width] but has ",
           input.sizes());
  for (std::int64_t d = input.dim() - 3; d < input.dim(); ++d)
    TD_CHECK(ShapeError, input.size(d) > 0, op,
             ": only the batch of \"input\" may be empty but its sizes are ", input.sizes());
  TD_CHECK(DtypeError, input.is_floating_point(), op, ": \"input\" must be floating point but is ",
           input.dtype(), "; convert it with to(kFloat32)");
  const Tensor batch = input.dim() == 3 ? input.unsqueeze(0) : input;
  TD_CHECK(ShapeError, batch.size(2) * batch.size(3) < (std::int64_t(1) << 31), op,
           ": an image of sizes ", input.sizes(), " has too many pixels");
  return batch.contiguous(batch.suggest_memory_format());
}

inline std::int64_t outputs(const char* op, const Tensor& x, const PoolWindow& w, int side,
                            bool ceil) {
  const std::int64_t size = x.sizes()[2 + side], stride = w.stride[side], padding = w.padding[side];
  const std::int64_t rest =
      size + 2 * padding - w.dilation[side] * (w.kernel[side] - 1) - 1 + (ceil ? stride - 1 : 0);
  TD_CHECK(ShapeError, rest >= 0, op, ": the window of ", w.kernel[side], " does not fit the ",
           side == 0 ? "height" : "width", " ", size, " of \"input\" with padding ", padding);
  std::int64_t n = rest / stride + 1;
  if (ceil && (n - 1) * stride >= size + padding) --n;  // would lie in the padding alone
  return n;
}

/// The sizes of the result for images x.
inline Sizes output_sizes(const char* op, const Tensor& x, const PoolWindow& w, bool ceil) {
  return {x.sizes()[0], x.sizes()[1], outputs(op, x, w, 0, ceil), outputs(op, x, w, 1, ceil)};
}

inline Tensor empty_image(const Sizes& sizes, ScalarType dtype, Device device,
                          MemoryFormat format) {
  Tensor t = empty_on(sizes, dtype, device);
  if (format == MemoryFormat::ChannelsLast)
    t.impl().set_geometry(sizes, channels_last_strides(sizes));
  return t;
}
// A new image in `like`'s layout.
inline Tensor empty_image(const Tensor& like, const Sizes& sizes, ScalarType dtype) {
  return empty_image(sizes, dtype, like.device(), like.suggest_memory_format());
}
// The result for an input with a batch, as the input was given.
inline Tensor without_batch(const Tensor& y, const Tensor& input) {
  return input.dim() == 3 ? y.squeeze(0) : y;
}

}  // namespace
}  // namespace td
