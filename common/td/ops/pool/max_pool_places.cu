// What is done with the places of max pooling's maxima: the gradient goes there, its gradient comes
// from there, and callers are told where they are. Called by ops/pool.cpp.
// Invariant: places are read as max_pool2d noted them, in windows of the same numbers.
#include <algorithm>
#include <array>
#include <vector>

#include "td/kernels/kernels.h"
#include "td/ops/pool/pool.h"
#include "td/ops/pool/pool_shape.h"
#include "td/kernels/workers.h"

namespace td {
namespace {

using kernels::PoolWindow;

Places places_of(const Tensor& t) { return {kernel_pointer<void>(t), t.dtype() == kByte}; }

// Adds each gradient at its place. A plane belongs to one thread, so no two add at once.
template <class T>
struct MaxPoolBackward {
  Positions positions;
  Images in, out;
  T* grad_input;
  const T* grad;
  Places places;

  // How many elements each place of a window lies behind its first one, so that nothing is divided
  // for each gradient.
  using Steps = std::array<std::int64_t, 256>;
  bool steps_suffice() const { return places.bytes && positions.each_window_sees(); }
  void fill(Steps& steps) const {
    const PoolWindow& window = positions.window;
    for (std::int64_t r = 0, place = 0; r < window.kernel[0]; ++r)
      for (std::int64_t s = 0; s < window.kernel[1]; ++s)
        steps[static_cast<std::size_t>(place++)] = positions.step(r, s) * in.step_w;
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
    // A line is what lies side by side: a row of outputs, or the channels of one.
    const bool last = in.channels_last;
    const std::int64_t count = last ? out.c : out.w, step = last ? 1 : positions.window.stride[1];
    const std::int64_t lines = last ? out.h * out.w : out.h;
    for (std::int64_t line = 0; line < lines; ++line, from += count) {
      const std::int64_t oy = last ? line / out.w : line, ox = last ? line % out.w : 0;
      if (steps_suffice())
        add_line(to, positions.first(oy, ox) * in.step_w, step, from, count, steps);
      else
        for (std::int64_t i = 0; i < count; ++i)
          to[positions.at(oy, last ? ox : i, places[from + i]) * in.step_w + (last ? i : 0)] +=
              static_cast<compute_t<T>>(grad[from + i]);
    }
  }
  void add_line(compute_t<T>* to, std::int64_t first, std::int64_t step, std::int64_t from,
                std::int64_t count, const Steps& steps) const {
    const auto* const place = static_cast<const std::uint8_t*>(places.data) + from;
    for (std::int64_t i = 0; i < count; ++i)
      to[first + i * step + steps[place[i]]] += static_cast<compute_t<T>>(grad[from + i]);
  }

  // One element of the input's gradient, for cuda: asks the windows that may have chosen it.
  TD_HD void operator()(std::int64_t i) const {
    const auto at = in.place(i);
    const PoolWindow& window = positions.window;
    const Span ys = windows_over(at.y, (window.kernel[0] - 1) * window.dilation[0] + 1,
                                 window.stride[0], window.padding[0], out.h);
    const Span xs = windows_over(at.x, (window.kernel[1] - 1) * window.dilation[1] + 1,
                                 window.stride[1], window.padding[1], out.w);
    compute_t<T> sum = 0;
    for (std::int64_t oy = ys.first; oy <= ys.last; ++oy)
      for (std::int64_t ox = xs.first; ox <= xs.last; ++ox) {
        const std::int64_t o = out.plane(at.n, at.c) + out.pixel(oy * out.w + ox);
        if (positions.at(oy, ox, places[o]) == at.y * in.w + at.x)
          sum += static_cast<compute_t<T>>(grad[o]);
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
  Positions positions;
  Images in, out;
  const T* x;
  T* y;
  Places places;
  TD_HD std::int64_t cost() const { return 16; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.place(i);
    y[i] = x[in.plane(at.n, at.c) + in.pixel(positions.at(at.y, at.x, places[i]))];
  }
};

struct MaxPoolIndices {
  Positions positions;
  Images out;
  std::int64_t* indices;
  Places places;
  TD_HD std::int64_t cost() const { return 16; }
  TD_HD void operator()(std::int64_t i) const {
    const auto at = out.place(i);
    indices[i] = positions.at(at.y, at.x, places[i]);
  }
};

}  // namespace

namespace kernels {

void max_pool2d_backward(const Tensor& grad_input, const Tensor& grad, const Tensor& places,
                         const PoolWindow& window) {
  if (grad_input.numel() == 0) return;
  const bool last = lie_channels_last(grad_input, grad);
  dispatch_floats("max_pool2d_backward", grad.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const Images in(grad_input, last);
    const MaxPoolBackward<T> work{{window, in.h, in.w},
                                  in,
                                  Images(grad, last),
                                  kernel_pointer<T>(grad_input),
                                  kernel_pointer<const T>(grad),
                                  places_of(places)};
    launch("max_pool2d_backward", grad.device(), work, {&grad, &places}, {&grad_input});
  });
}

void take_pooled(const Tensor& output, const Tensor& input, const Tensor& places,
                 const PoolWindow& window) {
  if (output.numel() == 0) return;
  const bool last = lie_channels_last(input, output);
  dispatch_floats("max_pool2d", output.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const Images in(input, last);
    const TakePooled<T> worker{{window, in.h, in.w},      in,
                               Images(output, last),      kernel_pointer<const T>(input),
                               kernel_pointer<T>(output), places_of(places)};
    launch_workers("max_pool2d", output.device(), worker, output.numel(), {&input, &places},
                   {&output});
  });
}

void max_pool2d_indices(const Tensor& indices, const Tensor& places,
                        const std::array<std::int64_t, 2>& picture, const PoolWindow& window) {
  if (indices.numel() == 0) return;
  const MaxPoolIndices worker{{window, picture[0], picture[1]},
                              Images(indices, lie_channels_last(indices, places)),
                              kernel_pointer<std::int64_t>(indices),
                              places_of(places)};
  launch_workers("max_pool2d", indices.device(), worker, indices.numel(), {&places}, {&indices});
}

}  // namespace kernels
}  // namespace td
