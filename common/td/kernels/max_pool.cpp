// Max pooling. On the host up to 64 outputs are worked on at once, so that the comparisons become
// vector instructions: channels of one position (channels last), or positions of one plane, whose
// elements are brought together first.
#define TD_KERNEL_FILE
#include <algorithm>
#include <limits>
#include <vector>

#include "td/kernels/kernels.h"
#include "td/kernels/pool.h"
#include "td/kernels/pool_shape.h"
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

  std::int32_t start[kMost];  // place of the window's first element; it may lie in the padding
  C value[kMost];             // what is looked at now
  C largest[kMost];
  std::int32_t at[kMost];  // place of the largest

  /// Takes value[i], `step` places after start[i], into account.
  void compare(std::int64_t count, std::int32_t step) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      const bool better = replaces(value[i], largest[i]);
      largest[i] = better ? value[i] : largest[i];
      at[i] = better ? start[i] + step : at[i];
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
  std::int32_t* index;  // nullptr: not wanted

  // What a window starts with: nothing is smaller, and the place of its first element in the image
  // (of the last one in the image where all of the window is outside).
  TD_HD static C smallest() { return -std::numeric_limits<C>::infinity(); }
  TD_HD static std::int64_t first_inside(std::int64_t at, std::int64_t step, std::int64_t size) {
    if (at < 0) at += (-at + step - 1) / step * step;
    return at < size ? at : size - 1;
  }
  TD_HD std::int32_t first_place(std::int64_t row, std::int64_t column) const {
    return static_cast<std::int32_t>(first_inside(row, window.dilation[0], in.h) * in.w +
                                     first_inside(column, window.dilation[1], in.w));
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
      lanes.start[i] = static_cast<std::int32_t>(start);
      from[i] = pixels + start;
      if constexpr (!kAllInside) row[i] = row_of(oy), column[i] = column_of(ox);
      start += window.stride[1];
      if (++ox == out.w) {
        ox = 0;
        start = row_of(++oy) * in.w + column_of(0);
      }
    }
    for (std::int64_t i = 0; i < count; ++i)
      lanes.at[i] = kAllInside ? lanes.start[i] : first_place(row[i], column[i]);
    std::fill_n(lanes.largest, count, smallest());
    for (std::int64_t r = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
        const std::int64_t down = r * window.dilation[0], right = s * window.dilation[1];
        const std::int64_t step = down * in.w + right;
        for (std::int64_t i = 0; i < count; ++i)
          lanes.value[i] = kAllInside || inside(row[i] + down, column[i] + right)
                               ? static_cast<C>(from[i][step])
                               : smallest();
        lanes.compare(count, static_cast<std::int32_t>(step));
      }
    store(lanes, plane * out.step_c + first, count);
  }

  // Channels [first, first + count) of one output, which lie side by side.
  void pool_channels(std::int64_t pixel, std::int64_t first, std::int64_t count) const {
    Lanes<T> lanes;
    const std::int64_t image = pixel / (out.h * out.w);
    const std::int64_t row = row_of(pixel / out.w % out.h), column = column_of(pixel % out.w);
    std::fill_n(lanes.start, count, 0);
    std::fill_n(lanes.largest, count, smallest());
    std::fill_n(lanes.at, count, first_place(row, column));
    for (std::int64_t r = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
        const std::int64_t h = row + r * window.dilation[0], w = column + s * window.dilation[1];
        if (!inside(h, w)) continue;
        const T* const from = x + in.plane(image, first) + in.pixel(h * in.w + w);
        for (std::int64_t i = 0; i < count; ++i) lanes.value[i] = static_cast<C>(from[i]);
        lanes.compare(count, static_cast<std::int32_t>(h * in.w + w));
      }
    store(lanes, pixel * out.c + first, count);
  }

  void store(const Lanes<T>& lanes, std::int64_t to, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) y[to + i] = static_cast<T>(lanes.largest[i]);
    if (index) std::copy_n(lanes.at, count, index + to);
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
        place = static_cast<std::int32_t>(row * in.w + column);
      }
    y[i] = static_cast<T>(largest);
    if (index) index[i] = place;
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    WorkersWork<MaxPool<T>>{*this, out.numel()}.on_cuda(stream);
  }
#endif
};

// Adds each gradient at its place. A plane belongs to one thread, so no two add at once.
template <class T>
struct MaxPoolBackward {
  PoolWindow window;
  Images in, out;
  T* grad_input;
  const T* grad;
  const std::int32_t* index;

  void on_host() const {
    const std::int64_t pieces = in.channels_last ? in.n : in.n * in.c;
    const std::int64_t length = out.numel() / pieces, area = in.numel() / pieces;
    const std::int64_t lanes = in.channels_last ? in.c : 1;
    parallel_for(0, pieces, std::max<std::int64_t>(1, 32768 / (length + area)),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t p = begin; p < end; ++p)
                     scatter(grad_input + p * area, area, p * length, length, lanes);
                 });
  }
  // Windows may overlap: 16-bit gradients are summed in float, and rounded once.
  void scatter(T* to, std::int64_t area, std::int64_t from, std::int64_t length,
               std::int64_t lanes) const {
    if constexpr (std::is_same_v<T, compute_t<T>>) {
      sum(to, area, from, length, lanes);
    } else {
      thread_local std::vector<compute_t<T>> sums;
      sums.resize(static_cast<std::size_t>(area));
      sum(sums.data(), area, from, length, lanes);
      std::copy_n(sums.data(), area, to);
    }
  }
  void sum(compute_t<T>* to, std::int64_t area, std::int64_t from, std::int64_t length,
           std::int64_t lanes) const {
    std::fill_n(to, area, compute_t<T>(0));
    for (std::int64_t i = from; i < from + length; i += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        to[index[i + lane] * lanes + lane] += static_cast<compute_t<T>>(grad[i + lane]);
  }

  // One element of the input's gradient, for cuda: asks the windows that may have chosen it.
  TD_HD void operator()(std::int64_t i) const {
    const auto at = in.place(i);
    const Span ys = windows_over(at.y, (window.kernel[0] - 1) * window.dilation[0] + 1,
                                 window.stride[0], window.padding[0], out.h);
    const Span xs = windows_over(at.x, (window.kernel[1] - 1) * window.dilation[1] + 1,
                                 window.stride[1], window.padding[1], out.w);
    compute_t<T> sum = 0;
    for (std::int64_t oy = ys.first; oy <= ys.last; ++oy)
      for (std::int64_t ox = xs.first; ox <= xs.last; ++ox) {
        const std::int64_t o = out.plane(at.n, at.c) + out.pixel(oy * out.w + ox);
        if (index[o] == at.y * in.w + at.x) sum += static_cast<compute_t<T>>(grad[o]);
      }
    grad_input[i] = static_cast<T>(sum);
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    WorkersWork<MaxPoolBackward<T>>{*this, in.numel()}.on_cuda(stream);
  }
#endif
};

template <class T>
struct TakePooled {
  Images in, out;
  const T* x;
  T* y;
  const std::int32_t* index;
  TD_HD std::int64_t cost() const { return 8; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.place(i);
    y[i] = x[in.plane(at.n, at.c) + in.pixel(index[i])];
  }
};

}  // namespace

namespace kernels {

void max_pool2d(const Tensor& output, const Tensor& index, const Tensor& input,
                const PoolWindow& window) {
  if (output.numel() == 0) return;
  const bool last = lie_channels_last(input, output);
  dispatch_floats("max_pool2d", output.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const MaxPool<T> work{window,
                          Images(input, last),
                          Images(output, last),
                          kernel_pointer<const T>(input),
                          kernel_pointer<T>(output),
                          index.defined() ? kernel_pointer<std::int32_t>(index) : nullptr};
    if (index.defined())
      launch("max_pool2d", output.device(), work, {&input}, {&output, &index});
    else
      launch("max_pool2d", output.device(), work, {&input}, {&output});
  });
}

void max_pool2d_backward(const Tensor& grad_input, const Tensor& grad, const Tensor& index,
                         const PoolWindow& window) {
  if (grad_input.numel() == 0) return;
  const bool last = lie_channels_last(grad_input, grad);
  dispatch_floats("max_pool2d_backward", grad.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const MaxPoolBackward<T> work{window,
                                  Images(grad_input, last),
                                  Images(grad, last),
                                  kernel_pointer<T>(grad_input),
                                  kernel_pointer<const T>(grad),
                                  kernel_pointer<const std::int32_t>(index)};
    launch("max_pool2d_backward", grad.device(), work, {&grad, &index}, {&grad_input});
  });
}

void take_pooled(const Tensor& output, const Tensor& input, const Tensor& index) {
  if (output.numel() == 0) return;
  const bool last = lie_channels_last(input, output);
  dispatch_floats("max_pool2d", output.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const TakePooled<T> worker{Images(input, last), Images(output, last),
                               kernel_pointer<const T>(input), kernel_pointer<T>(output),
                               kernel_pointer<const std::int32_t>(index)};
    launch_workers("max_pool2d", output.device(), worker, output.numel(), {&input, &index},
                   {&output});
  });
}

}  // namespace kernels
}  // namespace td
