// What max_pool.cu and avg_pool.cu share: the checks of images and windows, and how pixels are
// found in memory. Images are dense: contiguous, or channels last (then input and output alike).
#pragma once

#include <array>

#include "td/kernels/fast_divisor.h"
#include "td/kernels/index_kernel.h"
#include "td/ops/op.h"

namespace td {
namespace {

/// A window and its movement; pairs are {height, width}.
struct PoolWindow {
  std::array<std::int64_t, 2> kernel, stride, padding{0, 0}, dilation{1, 1};
};

/// Sizes of a dense image [n, c, h, w] and the strides, in elements.
struct Images {
  std::int64_t n, c, h, w;
  std::int64_t step_n, step_c, step_h, step_w;
  bool channels_last;

  Images(const Tensor& t, bool last)
      : n(t.sizes()[0]),
        c(t.sizes()[1]),
        h(t.sizes()[2]),
        w(t.sizes()[3]),
        step_n(c * h * w),
        channels_last(last) {
    step_c = channels_last ? 1 : h * w;
    step_h = channels_last ? w * c : w;
    step_w = channels_last ? c : 1;
  }
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
/// tell, so the input and the output are looked at together.
inline bool are_channels_last(const Tensor& input, const Tensor& output) {
  return input.suggest_memory_format() == MemoryFormat::ChannelsLast ||
         output.suggest_memory_format() == MemoryFormat::ChannelsLast;
}

/// The outputs along one side whose windows may hold input position `at`: [first, last].
struct Span {
  std::int64_t first, last;
};
TD_HD inline Span windows_over(std::int64_t at, std::int64_t reach, std::int64_t stride,
                               std::int64_t padding, std::int64_t outputs) {
  const std::int64_t low = at + padding - reach + 1, last = (at + padding) / stride;
  return {low <= 0 ? 0 : (low + stride - 1) / stride, last < outputs ? last : outputs - 1};
}

/// What max_pool2d saves an index in: one byte, or int32 for windows of more than 256 elements. It
/// is the index in the window, row * kernel width + column, because one in the image would need
/// four bytes, and the indices are a large part of what a training step saves for backward.
inline ScalarType index_type(const PoolWindow& window) {
  return window.kernel[0] * window.kernel[1] <= 256 ? kByte : kInt;
}

/// Where in its window the maximum of each output is, as a tensor of index_type holds it.
struct PoolIndices {
  void* data;  ///< nullptr: not wanted
  bool bytes;

  TD_HD std::int32_t operator[](std::int64_t i) const {
    return bytes ? static_cast<const std::uint8_t*>(data)[i]
                 : static_cast<const std::int32_t*>(data)[i];
  }
  TD_HD void set(std::int64_t i, std::int32_t index) const {
    if (bytes)
      static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(index);
    else
      static_cast<std::int32_t*>(data)[i] = index;
  }
  void set(std::int64_t to, const std::int32_t* from, std::int64_t count) const {
    if (!bytes) {
      std::copy_n(from, count, static_cast<std::int32_t*>(data) + to);
      return;
    }
    auto* const into = static_cast<std::uint8_t*>(data) + to;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) into[i] = static_cast<std::uint8_t>(from[i]);
  }
};

/// The windows over an image of h x w pixels. A position in the image is y * w + x.
struct Windows {
  PoolWindow window;
  std::int64_t h, w;

  /// The first row and column of the window of output (oy, ox), which may be in the padding.
  TD_HD std::int64_t row_of(std::int64_t oy) const {
    return oy * window.stride[0] - window.padding[0];
  }
  TD_HD std::int64_t column_of(std::int64_t ox) const {
    return ox * window.stride[1] - window.padding[1];
  }
  TD_HD std::int64_t first(std::int64_t oy, std::int64_t ox) const {
    return row_of(oy) * w + column_of(ox);
  }
  TD_HD bool inside(std::int64_t row, std::int64_t column) const {
    return row >= 0 && row < h && column >= 0 && column < w;
  }
  TD_HD std::int32_t index_of(std::int64_t r, std::int64_t s) const {
    return static_cast<std::int32_t>(r * window.kernel[1] + s);
  }
  /// Positions from a window's first element to the one at row r, column s.
  TD_HD std::int64_t step(std::int64_t r, std::int64_t s) const {
    return r * window.dilation[0] * w + s * window.dilation[1];
  }
  /// The position of an element. A window that has no element in the image gets the position
  /// nearest to that element.
  TD_HD std::int64_t at(std::int64_t oy, std::int64_t ox, std::int64_t index) const {
    const std::int64_t r = quotient(index, window.kernel[1]), s = index - r * window.kernel[1];
    const std::int64_t row = row_of(oy) + r * window.dilation[0];
    const std::int64_t column = column_of(ox) + s * window.dilation[1];
    return nearest(row, h) * w + nearest(column, w);
  }
  TD_HD static std::int64_t nearest(std::int64_t i, std::int64_t size) {
    return i < 0 ? 0 : i < size ? i : size - 1;
  }
  /// Whether all windows have an element in the image. Only one that is smaller than a step lies
  /// between two elements, because padding is no more than half of the window.
  bool each_meets_the_image() const { return window.dilation[0] <= h && window.dilation[1] <= w; }
};

inline std::array<std::int64_t, 2> pair_of(const Op& op, const char* name, IntArrayRef list,
                                           std::int64_t least) {
  TD_CHECK(ShapeError, list.size() == 1 || list.size() == 2, op.name, ": ", name,
           " takes one number or {height, width} but got ", list);
  const std::array<std::int64_t, 2> pair{list[0], list.back()};
  TD_CHECK(ShapeError, pair[0] >= least && pair[1] >= least, op.name, ": ", name,
           " must be at least ", least, " but got ", list);
  return pair;
}

// An empty stride list means: as large as the kernel.
inline PoolWindow window_of(const Op& op, IntArrayRef kernel, IntArrayRef stride,
                            IntArrayRef padding, IntArrayRef dilation) {
  const auto k = pair_of(op, "kernel_size", kernel, 1);
  const auto s = stride.empty() ? k : pair_of(op, "stride", stride, 1);
  const auto p = pair_of(op, "padding", padding, 0);
  TD_CHECK(ShapeError, 2 * p[0] <= k[0] && 2 * p[1] <= k[1], op.name, ": padding ", padding,
           " is more than half of kernel_size ", kernel, ", so some windows would be empty");
  return {k, s, p, pair_of(op, "dilation", dilation, 1)};
}

// A dense image with a batch, in one of the two layouts.
inline Tensor checked_image(const Op& op, const Tensor& input) {
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

inline std::int64_t outputs(const Op& op, const Tensor& x, const PoolWindow& w, int side,
                            bool ceil) {
  const std::int64_t size = x.sizes()[2 + side], stride = w.stride[side], padding = w.padding[side];
  const std::int64_t rest = size + 2 * padding - w.dilation[side] * (w.kernel[side] - 1) - 1;
  TD_CHECK(ShapeError, rest >= 0, op.name, ": the window of ", w.kernel[side], " does not fit the ",
           side == 0 ? "height" : "width", " ", size, " of \"input\" with padding ", padding);
  std::int64_t n = (rest + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (n - 1) * stride >= size + padding) --n;  // would lie in the padding alone
  return n;
}

inline Tensor empty_image(const Sizes& sizes, ScalarType dtype, Device device,
                          MemoryFormat format) {
  Tensor t = empty_on(sizes, dtype, device);
  if (format == MemoryFormat::ChannelsLast)
    t.impl().set_geometry(sizes, channels_last_strides(sizes));
  return t;
}
// In `like`'s layout.
inline Tensor empty_image(const Tensor& like, const Sizes& sizes, ScalarType dtype) {
  return empty_image(sizes, dtype, like.device(), like.suggest_memory_format());
}
// The result for an input with a batch, as the input was given.
inline Tensor without_batch(const Tensor& y, const Tensor& input) {
  return input.dim() == 3 ? y.squeeze(0) : y;
}

}  // namespace
}  // namespace td
