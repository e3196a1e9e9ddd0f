// What the normalizations share: two shapes of kernels that go by channel (sums over all elements
// of each channel, and a function of each element with its channel), and the gradient as recorded
// operations. A dense tensor is [outer, channels, inner]; with channels last inner is 1.
#pragma once

#include <algorithm>

#include "td/kernels/geometry.h"
#include "td/kernels/index_kernel.h"
#include "td/kernels/reduce_plan.h"
#include "td/ops/op.h"
#ifdef TD_DEVICE_CODE
#include "td/kernels/reduce_cuda.h"
#endif

namespace td {
namespace {

/// Statistics and parameters are stored in the type that kernels compute in.
template <class T>
using Stat = compute_t<T>;
inline ScalarType stat_type(ScalarType dtype) { return dtype == kDouble ? kDouble : kFloat; }

/// The gradients of x, weight and bias as recorded operations, where mean and variance are those of
/// x over `dims`. `w` is broadcast to x or undefined; it and the bias are constant over `rest`.
inline void give_expressions(Gradients& grads, const Tensor& g, const Tensor& x, const Tensor& w,
                             IntArrayRef dims, IntArrayRef rest, double eps) {
  const Tensor centered = x - x.mean(dims, true);
  const Tensor inverse = (centered.square().mean(dims, true) + eps).rsqrt();
  const Tensor normal = centered * inverse;
  grads.set_lazily(0, [&] {
    const Tensor scaled = w.defined() ? g * w : g;
    return inverse *
           (scaled - scaled.mean(dims, true) - normal * (scaled * normal).mean(dims, true));
  });
  grads.set_lazily(1, [&] { return (g * normal).sum(rest); });
  grads.set_lazily(2, [&] { return g.sum(rest); });
}

struct Channels {
  std::int64_t outer = 1, count = 1, inner = 1;
  TD_HD std::int64_t per_channel() const { return outer * inner; }
  /// The first of `inner` neighboring elements.
  TD_HD std::int64_t at(std::int64_t o, std::int64_t c) const { return (o * count + c) * inner; }
  /// A reduction to the channels.
  ReduceShape groups() const {
    ReduceShape s;
    s.kept = {1, count, {count}, {inner}};
    s.reduced = inner == 1 ? Loops{1, outer, {outer}, {count}}
                           : Loops{2, outer * inner, {outer, inner}, {count * inner, 1}};
    return s;
  }
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

/// For channel_sums: the gradients of weight and bias. The statistics are the channel's or, with
/// kByRow, those of the element's row.
template <class T, bool kByRow>
struct GradientSums {
  using Lane = Stat<T>;
  const T *g, *x;
  const Stat<T>*mean, *inverse_std;
  Stat<T>*grad_weight, *grad_bias;
  template <class A>
  TD_HD void add(std::int64_t at, std::int64_t row, std::int64_t c, A& a, A& b) const {
    const Stat<T> gradient = g[at];
    const Stat<T> scaled = gradient * (static_cast<Stat<T>>(x[at]) - mean[kByRow ? row : c]);
    a += static_cast<A>(kByRow ? scaled * inverse_std[row] : scaled);
    b += static_cast<A>(gradient);
  }
  TD_HD void finish(std::int64_t c, double a, double b) const {
    grad_weight[c] = static_cast<Stat<T>>(kByRow ? a : a * static_cast<double>(inverse_std[c]));
    grad_bias[c] = static_cast<Stat<T>>(b);
  }
};

template <class A>
struct SumsOf {
  A a = 0, b = 0;
  template <class B>
  TD_HD operator SumsOf<B>() const {
    return {static_cast<B>(a), static_cast<B>(b)};
  }
};
using TwoSums = SumsOf<double>;

/// Adds both, with the interface of reduce.h: a few elements in `Lane`, their sums in double.
template <class Lane>
struct AddBoth {
  TD_HD SumsOf<Lane> start() const { return {}; }
  TD_HD void add(SumsOf<Lane>& lane, const SumsOf<Lane>& x, std::int64_t) const {
    lane.a += x.a;
    lane.b += x.b;
  }
  TD_HD TwoSums combine(const TwoSums& x, const TwoSums& y) const { return {x.a + y.a, x.b + y.b}; }
};

/// F: `add(element, index, channel, a, b)` adds to two sums, `finish(channel, a, b)` uses them;
/// index counts the elements of the channel. The sums are double, on a GPU of a few elements that
/// are added in F::Lane first, and their order depends on the shape alone.
template <class F>
struct ChannelSums {
  using WideAcc = TwoSums;
  F f;
  Channels s;
  TwoSums* partial = nullptr;  // cuda: what pieces of a channel add up to
  AddBoth<typename F::Lane> r = {};

  static constexpr int kTile = 64;  // channels summed together when they are neighbors
  static constexpr int kSums = 8;   // sums of one channel side by side

  void on_host() const {
    const std::int64_t width = s.inner == 1 ? kTile : 1;
    each_index((s.count + width - 1) / width, 2 * s.per_channel() * width,
               [this](std::int64_t t) { s.inner == 1 ? neighbors(t * kTile) : alone(t); });
  }
  void neighbors(std::int64_t first) const {
    double a[kTile] = {}, b[kTile] = {};
    const int n = static_cast<int>(std::min<std::int64_t>(kTile, s.count - first));
    for (std::int64_t o = 0; o < s.outer; ++o) {
      const std::int64_t at = s.at(o, first);
#pragma omp simd
      for (int c = 0; c < n; ++c) f.add(at + c, o, first + c, a[c], b[c]);
    }
    for (int c = 0; c < n; ++c) f.finish(first + c, a[c], b[c]);
  }
  // Sums kept side by side, so that an addition need not wait for the one before.
  void alone(std::int64_t c) const {
    double a[kSums] = {}, b[kSums] = {};
    for (std::int64_t o = 0; o < s.outer; ++o) {
      const std::int64_t at = s.at(o, c), index = o * s.inner;
      std::int64_t i = 0;
      for (; i + kSums <= s.inner; i += kSums)
#pragma omp simd
        for (int k = 0; k < kSums; ++k) f.add(at + i + k, index + i + k, c, a[k], b[k]);
      for (; i < s.inner; ++i) f.add(at + i, index + i, c, a[0], b[0]);
    }
    for (int k = 1; k < kSums; ++k) a[0] += a[k], b[0] += b[k];
    f.finish(c, a[0], b[0]);
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const { reduce_on_cuda(*this, s.groups(), stream); }
  __device__ auto element(std::int64_t at, std::int64_t index, std::int64_t c) const {
    SumsOf<typename F::Lane> of;
    f.add(at, index, c, of.a, of.b);
    return of;
  }
  __device__ void store(std::int64_t c, const TwoSums& t) const { f.finish(c, t.a, t.b); }
#endif
};

/// @param reads,writes as in launch(); at most three writes.
template <class F>
void channel_sums(const char* name, Device device, const F& f, const Channels& s, TensorRefs reads,
                  std::initializer_list<const Tensor*> writes) {
  const Tensor room = room_for_pieces<TwoSums>(device, s.groups());
  const ChannelSums<F> work{f, s, Pointer{room}};
  const Tensor* written[4] = {&room};
  std::copy(writes.begin(), writes.end(), written + 1);
  launch(name, device, work, reads, TensorRefs(written, writes.size() + 1));
}

#ifdef TD_DEVICE_CODE
constexpr int kEachThreads = 256;
/// Elements of one thread, which loads them all before it stores one. Where fewer are left, it
/// computes its first one again instead.
constexpr int kEachLoads = 4;

/// The channel of an element, without a division below 2^31 elements.
struct ChannelOf {
  Channels s;
  FastDivisor inner, count;
  explicit ChannelOf(const Channels& shape)
      : s(shape), inner(divisor(s.inner)), count(divisor(s.count)) {}
  static FastDivisor divisor(std::int64_t size) {
    return FastDivisor(static_cast<std::uint32_t>(std::min(size, std::int64_t(1) << 31)));
  }
  __device__ std::int64_t operator()(std::int64_t i) const {
    if (i >> 31) return i / s.inner % s.count;
    const std::uint32_t line = inner.quotient(static_cast<std::uint32_t>(i));
    return line - count.quotient(line) * count.size;
  }
};

template <class F, class T>
__global__ void __launch_bounds__(kEachThreads)
    channel_each_kernel(const F f, const ChannelOf channel_of, T* out, std::int64_t n) {
  const std::int64_t first = std::int64_t(blockIdx.x) * kEachThreads * kEachLoads + threadIdx.x;
  if (first >= n) return;
  std::int64_t at[kEachLoads], channel[kEachLoads];
#pragma unroll
  for (int k = 0; k < kEachLoads; ++k) {
    at[k] = first + k * kEachThreads < n ? first + k * kEachThreads : first;
    channel[k] = channel_of(at[k]);
  }
  T result[kEachLoads];
#pragma unroll
  for (int k = 0; k < kEachLoads; ++k) result[k] = f(at[k], channel[k]);
#pragma unroll
  for (int k = 0; k < kEachLoads; ++k) out[at[k]] = result[k];
}
#endif

/// F: `f(element, channel)` is the result's element, stored at the same offset as the operand's.
template <class F, class T>
struct ChannelEach {
  F f;
  Channels s;
  T* out;

  void on_host() const {
    each_index(s.outer, 2 * s.count * s.inner, [this](std::int64_t o) { slice(o); });
  }
  void slice(std::int64_t o) const {
    const F local = f;
    T* const to = out;
    if (s.inner == 1) {
      const std::int64_t at = s.at(o, 0);
#pragma omp simd
      for (std::int64_t c = 0; c < s.count; ++c) to[at + c] = local(at + c, c);
      return;
    }
    for (std::int64_t c = 0; c < s.count; ++c) {
      const std::int64_t at = s.at(o, c);
#pragma omp simd
      for (std::int64_t i = 0; i < s.inner; ++i) to[at + i] = local(at + i, c);
    }
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    const std::int64_t n = s.outer * s.count * s.inner, of_block = kEachThreads * kEachLoads;
    const auto blocks = static_cast<unsigned>((n + of_block - 1) / of_block);
    if (n) start(channel_each_kernel<F, T>, blocks, kEachThreads, stream, f, ChannelOf(s), out, n);
  }
#endif
};

template <class T, class F>
void channel_each(const char* name, const Tensor& out, const F& f, const Channels& s,
                  TensorRefs reads) {
  launch(name, out.device(), ChannelEach<F, T>{f, s, Pointer{out}}, reads, {&out});
}

}  // namespace
}  // namespace td
