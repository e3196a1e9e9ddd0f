// The pointwise shape: out[i] = f(in0[i], in1[i], ...), for any strides, broadcast, any device.
// f is a named functor with a TD_HD call operator (never a lambda: nvcc's host path does not
// inline extended lambdas). Kernel files call `pointwise<Out, In...>(name, f, out, in...)`.
#pragma once

#include <cstring>
#include <tuple>
#include <utility>

#include "td/base/parallel.h"
#include "td/kernels/geometry.h"
#include "td/kernels/launch.h"

namespace td {
namespace {

/// Elements below which a second thread costs more than it brings.
constexpr std::int64_t kGrain = 32768;

template <class F, class Out, class... In>
struct PointwiseWork {
  static constexpr int kIn = sizeof...(In);
  using Index = std::make_index_sequence<kIn>;

  template <std::size_t K>
  using Input = std::tuple_element_t<K, std::tuple<In...>>;

  F f;
  Out* out;
  const void* in[kIn + 1];  // nullptr: the operand is the number in `constants`
  alignas(8) std::byte constants[kIn + 1][8];
  Geometry<kIn + 1> g;

  template <std::size_t K>
  TD_HD const Input<K>* source() const {
    return static_cast<const Input<K>*>(in[K] ? in[K] : constants[K]);
  }

  void on_host() const {
    if (g.numel == 0) return;
    if (g.numel <= kGrain) return range(0, g.numel);
    parallel_for(0, g.numel, kGrain, [this](std::int64_t a, std::int64_t b) { range(a, b); });
  }

  // Elements [begin, end) of the result in loop order.
  void range(std::int64_t begin, std::int64_t end) const {
    const int inner = g.dims - 1;
    std::int64_t at[kMaxDims] = {};
    std::int64_t offset[kIn + 1] = {};
    std::int64_t rest = begin;
    for (int d = inner; d >= 0; --d) {
      at[d] = rest % g.sizes[d];
      rest /= g.sizes[d];
      for (int k = 0; k <= kIn; ++k) offset[k] += at[d] * g.strides[k][d];
    }
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t n = std::min(end - i, g.sizes[inner] - at[inner]);
      row(n, offset, Index{});
      i += n;
      advance(at, offset, n);
    }
  }

  // Moves past n elements of the innermost loop, carrying into the outer ones.
  void advance(std::int64_t* at, std::int64_t* offset, std::int64_t n) const {
    int d = g.dims - 1;
    at[d] += n;
    for (int k = 0; k <= kIn; ++k) offset[k] += n * g.strides[k][d];
    for (; d > 0 && at[d] == g.sizes[d]; --d) {
      for (int k = 0; k <= kIn; ++k)
        offset[k] += g.strides[k][d - 1] - g.sizes[d] * g.strides[k][d];
      at[d] = 0;
      ++at[d - 1];
    }
  }

  template <std::size_t... K>
  void row(std::int64_t n, const std::int64_t* offset, std::index_sequence<K...>) const {
    const int d = g.dims - 1;
    if (g.strides[0][d] == 1 && ((g.strides[K + 1][d] == 1) && ...))
      return contiguous(n, out + offset[0], (source<K>() + offset[K + 1])...);
    if constexpr (kIn == 2) {  // tensor with number, or with a broadcast row
      if (g.strides[0][d] == 1 && g.strides[1][d] == 1 && g.strides[2][d] == 0)
        return with_right(n, out + offset[0], source<0>() + offset[1], source<1>()[offset[2]]);
      if (g.strides[0][d] == 1 && g.strides[1][d] == 0 && g.strides[2][d] == 1)
        return with_left(n, out + offset[0], source<0>()[offset[1]], source<1>() + offset[2]);
    }
    for (std::int64_t i = 0; i < n; ++i)
      out[offset[0] + i * g.strides[0][d]] = static_cast<Out>(
          f(static_cast<compute_t<In>>(source<K>()[offset[K + 1] + i * g.strides[K + 1][d]])...));
  }

  void contiguous(std::int64_t n, Out* o, const In*... x) const {
    const F fn = f;  // a local copy: the compiler then knows that writes do not change it
    for (std::int64_t i = 0; i < n; ++i)
      o[i] = static_cast<Out>(fn(static_cast<compute_t<In>>(x[i])...));
  }
  template <class A, class B>
  void with_right(std::int64_t n, Out* o, const A* a, B b) const {
    const F fn = f;
    const auto value = static_cast<compute_t<B>>(b);
    for (std::int64_t i = 0; i < n; ++i)
      o[i] = static_cast<Out>(fn(static_cast<compute_t<A>>(a[i]), value));
  }
  template <class A, class B>
  void with_left(std::int64_t n, Out* o, A a, const B* b) const {
    const F fn = f;
    const auto value = static_cast<compute_t<A>>(a);
    for (std::int64_t i = 0; i < n; ++i)
      o[i] = static_cast<Out>(fn(value, static_cast<compute_t<B>>(b[i])));
  }

#ifdef __CUDACC__
  template <std::size_t... K>
  __device__ void element(std::int64_t i, std::index_sequence<K...>) const {
    std::int64_t offset[kIn + 1] = {};
    std::int64_t rest = i;
    for (int d = g.dims - 1; d >= 0; --d) {
      const std::int64_t at = d ? rest % g.sizes[d] : rest;
      rest /= g.sizes[d];
      for (int k = 0; k <= kIn; ++k) offset[k] += at * g.strides[k][d];
    }
    out[offset[0]] =
        static_cast<Out>(f(static_cast<compute_t<In>>(source<K>()[offset[K + 1]])...));
  }
  void on_cuda(cudaStream_t stream) const;
#endif
};

#ifdef __CUDACC__
template <class Work>
__global__ void pointwise_kernel(Work work) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < work.g.numel;
       i += step)
    work.element(i, typename Work::Index{});
}

template <class F, class Out, class... In>
void PointwiseWork<F, Out, In...>::on_cuda(cudaStream_t stream) const {
  if (g.numel == 0) return;
  const std::int64_t blocks = std::min<std::int64_t>((g.numel + 255) / 256, 132 * 16);
  pointwise_kernel<<<unsigned(blocks), 256, 0, stream>>>(*this);
}
#endif

// A 0-dimensional cpu tensor beside a device tensor travels as a number in the arguments.
inline bool travels_as_number(const Tensor& input, Device device) {
  return !device.is_cpu() && input.is_cpu() && input.dim() == 0;
}

template <class Out, class... In, class F, class... Operand>
void pointwise(const char* name, F f, const Tensor& out, const Operand&... in) {
  static_assert(sizeof...(In) == sizeof...(Operand));
  const Device device = out.device();
  PointwiseWork<F, Out, In...> work{f, kernel_pointer<Out>(out), {}, {}, plan(out, in...)};
  std::size_t k = 0;
  [[maybe_unused]] const auto take = [&](const Tensor& operand, std::size_t bytes) {
    if (travels_as_number(operand, device))
      std::memcpy(work.constants[k++], operand.data_ptr(), bytes);
    else
      work.in[k++] = kernel_pointer<const void>(operand);
  };
  (take(in, sizeof(In)), ...);
  launch(name, device, work, {&in...}, {&out});
}

}  // namespace
}  // namespace td
