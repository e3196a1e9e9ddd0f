// The backward pass of max pooling, which uses the indices of the maxima: it adds gradients there
// and reads the gradient of the gradient there. For callers it converts them to indices in the
// image.
#include <vector>

#include "td/ops/pool/max_windows.h"

namespace td {
namespace {

// Adds each gradient at its index. A plane belongs to one thread, so no two add at once.
template <class T>
struct MaxPoolBackward : MaxWindows {
  T* grad_input;
  const T* grad;

  // For each element of a window, its distance in memory from the window's first element in the
  // image, so that no gradient needs a division. Possible where every window has an element in the
  // image: only one smaller than a step lies between two elements, because padding is at most half
  // of the window.
  using Steps = std::array<std::int64_t, 256>;
  bool steps_suffice() const {
    return indices.bytes && rows.dilation <= in.h && columns.dilation <= in.w;
  }
  void fill(Steps& steps) const {
    for (std::int64_t r = 0; r < rows.kernel; ++r)
      for (std::int64_t s = 0; s < columns.kernel; ++s)
        steps[index_of(r, s)] = in.pixel(r * rows.dilation * in.w + s * columns.dilation);
  }

  void on_host() const {
    const std::int64_t pieces = in.channels_last ? in.n : in.n * in.c;
    const std::int64_t length = out.numel() / pieces, area = in.numel() / pieces;
    Steps steps;
    if (steps_suffice()) fill(steps);
    each_index(pieces, 2 * (length + area),
               [&](std::int64_t p) { scatter(grad_input + p * area, area, p * length, steps); });
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
    const std::int64_t count = last ? out.c : out.w, step = last ? 1 : columns.stride;
    const std::int64_t lines = last ? out.h * out.w : out.h;
    for (std::int64_t line = 0; line < lines; ++line, from += count) {
      const std::int64_t oy = last ? line / out.w : line, ox = last ? line % out.w : 0;
      if (steps_suffice())
        add_line(to, in.pixel(rows.begin(oy) * in.w + columns.begin(ox)), step, from, count, steps);
      else
        for (std::int64_t i = 0; i < count; ++i)
          to[in.pixel(at(oy, last ? ox : i, indices[from + i])) + (last ? i : 0)] +=
              static_cast<compute_t<T>>(grad[from + i]);
    }
  }
  void add_line(compute_t<T>* to, std::int64_t first, std::int64_t step, std::int64_t from,
                std::int64_t count, const Steps& steps) const {
    const auto* const index = static_cast<const std::uint8_t*>(indices.data) + from;
    for (std::int64_t i = 0; i < count; ++i)
      to[first + i * step + steps[index[i]]] += static_cast<compute_t<T>>(grad[from + i]);
  }

  // One element of the input's gradient, for cuda: checks the windows that may have chosen it.
  TD_HD void operator()(std::int64_t i) const {
    const auto coords = in.coords(i);
    const Span ys = rows.outputs_over(coords.y), xs = columns.outputs_over(coords.x);
    compute_t<T> sum = 0;
    for (std::int64_t oy = ys.first; oy <= ys.last; ++oy)
      for (std::int64_t ox = xs.first; ox <= xs.last; ++ox) {
        const std::int64_t o = out.plane(coords.n, coords.c) + out.pixel(oy * out.w + ox);
        if (at(oy, ox, indices[o]) == coords.y * in.w + coords.x)
          sum += static_cast<compute_t<T>>(grad[o]);
      }
    grad_input[i] = static_cast<T>(sum);
  }
#ifdef TD_DEVICE_CODE
  // Where windows do not overlap, an output's gradient is stored at its index, and the other
  // elements are zero already: fewer divisions than if every element looked for its window.
  struct Store {
    MaxPoolBackward all;
    TD_HD void operator()(std::int64_t i) const {
      const auto to = all.out.coords(i);
      const std::int64_t pixel = all.in.pixel(all.at(to.y, to.x, all.indices[i]));
      all.grad_input[all.in.plane(to.n, to.c) + pixel] = all.grad[i];
    }
  };
  void on_cuda(cudaStream_t stream) const {
    if (overlap())
      IndexKernel<MaxPoolBackward<T>>{*this, in.numel()}.on_cuda(stream);
    else
      IndexKernel<Store>{{*this}, out.numel()}.on_cuda(stream);
  }
#endif
};

// Positions in the image, from indices in the windows.
struct ImageIndices : MaxWindows {
  std::int64_t* y;
  TD_HD std::int64_t cost() const { return 16; }
  TD_HD void operator()(std::int64_t i) const {
    const auto coords = out.coords(i);
    y[i] = at(coords.y, coords.x, indices[i]);
  }
};

// The gradient's gradient: x at the indices of the maxima.
Tensor take(const Tensor& x, const Tensor& indices, const PoolWindow& w) {
  Tensor y = empty_image(indices, indices.impl().sizes, x.dtype());
  {
    const NoGradGuard no_grad;
    const Tensor at = image_indices(x, indices, w);
    y.copy_(gather(x.detach().flatten(2), 2, at.flatten(2)).view(y.sizes()));
  }
  record_max_pool(y, x, indices, w);
  return y;
}

// Each element of g added at its index, zero elsewhere; `sizes` are the input's.
Tensor max_pool_backward(const Tensor& g, const Tensor& indices, const Sizes& sizes,
                         const PoolWindow& w) {
  const Tensor grad = g.contiguous(indices.suggest_memory_format());  // it may arrive in any format
  Tensor dx = empty_image(indices, sizes, g.dtype());
  if (dx.numel() > 0)
    dispatch_floats("max_pool2d_backward", grad.dtype(), [&]<class T>(CppType<T>) {
      const MaxPoolBackward<T> work{windows_of(w, dx, grad, indices, are_channels_last(dx, grad)),
                                    Pointer{dx}, Pointer{grad}};
      if (dx.is_cuda() && !work.overlap()) dx.zero_();
      launch("max_pool2d_backward", grad.device(), work, {&grad, &indices}, {&dx});
    });
  if (recording(g))
    record("max_pool2d_with_indices_backward", dx, {&g},
           [indices, w](const Tensor& of_dx) { return take(of_dx, indices, w); });
  return dx;
}

}  // namespace

void record_max_pool(const Tensor& y, const Tensor& x, const Tensor& indices, const PoolWindow& w) {
  if (recording(x))
    record("max_pool2d_with_indices", y, {&x},
           [indices, w, sizes = x.impl().sizes](const Tensor& g) {
             return max_pool_backward(g, indices, sizes, w);
           });
}

Tensor image_indices(const Tensor& x, const Tensor& in_windows, const PoolWindow& w) {
  const Tensor indices = empty_image(in_windows, in_windows.impl().sizes, kLong);
  const bool last = are_channels_last(indices, in_windows);
  const ImageIndices work{windows_of(w, x, indices, in_windows, last), Pointer{indices}};
  if (indices.numel() > 0)
    launch_index_kernel("max_pool2d", indices.device(), work, indices.numel(), {&in_windows},
                        {&indices});
  return indices;
}

}  // namespace td
