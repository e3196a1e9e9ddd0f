// Max pooling: checks and the forward kernel. On the host up to 64 outputs are computed at once, so
// that the comparisons become vector instructions: channels of one position (channels last), or
// positions of one plane, whose elements are gathered first. On cuda a thread computes one output.
#include <limits>

#include "td/ops/pool/max_windows.h"

namespace td {
namespace {

// NaN wins, and of equal values the first. Written with | so that it is computed without branches.
template <class T>
TD_HD bool replaces(T value, T largest) {
  return (value > largest) | (value != value);
}

/// Outputs that are computed together, one per lane of the vector instructions.
template <class T, int kMost>
struct Lanes {
  using C = compute_t<T>;

  C value[kMost];  // the elements under comparison
  C largest[kMost];
  std::int32_t at[kMost];  // the index of the largest one in its window

  /// Takes value[i], which has `index` in its window, into account.
  TD_HD void compare(std::int64_t count, std::int32_t index) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      const bool better = replaces(value[i], largest[i]);
      largest[i] = better ? value[i] : largest[i];
      at[i] = better ? index : at[i];
    }
  }
};

template <class T>
struct MaxPool : MaxWindows {
  using C = compute_t<T>;
  static constexpr std::int64_t kLanes = 64;
  const T* x;
  T* y;

  // What a window starts with: nothing is smaller.
  TD_HD static C smallest() { return -std::numeric_limits<C>::infinity(); }

  // Whether no window reaches into the padding, or beyond the image as ceil_mode lets it.
  static bool all_inside(const Side& side) {
    return side.padding == 0 &&
           side.begin(side.outputs - 1) + (side.kernel - 1) * side.dilation < side.size;
  }

  // Outputs [first, first + count) of a contiguous plane.
  template <bool kAllInside>
  void pool_plane(std::int64_t plane, std::int64_t first, std::int64_t count) const {
    Lanes<T, kLanes> lanes;
    const T* from[kLanes];
    [[maybe_unused]] std::int64_t row[kLanes], column[kLanes];
    const T* const pixels = x + plane * in.step_c;
    std::int64_t oy = first / out.w, ox = first % out.w;
    std::int64_t start = rows.begin(oy) * in.w + columns.begin(ox);
    for (std::int64_t i = 0; i < count; ++i) {
      from[i] = pixels + start;
      if constexpr (!kAllInside) row[i] = rows.begin(oy), column[i] = columns.begin(ox);
      start += columns.stride;
      if (++ox == out.w) {
        ox = 0;
        start = rows.begin(++oy) * in.w + columns.begin(0);
      }
    }
    for (std::int64_t i = 0; i < count; ++i)
      lanes.at[i] = kAllInside ? 0 : first_index(row[i], column[i]);
    std::fill_n(lanes.largest, count, smallest());
    for (std::int64_t r = 0; r < rows.kernel; ++r)
      for (std::int64_t s = 0; s < columns.kernel; ++s) {
        const std::int64_t down = r * rows.dilation, right = s * columns.dilation;
        const std::int64_t step = down * in.w + right;
        for (std::int64_t i = 0; i < count; ++i)
          lanes.value[i] =
              kAllInside || (rows.inside(row[i] + down) && columns.inside(column[i] + right))
                  ? static_cast<C>(from[i][step])
                  : smallest();
        lanes.compare(count, index_of(r, s));
      }
    store(lanes, plane * out.step_c + first, count);
  }

  // Channels [c, c + count) of one output. Several must be adjacent in memory: channels last.
  template <int kMost>
  TD_HD void pool_channels(Images::Coords at, std::int64_t to, std::int64_t count) const {
    Lanes<T, kMost> lanes;
    const std::int64_t top = rows.begin(at.y), left = columns.begin(at.x);
    const std::int32_t start = first_index(top, left);
    for (std::int64_t i = 0; i < count; ++i) lanes.largest[i] = smallest(), lanes.at[i] = start;
    for (std::int64_t r = 0; r < rows.kernel; ++r)
      for (std::int64_t s = 0; s < columns.kernel; ++s) {
        const std::int64_t row = top + r * rows.dilation, column = left + s * columns.dilation;
        if (!rows.inside(row) || !columns.inside(column)) continue;
        const T* const from = x + in.plane(at.n, at.c) + in.pixel(row * in.w + column);
        for (std::int64_t i = 0; i < count; ++i) lanes.value[i] = static_cast<C>(from[i]);
        lanes.compare(count, index_of(r, s));
      }
    store(lanes, to, count);
  }

  template <int kMost>
  TD_HD void store(const Lanes<T, kMost>& lanes, std::int64_t to, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) y[to + i] = static_cast<T>(lanes.largest[i]);
    const PoolIndices into = indices;
    for (std::int64_t i = 0; into.data && i < count; ++i) into.set(to + i, lanes.at[i]);
  }

  // A line is adjacent in memory: the channels of a pixel, or a plane.
  void on_host() const {
    const std::int64_t length = out.channels_last ? out.c : out.h * out.w;
    const std::int64_t work = length * rows.kernel * columns.kernel;
    const bool simple = all_inside(rows) && all_inside(columns);
    each_index(out.numel() / length, 2 * work, [=, this](std::int64_t line) {
      for (std::int64_t i = 0; i < length; i += kLanes) {
        const std::int64_t n = std::min(kLanes, length - i), to = line * length + i;
        if (out.channels_last)
          pool_channels<kLanes>(out.coords(to), to, n);
        else
          simple ? pool_plane<true>(line, i, n) : pool_plane<false>(line, i, n);
      }
    });
  }

  // One output, for cuda.
  TD_HD std::int64_t cost() const { return 4 * rows.kernel * columns.kernel; }
  TD_HD void operator()(std::int64_t i) const { pool_channels<1>(out.coords(i), i, 1); }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    IndexKernel<MaxPool<T>>{*this, out.numel()}.on_cuda(stream);
  }
#endif
};

constexpr const char* kMaxPool = "max_pool2d";

// The maxima, and their indices in their windows, which are left out when nothing reads them.
std::pair<Tensor, Tensor> max_pool(const Tensor& x, const PoolWindow& w, bool ceil_mode,
                                   bool with_indices) {
  const Sizes sizes = output_sizes(kMaxPool, x, w, ceil_mode);
  Tensor y = empty_image(x, sizes, x.dtype()), indices;
  if (with_indices || recording(x)) indices = empty_image(x, sizes, index_type(w));
  if (y.numel() > 0)
    dispatch_floats("max_pool2d", y.dtype(), [&]<class T>(CppType<T>) {
      const MaxPool<T> work{windows_of(w, x, y, indices, are_channels_last(x, y)), Pointer{x},
                            Pointer{y}};
      launch("max_pool2d", y.device(), work, {&x}, {&y, &indices});
    });
  record_max_pool(y, x, indices, w);
  return {y, indices};
}

// A window whose elements can be counted in 32 bits.
PoolWindow max_window_of(IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                         IntArrayRef dilation) {
  constexpr std::int64_t kMost = std::int64_t(1) << 31;
  const PoolWindow w = window_of(kMaxPool, kernel, stride, padding, dilation);
  TD_CHECK(ShapeError, w.kernel[0] < kMost / w.kernel[1], kMaxPool, ": kernel_size ", kernel,
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
  const Tensor indices = image_indices(x, in_windows, w);
  return {without_batch(y, input), without_batch(indices, input)};
}

}  // namespace td
