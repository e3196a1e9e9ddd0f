// Max pooling. On the host a line of outputs is worked on at once, so that the inner loop is
// vectorized: the channels of one position (channels last), or the positions of one row.
#define TD_KERNEL_FILE
#include "td/kernels/kernels.h"
#include "td/kernels/pool.h"
#include "td/kernels/pool_shape.h"
#include "td/kernels/workers.h"

namespace td {
namespace {

using kernels::PoolWindow;

// NaN wins, and of equal values the first.
template <class T>
TD_HD bool replaces(T value, T largest) {
  return value > largest || value != value;
}

template <class T>
struct MaxPool {
  PoolWindow window;
  Images in, out;
  const T* x;
  T* y;
  std::int32_t* index;

  static constexpr std::int64_t kPacked = 64;

  // Some outputs beside each other in memory: `count` of them, from out element `to`.
  struct Line {
    std::int64_t to, count, from;      // `from`: the input plane they look at
    std::int64_t in_step, place_step;  // from one output to the next, in elements and in places
    std::int64_t oy, ox;               // position of the first output
    bool along_width;
  };

  // Takes one element of the window into account for outputs [first, last) of the line; `row` and
  // `column` are its place for output 0. Step is the line's in_step, known to the compiler.
  template <int Step>
  void take(const Line& line, std::int64_t row, std::int64_t column, std::int64_t first,
            std::int64_t last) const {
    const std::int64_t place = row * in.w + column;
    [[maybe_unused]] const std::int64_t step = Step ? Step : line.in_step;
    const T* source = x + line.from + in.pixel(place);
    if constexpr (Step == 1) {
      compare(line, place, first, last - first, source + first);
    } else {
      T packed[kPacked];
      for (std::int64_t from = first; from < last; from += kPacked) {
        const std::int64_t n = std::min(kPacked, last - from);
        for (std::int64_t i = 0; i < n; ++i) packed[i] = source[(from + i) * step];
        compare(line, place, from, n, packed);
      }
    }
  }

  // The inner loop: outputs [first, first + count) against `values`, which lie side by side. The
  // compiler vectorizes it only so: with strided values or with || it branches.
  void compare(const Line& line, std::int64_t place, std::int64_t first, std::int64_t count,
               const T* values) const {
    T* largest = y + line.to + first;
    std::int32_t* at = index + line.to + first;
    const auto step = static_cast<std::int32_t>(line.place_step);
    const auto start = static_cast<std::int32_t>(place + line.place_step * first);
    const auto n = static_cast<std::int32_t>(count);
#pragma omp simd
    for (std::int32_t i = 0; i < n; ++i) {
      const bool better = (at[i] < 0) | replaces<compute_t<T>>(values[i], largest[i]);
      largest[i] = better ? values[i] : largest[i];
      at[i] = better ? start + step * i : at[i];
    }
  }

  // Outputs [first, last) of the line whose element s lies inside the row.
  void inside(const Line& line, std::int64_t column, std::int64_t& first,
              std::int64_t& last) const {
    first = 0;
    last = line.count;
    if (!line.along_width) {
      if (column < 0 || column >= in.w) last = 0;
      return;
    }
    const std::int64_t stride = window.stride[1];
    if (column < 0) first = (-column + stride - 1) / stride;
    last = std::min(last, column >= in.w ? 0 : (in.w - 1 - column) / stride + 1);
  }

  void pool(const Line& line) const {
    std::fill_n(y + line.to, line.count, T(0));
    std::fill_n(index + line.to, line.count, -1);  // nothing seen yet
    for (std::int64_t r = 0; r < window.kernel[0]; ++r) {
      const std::int64_t row =
          line.oy * window.stride[0] - window.padding[0] + r * window.dilation[0];
      if (row < 0 || row >= in.h) continue;
      for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
        const std::int64_t column =
            line.ox * window.stride[1] - window.padding[1] + s * window.dilation[1];
        std::int64_t first, last;
        inside(line, column, first, last);
        if (line.in_step == 1)
          take<1>(line, row, column, first, last);
        else if (line.in_step == 2)
          take<2>(line, row, column, first, last);
        else
          take<0>(line, row, column, first, last);
      }
    }
  }

  void on_host() const {
    const std::int64_t shortest = 8;  // below, a line is not worth its preparation
    if (!out.channels_last && out.w < shortest)
      return WorkersWork<MaxPool<T>>{*this, out.numel()}.on_host();
    const std::int64_t lines = out.channels_last ? out.n * out.h * out.w : out.n * out.c * out.h;
    const std::int64_t length = out.channels_last ? out.c : out.w;
    const std::int64_t work = length * window.kernel[0] * window.kernel[1];
    parallel_for(0, lines, std::max<std::int64_t>(1, 32768 / work),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) pool(line_at(i));
                 });
  }

  Line line_at(std::int64_t i) const {
    if (out.channels_last) {
      const std::int64_t image = i / (out.h * out.w);
      return {i * out.c, out.c, in.plane(image, 0), 1, 0, i / out.w % out.h, i % out.w, false};
    }
    return {i * out.w, out.w, i / out.h * in.step_c, window.stride[1], window.stride[1], i % out.h,
            0,         true};
  }

  // One output, for cuda and for narrow images.
  TD_HD std::int64_t cost() const { return 4 * window.kernel[0] * window.kernel[1]; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.place(i);
    const T* plane = x + in.plane(at.n, at.c);
    compute_t<T> largest = 0;
    std::int32_t place = -1;
    for (std::int64_t r = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s) {
        const std::int64_t row =
            at.y * window.stride[0] - window.padding[0] + r * window.dilation[0];
        const std::int64_t column =
            at.x * window.stride[1] - window.padding[1] + s * window.dilation[1];
        if (row < 0 || row >= in.h || column < 0 || column >= in.w) continue;
        const compute_t<T> v = plane[in.pixel(row * in.w + column)];
        if (place >= 0 && !replaces(v, largest)) continue;
        largest = v;
        place = static_cast<std::int32_t>(row * in.w + column);
      }
    y[i] = static_cast<T>(largest);
    index[i] = place;
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
  void scatter(T* to, std::int64_t area, std::int64_t from, std::int64_t length,
               std::int64_t lanes) const {
    std::fill_n(to, area, T(0));
    for (std::int64_t i = from; i < from + length; i += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        T& target = to[index[i + lane] * lanes + lane];
        target = static_cast<T>(static_cast<compute_t<T>>(target) + grad[i + lane]);
      }
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
                          kernel_pointer<std::int32_t>(index)};
    launch("max_pool2d", output.device(), work, {&input}, {&output, &index});
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
