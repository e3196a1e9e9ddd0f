// Max pooling. On the host up to 64 outputs are worked on at once, so that the comparisons become
// vector instructions: channels of one position (channels last), or positions of one plane, whose
// elements are brought together first. Called by ops/pool.cpp.
#include <algorithm>
#include <limits>
#include <vector>

#include "td/kernels/kernels.h"
#include "td/ops/pool/pool.h"
#include "td/ops/pool/pool_shape.h"
#include "td/kernels/workers.h"

namespace td {
namespace {

using kernels::PoolWindow;

// NaN wins, and of equal values the first. Written with | so that it is computed without branches.
template <class T>
TD_HD bool replaces(T value, T largest) {
  return (value > largest) | (value != value);
}

/// Outputs that are worked on together, one a lane of the vector instructions.
template <class T>
struct Lanes {
  using C = compute_t<T>;
  static constexpr std::int64_t kMost = 64;

  C value[kMost];  // what is looked at now
  C largest[kMost];
  std::int32_t at[kMost];  // the largest one's place in its window

  /// Takes value[i], which lies at `place` of its window, into account.
  void compare(std::int64_t count, std::int32_t place) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      const bool better = replaces(value[i], largest[i]);
      largest[i] = better ? value[i] : largest[i];
      at[i] = better ? place : at[i];
    }
  }
};

template <class T>
struct MaxPool {
  using C = compute_t<T>;
  PoolWindow window;
  Images in, out;
  const T* x;
  T* y;
  Places places;

  // What a window starts with: nothing is smaller, and the first of its places in the image (or
  // simply the first where all of the window is outside).
  TD_HD static C smallest() { return -std::numeric_limits<C>::infinity(); }
  TD_HD std::int64_t first_inside(int side, std::int64_t at) const {
    const std::int64_t step = window.dilation[side];
    const std::int64_t skipped = at < 0 ? (-at + step - 1) / step : 0;
    return skipped < window.kernel[side] ? skipped : 0;
  }
  TD_HD std::int32_t first_place(std::int64_t row, std::int64_t column) const {
    return place_of(first_inside(0, row), first_inside(1, column));
  }
  TD_HD std::int32_t place_of(std::int64_t r, std::int64_t s) const {
    return static_cast<std::int32_t>(r * window.kernel[1] + s);
  }
  TD_HD std::int64_t row_of(std::int64_t oy) const {
    return oy * window.stride[0] - window.padding[0];
  }
  TD_HD std::int64_t column_of(std::int64_t ox) const {
    return ox * window.stride[1] - window.padding[1];
  }
  bool inside(std::int64_t row, std::int64_t column) const {
    return row >= 0 && row < in.h && column >= 0 && column < in.w;
  }

  // Whether no window reaches into the padding, or beyond the image as ceil_mode lets it.
  bool all_inside() const {
    const auto within = [&](int side, std::int64_t size, std::int64_t outputs) {
      return window.padding[side] == 0 &&
             (outputs - 1) * window.stride[side] +
                     (window.kernel[side] - 1) * window.dilation[side] <
                 size;
    };
    return within(0, in.h, out.h) && within(1, in.w, out.w);
  }

  // Outputs [first, first + count) of a contiguous plane.
  template <bool kAllInside>
  void pool_plane(std::int64_t plane, std::int64_t first, std::int64_t count) const {
    Lanes<T> lanes;
    const T* from[Lanes<T>::kMost];
    [[maybe_unused]] std::int64_t row[Lanes<T>::kMost], column[Lanes<T>::kMost];
    const T* const pixels = x + plane * in.step_c;
    std::int64_t oy = first / out.w, ox = first % out.w;
    std::int64_t start = row_of(oy) * in.w + column_of(ox);
    for (std::int64_t i = 0; i < count; ++i) {
      from[i] = pixels + start;
      if constexpr (!kAllInside) row[i] = row_of(oy), column[i] = column_of(ox);
      start += window.stride[1];
      if (++ox == out.w) {
        ox = 0;
        start = row_of(++oy) * in.w + column_of(0);
      }
    }
    for (std::int64_t i = 0; i < count; ++i)
      lanes.at[i] = kAllInside ? 0 : first_place(row[i], column[i]);
    std::fill_n(lanes.largest, count, smallest());
    for (std::int64_t r = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
        const std::int64_t down = r * window.dilation[0], right = s * window.dilation[1];
        const std::int64_t step = down * in.w + right;
        for (std::int64_t i = 0; i < count; ++i)
          lanes.value[i] = kAllInside || inside(row[i] + down, column[i] + right)
                               ? static_cast<C>(from[i][step])
                               : smallest();
        lanes.compare(count, place_of(r, s));
      }
    store(lanes, plane * out.step_c + first, count);
  }

  // Channels [first, first + count) of one output, which lie side by side.
  void pool_channels(std::int64_t pixel, std::int64_t first, std::int64_t count) const {
    Lanes<T> lanes;
    const std::int64_t image = pixel / (out.h * out.w);
    const std::int64_t row = row_of(pixel / out.w % out.h), column = column_of(pixel % out.w);
    std::fill_n(lanes.largest, count, smallest());
    std::fill_n(lanes.at, count, first_place(row, column));
    for (std::int64_t r = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
        const std::int64_t h = row + r * window.dilation[0], w = column + s * window.dilation[1];
        if (!inside(h, w)) continue;
        const T* const from = x + in.plane(image, first) + in.pixel(h * in.w + w);
        for (std::int64_t i = 0; i < count; ++i) lanes.value[i] = static_cast<C>(from[i]);
        lanes.compare(count, place_of(r, s));
      }
    store(lanes, pixel * out.c + first, count);
  }

  void store(const Lanes<T>& lanes, std::int64_t to, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) y[to + i] = static_cast<T>(lanes.largest[i]);
    if (places.data) places.set(to, lanes.at, count);
  }

  // A line is what lies side by side: the channels of a pixel, or a plane.
  void on_host() const {
    const std::int64_t length = out.channels_last ? out.c : out.h * out.w;
    const std::int64_t work = length * window.kernel[0] * window.kernel[1];
    const bool simple = all_inside();
    parallel_for(0, out.numel() / length, std::max<std::int64_t>(1, 32768 / work),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t line = begin; line < end; ++line)
                     for (std::int64_t i = 0; i < length; i += Lanes<T>::kMost) {
                       const std::int64_t n = std::min(Lanes<T>::kMost, length - i);
                       if (out.channels_last)
                         pool_channels(line, i, n);
                       else
                         simple ? pool_plane<true>(line, i, n) : pool_plane<false>(line, i, n);
                     }
                 });
  }

  // One output, for cuda.
  TD_HD std::int64_t cost() const { return 4 * window.kernel[0] * window.kernel[1]; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.place(i);
    const T* plane = x + in.plane(at.n, at.c);
    C largest = smallest();
    std::int32_t place = first_place(row_of(at.y), column_of(at.x));
    for (std::int64_t r = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
        const std::int64_t row = row_of(at.y) + r * window.dilation[0];
        const std::int64_t column = column_of(at.x) + s * window.dilation[1];
        if (row < 0 || row >= in.h || column < 0 || column >= in.w) continue;
        const C v = plane[in.pixel(row * in.w + column)];
        if (!replaces(v, largest)) continue;
        largest = v;
        place = place_of(r, s);
      }
    y[i] = static_cast<T>(largest);
    if (places.data) places.set(i, place);
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    WorkersWork<MaxPool<T>>{*this, out.numel()}.on_cuda(stream);
  }
#endif
};

}  // namespace

namespace kernels {

void max_pool2d(const Tensor& output, const Tensor& places, const Tensor& input,
                const PoolWindow& window) {
  if (output.numel() == 0) return;
  const bool last = lie_channels_last(input, output);
  dispatch_floats("max_pool2d", output.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    MaxPool<T> work{window,
                    Images(input, last),
                    Images(output, last),
                    kernel_pointer<const T>(input),
                    kernel_pointer<T>(output),
                    {nullptr, place_type(window) == kByte}};
    if (places.defined()) work.places.data = kernel_pointer<void>(places);
    if (places.defined())
      launch("max_pool2d", output.device(), work, {&input}, {&output, &places});
    else
      launch("max_pool2d", output.device(), work, {&input}, {&output});
  });
}

}  // namespace kernels
}  // namespace td
