// Max pooling: checks and the forward kernel. On the host up to 64 outputs are computed at once, so
// that the comparisons become vector instructions: channels of one position (channels last), or
// some rows of outputs, for which rows of the image are copied next to each other. On cuda a thread
// computes one output.
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
  static constexpr std::int64_t kLanes = 64, kMostStride = 8;
  const T* x;
  T* y;

  // The value that a window starts with: nothing is smaller.
  TD_HD static C smallest() { return -std::numeric_limits<C>::infinity(); }

  // A row of outputs: the plane that it is made from, and where its windows begin.
  struct Row {
    const T* plane;
    std::int64_t top;
  };
  // Copies `length` elements of an image row for each row of outputs: `down` rows below the top of
  // its windows, from `column` on. Elements outside the image are smaller than all others.
  void load(const Row* row, std::int64_t height, std::int64_t down, std::int64_t column,
            std::int64_t length, C* to) const {
    const std::int64_t begin = std::clamp<std::int64_t>(-column, 0, length);
    const std::int64_t end = std::clamp(in.w - column, begin, length);
    for (std::int64_t i = 0; i < height; ++i, to += length) {
      const bool inside = rows.inside(row[i].top + down);
      const T* const from = row[i].plane + (row[i].top + down) * in.w + column;
      for (std::int64_t j = 0; j < (inside ? begin : length); ++j) to[j] = smallest();
#pragma omp simd
      for (std::int64_t j = begin; j < (inside ? end : begin); ++j) to[j] = static_cast<C>(from[j]);
      for (std::int64_t j = end; j < length; ++j) to[j] = smallest();
    }
  }
  // Takes every `step`-th element.
  static void every(std::int64_t step, const C* from, C* to) {
    if (step == 2)  // known to the compiler, which takes vector instructions then
      for (std::int64_t i = 0; i < kLanes; ++i) to[i] = from[2 * i];
    else
      for (std::int64_t i = 0; i < kLanes; ++i) to[i] = from[step * i];
  }

  // `width` outputs from ox on, in each of `height` rows; these are counted over all planes. All
  // lanes are computed, because loops of constant length need no remainder.
  void pool_rows(std::int64_t first, std::int64_t height, std::int64_t ox,
                 std::int64_t width) const {
    Lanes<T, kLanes> lanes;
    C line[kLanes * kMostStride];
    Row row[kLanes];
    for (std::int64_t i = 0; i < height; ++i) {
      const std::int64_t plane = (first + i) / out.h;
      row[i] = {x + plane * in.step_c, rows.begin(first + i - plane * out.h)};
    }
    std::fill_n(lanes.largest, kLanes, smallest());
    std::fill_n(lanes.at, kLanes, 0);
    if (indices.data && rows.padding + columns.padding > 0)
      for (std::int64_t i = 0; i < height * width; ++i)
        lanes.at[i] = first_index(row[i / width].top, columns.begin(ox + i % width));
    const std::int64_t step = columns.stride, length = width * step;
    std::fill(line + height * length, line + kLanes * step, C(0));  // of lanes without an output
    for (std::int64_t r = 0; r < rows.kernel; ++r)
      for (std::int64_t s = 0, loaded = -1; s < columns.kernel; ++s) {
        // `ahead` windows further right, and then less than a stride.
        const std::int64_t right = s * columns.dilation, ahead = right / step;
        if (ahead != loaded)
          load(row, height, r * rows.dilation, columns.begin(ox + ahead), length, line);
        loaded = ahead;
        every(step, line + (right - ahead * step), lanes.value);
        lanes.compare(kLanes, index_of(r, s));
      }
    store(lanes, first * out.w + ox, height * width);
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

  void on_host() const {
    if (out.channels_last) return by_channels();
    if (columns.stride > kMostStride) return each_index(out.numel(), cost(), *this);
    const std::int64_t width = std::min(kLanes, out.w), height = kLanes / width;
    const std::int64_t total = out.n * out.c * out.h;
    each_index(
        (total + height - 1) / height, out.w * height * cost() / 2, [=, this](std::int64_t block) {
          const std::int64_t first = block * height;
          for (std::int64_t ox = 0; ox < out.w; ox += width)
            pool_rows(first, std::min(height, total - first), ox, std::min(width, out.w - ox));
        });
  }
  void by_channels() const {
    each_index(out.n * out.h * out.w, out.c * cost() / 2, [=, this](std::int64_t pixel) {
      const std::int64_t first = pixel * out.c;
      for (std::int64_t c = 0; c < out.c; c += kLanes)
        pool_channels<kLanes>(out.coords(first + c), first + c, std::min(kLanes, out.c - c));
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
