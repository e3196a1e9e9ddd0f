// Where the pixels of pooled images are, for the kernels of max_pool.cpp and avg_pool.cpp.
#pragma once

#include "td/kernels/fast_divisor.h"
#include "td/kernels/pool.h"
#include "td/tensor/half.h"

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

}  // namespace
}  // namespace td
