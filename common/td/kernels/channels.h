// Two shapes of kernels that go by channel: sums over all elements of each channel, and a function
// of each element with its channel. A dense tensor is [outer, channels, inner]; with channels last
// inner is 1. Included by the kernel files of normalisation only.
#pragma once

#include <algorithm>

#include "td/base/parallel.h"
#include "td/kernels/fast_divisor.h"
#include "td/kernels/launch.h"

namespace td {
namespace {

struct Channels {
  std::int64_t outer = 1, count = 1, inner = 1;
  TD_HD std::int64_t per_channel() const { return outer * inner; }
  /// The first of `inner` neighbouring elements.
  TD_HD std::int64_t at(std::int64_t o, std::int64_t c) const { return (o * count + c) * inner; }
};

/// Dimension 1 of a contiguous or channels-last tensor.
inline Channels channels_of(const Tensor& t) {
  Channels s;
  s.count = t.sizes()[1];
  const std::int64_t pixels = t.numel() / std::max<std::int64_t>(1, t.sizes()[0] * s.count);
  const bool last = t.suggest_memory_format() == MemoryFormat::ChannelsLast;
  s.outer = last ? t.sizes()[0] * pixels : t.sizes()[0];
  s.inner = last ? 1 : pixels;
  return s;
}

/// F: `add(element, outer, channel, a, b)` adds to two sums, `finish(channel, a, b)` uses them.
/// The sums are double and their order depends on the shape alone.
template <class F>
struct ChannelSums {
  F f;
  Channels s;

  static constexpr int kTile = 64;  // channels summed side by side when they are neighbours

  void on_host() const {
    const std::int64_t width = s.inner == 1 ? kTile : 1;
    const std::int64_t tiles = (s.count + width - 1) / width;
    const std::int64_t work = std::max<std::int64_t>(1, s.per_channel() * width);
    parallel_for(0, tiles, std::max<std::int64_t>(1, 32768 / work),
                 [&](std::int64_t from, std::int64_t to) {
                   for (std::int64_t t = from; t < to; ++t)
                     s.inner == 1 ? neighbours(t * kTile) : alone(t);
                 });
  }
  void neighbours(std::int64_t first) const {
    double a[kTile] = {}, b[kTile] = {};
    const int n = static_cast<int>(std::min<std::int64_t>(kTile, s.count - first));
    for (std::int64_t o = 0; o < s.outer; ++o) {
      const std::int64_t at = s.at(o, first);
#pragma omp simd
      for (int c = 0; c < n; ++c) f.add(at + c, o, first + c, a[c], b[c]);
    }
    for (int c = 0; c < n; ++c) f.finish(first + c, a[c], b[c]);
  }
  void alone(std::int64_t c) const {
    double a = 0, b = 0;
    for (std::int64_t o = 0; o < s.outer; ++o) {
      const std::int64_t at = s.at(o, c);
#pragma omp simd reduction(+ : a, b)
      for (std::int64_t i = 0; i < s.inner; ++i) f.add(at + i, o, c, a, b);
    }
    f.finish(c, a, b);
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const;
#endif
};

/// F: `f(element, outer, channel)` for every element.
template <class F>
struct ChannelEach {
  F f;
  Channels s;

  void on_host() const {
    const std::int64_t work = std::max<std::int64_t>(1, s.count * s.inner);
    parallel_for(0, s.outer, std::max<std::int64_t>(1, 32768 / work),
                 [&](std::int64_t from, std::int64_t to) {
                   for (std::int64_t o = from; o < to; ++o) slice(o);
                 });
  }
  void slice(std::int64_t o) const {
    const F local = f;
    if (s.inner == 1) {
      const std::int64_t at = s.at(o, 0);
#pragma omp simd
      for (std::int64_t c = 0; c < s.count; ++c) local(at + c, o, c);
      return;
    }
    for (std::int64_t c = 0; c < s.count; ++c) {
      const std::int64_t at = s.at(o, c);
#pragma omp simd
      for (std::int64_t i = 0; i < s.inner; ++i) local(at + i, o, c);
    }
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const;
#endif
};

#ifdef __CUDACC__
constexpr int kChannelThreads = 1024;  // many, since there are often few channels

// One block a channel; its threads stride over the elements and meet in shared memory.
template <class F>
__global__ void __launch_bounds__(kChannelThreads) channel_sums_kernel(F f, Channels s) {
  __shared__ double sums[2][kChannelThreads];
  const std::int64_t c = blockIdx.x;
  double a = 0, b = 0;
  for (std::int64_t j = threadIdx.x; j < s.per_channel(); j += kChannelThreads) {
    const std::int64_t o = quotient(j, s.inner);
    f.add(s.at(o, c) + (j - o * s.inner), o, c, a, b);
  }
  sums[0][threadIdx.x] = a;
  sums[1][threadIdx.x] = b;
  for (unsigned half = kChannelThreads / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      sums[0][threadIdx.x] += sums[0][threadIdx.x + half];
      sums[1][threadIdx.x] += sums[1][threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) f.finish(c, sums[0][0], sums[1][0]);
}
template <class F>
void ChannelSums<F>::on_cuda(cudaStream_t stream) const {
  if (s.count) channel_sums_kernel<<<unsigned(s.count), kChannelThreads, 0, stream>>>(f, s);
}

template <class F>
__global__ void channel_each_kernel(F f, Channels s) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t n = s.outer * s.count * s.inner;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const std::int64_t line = quotient(i, s.inner), o = quotient(line, s.count);
    f(i, o, line - o * s.count);
  }
}
template <class F>
void ChannelEach<F>::on_cuda(cudaStream_t stream) const {
  const std::int64_t n = s.outer * s.count * s.inner;
  const std::int64_t blocks = std::min<std::int64_t>((n + 255) / 256, 132 * 16);
  if (n) channel_each_kernel<<<unsigned(blocks), 256, 0, stream>>>(f, s);
}
#endif

}  // namespace
}  // namespace td
