// Where the pixels of pooled images are, for the kernels of max_pool.cpp, max_pool_places.cpp and
// avg_pool.cpp.
#pragma once

#include <algorithm>

#include "td/kernels/fast_divisor.h"
#include "td/ops/pool/pool.h"
#include "td/tensor/dtype.h"

namespace td {
namespace {

/// Sizes of a dense image [n, c, h, w] and the steps between neighbours, in elements.
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
  struct Place {
    std::int64_t n, c, y, x;
  };
  TD_HD Place place(std::int64_t i) const {
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

/// Whether images lie with channels last. One channel or one pixel says nothing by itself, so an
/// input and its output are asked together.
inline bool lie_channels_last(const Tensor& input, const Tensor& output) {
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

/// Where in its window the maximum of each output lies, as a tensor of place_type holds it.
struct Places {
  void* data;  ///< nullptr: not wanted
  bool bytes;

  TD_HD std::int32_t operator[](std::int64_t i) const {
    return bytes ? static_cast<const std::uint8_t*>(data)[i]
                 : static_cast<const std::int32_t*>(data)[i];
  }
  TD_HD void set(std::int64_t i, std::int32_t place) const {
    if (bytes)
      static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(place);
    else
      static_cast<std::int32_t*>(data)[i] = place;
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

/// Positions in a picture, y * w + x, of what lies under windows.
struct Positions {
  kernels::PoolWindow window;
  std::int64_t h, w;

  /// Of a window's first element, which may lie in the padding.
  TD_HD std::int64_t first(std::int64_t oy, std::int64_t ox) const {
    return (oy * window.stride[0] - window.padding[0]) * w + ox * window.stride[1] -
           window.padding[1];
  }
  /// From the first element to the one at row r, column s of the window.
  TD_HD std::int64_t step(std::int64_t r, std::int64_t s) const {
    return r * window.dilation[0] * w + s * window.dilation[1];
  }
  /// Of a maximum. A window that saw nothing of the picture gets the position nearest to its place.
  TD_HD std::int64_t at(std::int64_t oy, std::int64_t ox, std::int64_t place) const {
    const std::int64_t r = quotient(place, window.kernel[1]), s = place - r * window.kernel[1];
    const std::int64_t row = oy * window.stride[0] - window.padding[0] + r * window.dilation[0];
    const std::int64_t column = ox * window.stride[1] - window.padding[1] + s * window.dilation[1];
    return nearest(row, h) * w + nearest(column, w);
  }
  TD_HD static std::int64_t nearest(std::int64_t i, std::int64_t size) {
    return i < 0 ? 0 : i < size ? i : size - 1;
  }
  /// Whether there is none of these: a window can step over a picture only if it is smaller than a
  /// step, because padding is no more than half of the window.
  bool each_window_sees() const { return window.dilation[0] <= h && window.dilation[1] <= w; }
};

}  // namespace
}  // namespace td
