// How a pointwise launch runs on a GPU: two kernels per functor. `packed` is for operands that are
// contiguous in one loop: each thread moves 16 bytes at once. `strided` walks any strides, with
// 32-bit indices; a launch too large for those is split. Included by pointwise.h where there is
// device code.
#pragma once

#include "td/kernels/geometry.h"

namespace td {
namespace {

constexpr int kThreads = 256;  // of one block
/// The most elements that one strided kernel takes.
constexpr std::int64_t kMostStrided = std::int64_t(1) << 30;

/// Arguments of the packed kernel.
template <int N>
struct PackedArguments {
  Operands<N> operands;
  bool one_number[N];  // the operand is the same for all elements
  std::int64_t numel;
};

/// Arguments of the strided kernel.
template <int N>
struct StridedArguments {
  Operands<N> operands;
  std::uint32_t numel;
  int dims;
  FastDivisor sizes[kMaxDims];
  std::int64_t strides[N][kMaxDims];
};

/// Elements that one thread moves: as many as make 16 bytes of the largest type.
template <class... T>
constexpr int kPack = 16 / static_cast<int>(std::max({sizeof(T)...}));

template <class T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T at[Count];
};

template <class T, int Count, int N>
__device__ Pack<T, Count> load(const PackedArguments<N>& a, int k, std::int64_t i, int count) {
  const T* const data = static_cast<const T*>(a.operands.data[k]) + i;
  Pack<T, Count> pack;
  if (a.one_number[k]) {
    const T value = *a.operands.template of<T>(k);
#pragma unroll
    for (int j = 0; j < Count; ++j) pack.at[j] = value;
  } else if (count == Count) {
    pack = *reinterpret_cast<const Pack<T, Count>*>(data);
  } else {
#pragma unroll  // constant indices keep the pack in registers
    for (int j = 0; j < Count; ++j)
      if (j < count) pack.at[j] = data[j];
  }
  return pack;
}

template <int Count, class F, class Out, class... In>
__device__ Pack<Out, Count> apply(const F& f, const Pack<In, Count>&... x) {
  Pack<Out, Count> y;
#pragma unroll
  for (int j = 0; j < Count; ++j)
    y.at[j] = static_cast<Out>(f(static_cast<compute_t<In>>(x.at[j])...));
  return y;
}

template <class F, class Out, class... In, int N, std::size_t... K>
__device__ void run_packed(const PackedArguments<N>& a, const F& f, std::index_sequence<K...>) {
  constexpr int kCount = kPack<Out, In...>;
  const std::int64_t i = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) * kCount;
  if (i >= a.numel) return;
  // The last thread has fewer elements, and computes the missing ones from whatever it holds.
  const int count = static_cast<int>(std::min<std::int64_t>(kCount, a.numel - i));
  const Pack<Out, kCount> y =
      apply<kCount, F, Out, In...>(f, load<In, kCount>(a, K + 1, i, count)...);
  Out* const out = static_cast<Out*>(a.operands.data[0]) + i;
  if (count == kCount) {
    *reinterpret_cast<Pack<Out, kCount>*>(out) = y;
  } else {
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      if (j < count) out[j] = y.at[j];
  }
}

template <class F, class Out, class... In, int N, std::size_t... K>
__device__ void run_strided(const StridedArguments<N>& a, const F& f, std::index_sequence<K...>) {
  std::uint32_t rest = blockIdx.x * kThreads + threadIdx.x;
  if (rest >= a.numel) return;
  std::int64_t offset[N] = {};
#pragma unroll 1
  for (int d = a.dims - 1; d >= 0; --d) {
    const std::uint32_t outer = d ? a.sizes[d].quotient(rest) : 0;
    const std::uint32_t at = rest - outer * a.sizes[d].size;
    for (int k = 0; k < N; ++k) offset[k] += at * a.strides[k][d];
    rest = outer;
  }
  static_cast<Out*>(a.operands.data[0])[offset[0]] = static_cast<Out>(
      f(static_cast<compute_t<In>>(a.operands.template of<In>(K + 1)[offset[K + 1]])...));
}

template <class F, class Out, class... In>
__global__ void __launch_bounds__(kThreads)
    packed_kernel(const __grid_constant__ PackedArguments<sizeof...(In) + 1> a, F f) {
  run_packed<F, Out, In...>(a, f, std::index_sequence_for<In...>{});
}
template <class F, class Out, class... In>
__global__ void __launch_bounds__(kThreads)
    strided_kernel(const __grid_constant__ StridedArguments<sizeof...(In) + 1> a, F f) {
  run_strided<F, Out, In...>(a, f, std::index_sequence_for<In...>{});
}

unsigned blocks_of(std::int64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}
/// Starts a kernel for the functor of type F.
template <class F, class Arguments, void (*kKernel)(Arguments, F)>
void start_kernel(const Arguments& a, const std::byte* functor, std::int64_t threads,
                  cudaStream_t stream) {
  start(kKernel, blocks_of(threads), kThreads, stream, a, *reinterpret_cast<const F*>(functor));
}

template <int N>
PackedArguments<N> packed_arguments(const PointwiseWork<N>& work) {
  PackedArguments<N> a{work.operands, {}, work.g.numel};
  for (int k = 0; k < N; ++k) a.one_number[k] = work.g.loops[0].strides[k] == 0;
  return a;
}

template <int N>
StridedArguments<N> strided_arguments(const PointwiseWork<N>& work) {
  StridedArguments<N> a;
  a.operands = work.operands;
  a.numel = static_cast<std::uint32_t>(work.g.numel);
  a.dims = work.g.dims;
  for (int d = 0; d < a.dims; ++d) {
    const auto& loop = work.g.loops[d];
    a.sizes[d] = FastDivisor(static_cast<std::uint32_t>(loop.size));
    for (int k = 0; k < N; ++k) a.strides[k][d] = loop.strides[k];
  }
  return a;
}

// Whether 16-byte access is worth a kernel: elements of 8 bytes fill a memory transaction as they
// are, and the narrow integers are rarely many.
template <class T>
constexpr bool kPacks = std::is_same_v<T, float> || std::is_same_v<T, Half> ||
                        std::is_same_v<T, BFloat16> || std::is_same_v<T, bool>;

/// The two kernels of one functor, as PointwiseWork carries them.
template <class F, class Out, class... In>
PointwiseKernels<sizeof...(In) + 1> pointwise_kernels() {
  constexpr int N = sizeof...(In) + 1;
  PointwiseKernels<N> kernels;
  kernels.strided = start_kernel<F, StridedArguments<N>, strided_kernel<F, Out, In...>>;
  constexpr bool floats =
      (std::is_floating_point_v<compute_t<Out>> || ... || std::is_floating_point_v<compute_t<In>>);
  if constexpr (floats && kPacks<Out> && (kPacks<In> && ...)) {
    kernels.packed = start_kernel<F, PackedArguments<N>, packed_kernel<F, Out, In...>>;
    kernels.pack = kPack<Out, In...>;
  }
  return kernels;
}

// One loop in which every operand has stride 1, or 0, and starts where 16 bytes may be read at
// once. (A view may start anywhere.)
template <int N>
bool is_packed(const PointwiseWork<N>& work) {
  const auto& loop = work.g.loops[0];
  if (!work.kernels.packed || work.g.dims != 1 || loop.strides[0] != 1) return false;
  for (int k = 0; k < N; ++k) {
    const auto address = reinterpret_cast<std::uintptr_t>(work.operands.data[k]);
    if (loop.strides[k] != 0 && (loop.strides[k] != 1 || address % 16 != 0)) return false;
  }
  return true;
}

// The part of a launch from index `from` of the outermost loop, `count` steps long.
template <int N>
PointwiseWork<N> part_of(const PointwiseWork<N>& work, std::int64_t from, std::int64_t count) {
  PointwiseWork<N> part = work;
  auto& loop = part.g.loops[0];
  part.g.numel = work.g.numel / loop.size * count;
  loop.size = count;
  for (int k = 0; k < N; ++k)
    if (void*& data = part.operands.data[k])
      data = static_cast<std::byte*>(data) + from * loop.strides[k] * work.element_bytes[k];
  return part;
}

// The same launch once its outermost loop has one step only.
template <int N>
PointwiseWork<N> without_outermost(const PointwiseWork<N>& work) {
  PointwiseWork<N> inner = work;
  --inner.g.dims;
  std::copy_n(work.g.loops + 1, inner.g.dims, inner.g.loops);
  return inner;
}

// See check_memory() in launch.h: an operand has memory, or it is one number for all elements.
template <int N>
void check_operands(const PointwiseWork<N>& work) {
  for (int k = 0; k < N; ++k) {
    bool one_number = k > 0;
    for (int d = 0; d < work.g.dims; ++d) one_number &= work.g.loops[d].strides[k] == 0;
    TD_CHECK(Error, work.operands.data[k] || one_number, "operand ", k,
             " of an element-wise kernel has no memory; this is a fault of td, please report it");
  }
}

template <int N>
void PointwiseWork<N>::on_cuda(cudaStream_t stream) const {
  check_operands(*this);
  if (is_packed(*this))
    return kernels.packed(packed_arguments(*this), functor,
                          (g.numel + kernels.pack - 1) / kernels.pack, stream);
  if (g.numel <= kMostStrided)
    return kernels.strided(strided_arguments(*this), functor, g.numel, stream);
  const std::int64_t size = g.loops[0].size, half = size / 2;
  if (size == 1) return without_outermost(*this).on_cuda(stream);
  part_of(*this, 0, half).on_cuda(stream);
  part_of(*this, half, size - half).on_cuda(stream);
}

}  // namespace
}  // namespace td
