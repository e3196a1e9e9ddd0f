// Max pooling: checks, gradients and kernels. On the host up to 64 outputs are computed at once, so
// that the comparisons become vector instructions: channels of one position (channels last), or
// positions of one plane, whose elements are gathered first.
// The operation is linear in its input once the indices of the maxima are known, so taking the
// elements at these indices and adding gradients there are each other's gradients.
#include <limits>
#include <vector>

#include "td/base/parallel.h"
#include "td/ops/pool/pool_shape.h"

namespace td {
namespace {

// NaN wins, and of equal values the first. Written with | so that it is computed without branches.
template <class T>
TD_HD bool replaces(T value, T largest) {
  return (value > largest) | (value != value);
}

/// Outputs that are computed together, one per lane of the vector instructions.
template <class T>
struct Lanes {
  using C = compute_t<T>;
  static constexpr std::int64_t kMost = 64;

  C value[kMost];  // the elements under comparison
  C largest[kMost];
  std::int32_t at[kMost];  // the index of the largest one in its window

  /// Takes value[i], which has `index` in its window, into account.
  void compare(std::int64_t count, std::int32_t index) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      const bool better = replaces(value[i], largest[i]);
      largest[i] = better ? value[i] : largest[i];
      at[i] = better ? index : at[i];
    }
  }
};

template <class T>
struct MaxPool {
  using C = compute_t<T>;
  Windows windows;
  Images in, out;
  const T* x;
  T* y;
  PoolIndices indices;

  // What a window starts with: nothing is smaller, and the first of its elements in the image (or
  // simply the first where all of the window is outside).
  TD_HD static C smallest() { return -std::numeric_limits<C>::infinity(); }
  TD_HD std::int64_t first_inside(int side, std::int64_t at) const {
    const std::int64_t step = windows.window.dilation[side];
    const std::int64_t skipped = at < 0 ? (-at + step - 1) / step : 0;
    return skipped < windows.window.kernel[side] ? skipped : 0;
  }
  TD_HD std::int32_t first_index(std::int64_t row, std::int64_t column) const {
    return windows.index_of(first_inside(0, row), first_inside(1, column));
  }

  // Whether no window reaches into the padding, or beyond the image as ceil_mode lets it.
  bool all_inside() const {
    const auto within = [&](int side, std::int64_t size, std::int64_t outputs) {
      return windows.window.padding[side] == 0 &&
             (outputs - 1) * windows.window.stride[side] +
                     (windows.window.kernel[side] - 1) * windows.window.dilation[side] <
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
    std::int64_t start = windows.row_of(oy) * in.w + windows.column_of(ox);
    for (std::int64_t i = 0; i < count; ++i) {
      from[i] = pixels + start;
      if constexpr (!kAllInside) row[i] = windows.row_of(oy), column[i] = windows.column_of(ox);
      start += windows.window.stride[1];
      if (++ox == out.w) {
        ox = 0;
        start = windows.row_of(++oy) * in.w + windows.column_of(0);
      }
    }
    for (std::int64_t i = 0; i < count; ++i)
      lanes.at[i] = kAllInside ? 0 : first_index(row[i], column[i]);
    std::fill_n(lanes.largest, count, smallest());
    for (std::int64_t r = 0; r < windows.window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < windows.window.kernel[1]; ++s) {
        const std::int64_t down = r * windows.window.dilation[0],
                           right = s * windows.window.dilation[1];
        const std::int64_t step = down * in.w + right;
        for (std::int64_t i = 0; i < count; ++i)
          lanes.value[i] = kAllInside || windows.inside(row[i] + down, column[i] + right)
                               ? static_cast<C>(from[i][step])
                               : smallest();
        lanes.compare(count, windows.index_of(r, s));
      }
    store(lanes, plane * out.step_c + first, count);
  }

  // Channels [first, first + count) of one output, which are adjacent in memory.
  void pool_channels(std::int64_t pixel, std::int64_t first, std::int64_t count) const {
    Lanes<T> lanes;
    const std::int64_t image = pixel / (out.h * out.w);
    const std::int64_t row = windows.row_of(pixel / out.w % out.h),
                       column = windows.column_of(pixel % out.w);
    std::fill_n(lanes.largest, count, smallest());
    std::fill_n(lanes.at, count, first_index(row, column));
    for (std::int64_t r = 0; r < windows.window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < windows.window.kernel[1]; ++s) {
        const std::int64_t h = row + r * windows.window.dilation[0],
                           w = column + s * windows.window.dilation[1];
        if (!windows.inside(h, w)) continue;
        const T* const from = x + in.plane(image, first) + in.pixel(h * in.w + w);
        for (std::int64_t i = 0; i < count; ++i) lanes.value[i] = static_cast<C>(from[i]);
        lanes.compare(count, windows.index_of(r, s));
      }
    store(lanes, pixel * out.c + first, count);
  }

  void store(const Lanes<T>& lanes, std::int64_t to, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) y[to + i] = static_cast<T>(lanes.largest[i]);
    if (indices.data) indices.set(to, lanes.at, count);
  }

  // A line is adjacent in memory: the channels of a pixel, or a plane.
  void on_host() const {
    const std::int64_t length = out.channels_last ? out.c : out.h * out.w;
    const std::int64_t work = length * windows.window.kernel[0] * windows.window.kernel[1];
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
  TD_HD std::int64_t cost() const {
    return 4 * windows.window.kernel[0] * windows.window.kernel[1];
  }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.coords(i);
    const T* plane = x + in.plane(at.n, at.c);
    C largest = smallest();
    std::int32_t index = first_index(windows.row_of(at.y), windows.column_of(at.x));
    for (std::int64_t r = 0; r < windows.window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < windows.window.kernel[1]; ++s) {
        const std::int64_t row = windows.row_of(at.y) + r * windows.window.dilation[0];
        const std::int64_t column = windows.column_of(at.x) + s * windows.window.dilation[1];
        if (!windows.inside(row, column)) continue;
        const C v = plane[in.pixel(row * in.w + column)];
        if (!replaces(v, largest)) continue;
        largest = v;
        index = windows.index_of(r, s);
      }
    y[i] = static_cast<T>(largest);
    if (indices.data) indices.set(i, index);
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    IndexKernel<MaxPool<T>>{*this, out.numel()}.on_cuda(stream);
  }
#endif
};

// Adds each gradient at its index. A plane belongs to one thread, so no two add at once.
template <class T>
struct MaxPoolBackward {
  Windows windows;
  Images in, out;
  T* grad_input;
  const T* grad;
  PoolIndices indices;

  // How many elements after its first one each element of a window is stored, so that nothing is
  // divided for each gradient.
  using Steps = std::array<std::int64_t, 256>;
  bool steps_suffice() const { return indices.bytes && windows.each_meets_the_image(); }
  void fill(Steps& steps) const {
    const PoolWindow& window = windows.window;
    for (std::int64_t r = 0, index = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s)
        steps[static_cast<std::size_t>(index++)] = windows.step(r, s) * in.step_w;
  }

  void on_host() const {
    const std::int64_t pieces = in.channels_last ? in.n : in.n * in.c;
    const std::int64_t length = out.numel() / pieces, area = in.numel() / pieces;
    Steps steps;
    if (steps_suffice()) fill(steps);
    parallel_for(0, pieces, std::max<std::int64_t>(1, 32768 / (length + area)),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t p = begin; p < end; ++p)
                     scatter(grad_input + p * area, area, p * length, steps);
                 });
  }
  // Windows may overlap: 16-bit gradients are summed in float, and rounded once.
  void scatter(T* to, std::int64_t area, std::int64_t from, const Steps& steps) const {
    if constexpr (std::is_same_v<T, compute_t<T>>) {
      sum(to, area, from, steps);
    } else {
      thread_local std::vector<compute_t<T>> sums;
      sums.resize(static_cast<std::size_t>(area));
      sum(sums.data(), area, from, steps);
      std::copy_n(sums.data(), area, to);
    }
  }
  void sum(compute_t<T>* to, std::int64_t area, std::int64_t from, const Steps& steps) const {
    std::fill_n(to, area, compute_t<T>(0));
    // A line is adjacent in memory: a row of outputs, or the channels of one.
    const bool last = in.channels_last;
    const std::int64_t count = last ? out.c : out.w, step = last ? 1 : windows.window.stride[1];
    const std::int64_t lines = last ? out.h * out.w : out.h;
    for (std::int64_t line = 0; line < lines; ++line, from += count) {
      const std::int64_t oy = last ? line / out.w : line, ox = last ? line % out.w : 0;
      if (steps_suffice())
        add_line(to, windows.first(oy, ox) * in.step_w, step, from, count, steps);
      else
        for (std::int64_t i = 0; i < count; ++i)
          to[windows.at(oy, last ? ox : i, indices[from + i]) * in.step_w + (last ? i : 0)] +=
              static_cast<compute_t<T>>(grad[from + i]);
    }
  }
  void add_line(compute_t<T>* to, std::int64_t first, std::int64_t step, std::int64_t from,
                std::int64_t count, const Steps& steps) const {
    const auto* const index = static_cast<const std::uint8_t*>(indices.data) + from;
    for (std::int64_t i = 0; i < count; ++i)
      to[first + i * step + steps[index[i]]] += static_cast<compute_t<T>>(grad[from + i]);
  }

  // One element of the input's gradient, for cuda: looks at the windows that may have chosen it.
  TD_HD void operator()(std::int64_t i) const {
    const auto at = in.coords(i);
    const PoolWindow& window = windows.window;
    const Span ys = windows_over(at.y, (window.kernel[0] - 1) * window.dilation[0] + 1,
                                 window.stride[0], window.padding[0], out.h);
    const Span xs = windows_over(at.x, (window.kernel[1] - 1) * window.dilation[1] + 1,
                                 window.stride[1], window.padding[1], out.w);
    compute_t<T> sum = 0;
    for (std::int64_t oy = ys.first; oy <= ys.last; ++oy)
      for (std::int64_t ox = xs.first; ox <= xs.last; ++ox) {
        const std::int64_t o = out.plane(at.n, at.c) + out.pixel(oy * out.w + ox);
        if (windows.at(oy, ox, indices[o]) == at.y * in.w + at.x)
          sum += static_cast<compute_t<T>>(grad[o]);
      }
    grad_input[i] = static_cast<T>(sum);
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    IndexKernel<MaxPoolBackward<T>>{*this, in.numel()}.on_cuda(stream);
  }
#endif
};

// Positions in the image, from indices in the windows.
struct ImageIndices {
  Windows windows;
  Images out;
  std::int64_t* y;
  PoolIndices indices;
  TD_HD std::int64_t cost() const { return 16; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.coords(i);
    y[i] = windows.at(at.y, at.x, indices[i]);
  }
};

constexpr Op kMaxPool{"max_pool2d", {"input"}};

PoolIndices indices_of(const Tensor& t) {
  if (!t.defined()) return {nullptr, false};
  return {kernel_pointer<void>(t), t.dtype() == kByte};
}

// `x` in the memory format of `like`: gradients may arrive in any.
Tensor in_format_of(const Tensor& like, const Tensor& x) {
  return x.contiguous(like.suggest_memory_format());
}

Tensor take(const Tensor& x, const Tensor& indices, const PoolWindow& w);

// Each element of g added at its index, zero elsewhere; `sizes` are the input's.
Tensor max_pool_backward(const Tensor& g, const Tensor& indices, const Sizes& sizes,
                         const PoolWindow& w) {
  const Tensor grad = in_format_of(indices, g);
  Tensor dx = empty_image(indices, sizes, g.dtype());
  if (dx.numel() > 0)
    dispatch_floats("max_pool2d_backward", grad.dtype(), [&]<class T>(CppType<T>) {
      const bool last = are_channels_last(dx, grad);
      const Images in(dx, last), out(grad, last);
      const MaxPoolBackward<T> work{
          {w, in.h, in.w},    in, out, kernel_pointer<T>(dx), kernel_pointer<const T>(grad),
          indices_of(indices)};
      launch("max_pool2d_backward", grad.device(), work, {&grad, &indices}, {&dx});
    });
  if (recording(g))
    record("max_pool2d_with_indices_backward", dx, {&g},
           [indices, w](Gradients& grads, const Tensor& of_dx) {
             grads.set_lazily(0, [&] { return take(of_dx, indices, w); });
           });
  return dx;
}

// Records y, which has the elements of x that `indices` choose.
void record_taken(const Tensor& y, const Tensor& x, const Tensor& indices, const PoolWindow& w) {
  if (recording(x))
    record("max_pool2d_with_indices", y, {&x},
           [indices, w, sizes = x.impl().sizes](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return max_pool_backward(g, indices, sizes, w); });
           });
}

// Indices in the image of {height, width}, int64, from the indices in the windows.
Tensor image_indices(const Tensor& in_windows, std::int64_t height, std::int64_t width,
                     const PoolWindow& w) {
  const Tensor indices = empty_image(in_windows, in_windows.impl().sizes, kLong);
  const Images out(indices, are_channels_last(indices, in_windows));
  const ImageIndices work{
      {w, height, width}, out, kernel_pointer<std::int64_t>(indices), indices_of(in_windows)};
  if (indices.numel() > 0)
    launch_index_kernel("max_pool2d", indices.device(), work, indices.numel(), {&in_windows},
                        {&indices});
  return indices;
}

// The gradient's gradient: x at the indices of the maxima.
Tensor take(const Tensor& x, const Tensor& indices, const PoolWindow& w) {
  Tensor y = empty_image(indices, indices.impl().sizes, x.dtype());
  {
    const NoGradGuard no_grad;
    const Tensor at = image_indices(indices, x.size(2), x.size(3), w);
    y.copy_(gather(x.detach().flatten(2), 2, at.flatten(2)).view(y.sizes()));
  }
  record_taken(y, x, indices, w);
  return y;
}

// The maxima, and their indices in their windows, which are left out when nothing reads them.
std::pair<Tensor, Tensor> max_pool(const Tensor& x, const PoolWindow& w, bool ceil_mode,
                                   bool with_indices) {
  const Sizes sizes{x.size(0), x.size(1), outputs(kMaxPool, x, w, 0, ceil_mode),
                    outputs(kMaxPool, x, w, 1, ceil_mode)};
  Tensor y = empty_image(x, sizes, x.dtype()), indices;
  if (with_indices || recording(x)) indices = empty_image(x, sizes, index_type(w));
  if (y.numel() > 0)
    dispatch_floats("max_pool2d", y.dtype(), [&]<class T>(CppType<T>) {
      const bool last = are_channels_last(x, y);
      const MaxPool<T> work{{w, x.size(2), x.size(3)},  Images(x, last),      Images(y, last),
                            kernel_pointer<const T>(x), kernel_pointer<T>(y), indices_of(indices)};
      const Tensor* const results[] = {&y, &indices};
      launch("max_pool2d", y.device(), work, {&x}, {results, indices.defined() ? 2u : 1u});
    });
  record_taken(y, x, indices, w);
  return {y, indices};
}

// A window whose elements can be counted in 32 bits.
PoolWindow max_window_of(IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                         IntArrayRef dilation) {
  constexpr std::int64_t kMost = std::int64_t(1) << 31;
  const PoolWindow w = window_of(kMaxPool, kernel, stride, padding, dilation);
  TD_CHECK(ShapeError, w.kernel[0] < kMost / w.kernel[1], kMaxPool.name, ": kernel_size ", kernel,
           " makes windows of ", w.kernel[0] * w.kernel[1], " elements; fewer than ", kMost,
           " are possible");
  return w;
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
  const auto [y, in_windows] = max_pool(x, w, ceil_mode, true);
  const Tensor indices = image_indices(in_windows, x.size(2), x.size(3), w);
  return {without_batch(y, input), without_batch(indices, input)};
}

}  // namespace td
