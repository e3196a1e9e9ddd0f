// The pointwise shape: out[i] = f(in0[i], in1[i], ...), for any strides, broadcast, any device.
// f is a named functor with a TD_HD call operator (never a lambda: nvcc's host path does not
// inline extended lambdas). Kernel files call `pointwise<Out, In...>(name, f, out, in...)`.
// All that does not need to know f and the types is shared by the launches with as many operands:
// per f there is one loop for the host and two kernels, which keeps compiling quick.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "td/base/parallel.h"
#include "td/base/stream_store.h"
#include "td/kernels/geometry.h"
#include "td/kernels/launch.h"

namespace td {
namespace {

/// Elements below which a second thread costs more than it brings.
constexpr std::int64_t kGrain = 32768;
/// Elements of a row that are brought together when an operand's stride is not 1.
constexpr std::int64_t kRowTile = 512;

#ifdef __CUDACC__
/// The GPU's code for one functor and its types; see pointwise_cuda.h.
struct PointwiseKernels {
  const void* strided = nullptr;
  const void* packed = nullptr;  // nullptr: there is none for these types
  int pack = 1;                  // elements that one thread of it moves
};
#endif

/// One launch over N operands, of which operand 0 is the result.
template <int N>
struct PointwiseWork {
  using Row = void (*)(const PointwiseWork&, std::int64_t count, const std::int64_t* offset);

  void* data[N];  // nullptr: the operand is the number in `constants`
  alignas(8) std::byte constants[N][8];
  alignas(16) std::byte functor[16];
  std::uint8_t element_bytes[N];
  Row row;  // does `count` elements of the innermost loop, from `offset` elements into each operand
  Geometry<N> g;

  template <class T>
  TD_HD const T* source(int k) const {
    return static_cast<const T*>(data[k] ? data[k] : constants[k]);
  }

  void on_host() const {
    if (g.dims == 1 && g.numel <= kGrain) {  // the usual case: one row, no walking about
      const std::int64_t start[N] = {};
      return row(*this, g.numel, start);
    }
    parallel_for(0, g.numel, kGrain, [this](std::int64_t a, std::int64_t b) { range(a, b); });
  }

  // Elements [begin, end) of the result in loop order.
  void range(std::int64_t begin, std::int64_t end) const {
    LoopPosition<N> at(g, begin);
    for (std::int64_t left = end - begin; left > 0;) {
      const std::int64_t n = std::min(left, at.left_in_row(g));
      row(*this, n, at.offset);
      left -= n;
      if (left > 0) at.advance(g, n);
    }
  }

#ifdef __CUDACC__
  PointwiseKernels kernels;
  void on_cuda(cudaStream_t stream) const;
#endif
};

template <class T>
struct Tile {
  alignas(64) T at[kRowTile];
};
template <std::size_t K, class T>
struct NumberedTile : Tile<T> {};
/// One tile an input, not initialized: std::tuple would fill them with zeros for every row.
template <class Index, class... In>
struct Tiles;
template <std::size_t... K, class... In>
struct Tiles<std::index_sequence<K...>, In...> : NumberedTile<K, In>... {};

// Brings `n` elements together in `tile`. A single number (stride 0) stays there for the pieces of
// the row that follow, none of which is longer.
template <class T>
[[gnu::noinline]] const T* gather(const T* x, std::int64_t stride, std::int64_t from,
                                  std::int64_t n, Tile<T>& tile) {
  if (stride == 0) {
    if (from == 0) std::fill_n(tile.at, n, *x);
    return tile.at;
  }
  for (std::int64_t i = 0; i < n; ++i) tile.at[i] = x[(from + i) * stride];
  return tile.at;
}
template <class T>
[[gnu::noinline]] void scatter(const T* tile, T* to, std::int64_t stride, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i * stride] = tile[i];
}

/// The only part of the host's road that knows f and the types.
template <class F, class Out, class... In>
struct PointwiseRow {
  static constexpr int N = sizeof...(In) + 1;
  using Index = std::make_index_sequence<N - 1>;

  static void run(const PointwiseWork<N>& w, std::int64_t n, const std::int64_t* offset) {
    pieces(w, n, offset, Index{});
  }

  // The whole row at once when every operand lies side by side, else a tile at a time. Also a tile
  // at a time for a very large result, whose finished tiles then go past the caches.
  template <std::size_t... K>
  static void pieces(const PointwiseWork<N>& w, std::int64_t n, const std::int64_t* offset,
                     std::index_sequence<K...>) {
    const int d = w.g.dims - 1;
    const std::int64_t stride = w.g.strides[0][d];
    const bool dense = stride == 1 && ((w.g.strides[K + 1][d] == 1) && ...);
    const bool past_caches =
        dense && d == 0 && static_cast<std::size_t>(w.g.numel) * sizeof(Out) >= kStreamBytes;
    const std::int64_t piece = dense && !past_caches ? n : kRowTile;
    const F f = *reinterpret_cast<const F*>(w.functor);
    Out* const out = static_cast<Out*>(w.data[0]) + offset[0];
    [[maybe_unused]] Tiles<Index, In...> tiles;
    Tile<Out> result;
    for (std::int64_t from = 0; from < n; from += piece) {
      const std::int64_t m = std::min(piece, n - from);
      loop(f, m, stride == 1 && !past_caches ? out + from : result.at,
           input<In>(w, K + 1, offset, from, m, static_cast<NumberedTile<K, In>&>(tiles))...);
      if (past_caches)
        stream_store(out + from, result.at, static_cast<std::size_t>(m) * sizeof(Out));
      else if (stride != 1)
        scatter(result.at, out + from * stride, stride, m);
    }
    if (past_caches) finish_stream_stores();
  }

  template <class T>
  static const T* input(const PointwiseWork<N>& w, int k, const std::int64_t* offset,
                        std::int64_t from, std::int64_t n, Tile<T>& tile) {
    const std::int64_t stride = w.g.strides[k][w.g.dims - 1];
    const T* const x = w.template source<T>(k) + offset[k];
    return stride == 1 ? x + from : gather(x, stride, from, n, tile);
  }

  // The compiler makes vector instructions of this. An input may be the result itself (in-place
  // operations), element for element; ivdep says that this is all the overlap there is.
  static void loop(const F f, std::int64_t n, Out* out, const In*... x) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = static_cast<Out>(f(static_cast<compute_t<In>>(x[i])...));
  }
};

}  // namespace
}  // namespace td

#ifdef __CUDACC__
#include "td/kernels/pointwise_cuda.h"
#endif

namespace td {
namespace {

// A 0-dimensional cpu tensor next to a device tensor is passed as a number in the arguments.
inline bool is_passed_as_number(const Tensor& input, Device device) {
  return !device.is_cpu() && input.is_cpu() && input.dim() == 0;
}

// What of a launch depends on the operands alone; `operands[0]` is the result.
template <int N>
void fill_operands(PointwiseWork<N>& work, const Tensor* const (&operands)[N]) {
  work.g = plan<N>(operands);
  const Device device = operands[0]->device();
  for (int k = 0; k < N; ++k) {
    const Tensor& operand = *operands[k];
    work.element_bytes[k] = static_cast<std::uint8_t>(operand.element_size());
    const bool number = is_passed_as_number(operand, device);
    work.data[k] = number ? nullptr : kernel_pointer<void>(operand);
    if (!number) continue;
    std::memcpy(work.constants[k], operand.data_ptr(), operand.element_size());
    // Stride 0 means "one number" to all loops. A result without dimensions would give it stride 1.
    std::fill_n(work.g.strides[k], work.g.dims, 0);
  }
}

template <int N>
[[gnu::noinline]] void launch_pointwise(const char* name, PointwiseWork<N>& work,
                                        const Tensor* const (&operands)[N]) {
  if (operands[0]->numel() == 0) return;
  fill_operands(work, operands);
  launch(name, operands[0]->device(), work, TensorRefs(operands + 1, N - 1),
         TensorRefs(operands, 1));
}

/// out = f(in...), element by element. `Out, In...` are the element types of the operands; f gets
/// and gives the types it computes in (float for the 16-bit types).
/// @pre `in` broadcast to out's sizes, and are on its device or 0-dimensional on the cpu.
template <class Out, class... In, class F, class... Operand>
void pointwise(const char* name, F f, const Tensor& out, const Operand&... in) {
  static_assert(sizeof...(In) == sizeof...(Operand));
  constexpr int N = sizeof...(In) + 1;
  PointwiseWork<N> work;
  static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof work.functor);
  std::memcpy(work.functor, &f, sizeof f);
  work.row = &PointwiseRow<F, Out, In...>::run;
#ifdef __CUDACC__
  work.kernels = pointwise_kernels<F, Out, In...>();
#endif
  const Tensor* const operands[] = {&out, &in...};
  launch_pointwise<N>(name, work, operands);
}

template <class Operand, class T>
using element_of = T;  ///< the element type of any operand, where all have one

/// The same where all operands have the type of `out`, one of the integers or floats.
template <class F, class... Operand>
void pointwise_numbers(const char* name, const Tensor& out, const Operand&... in) {
  dispatch_numbers(name, out.dtype(), [&]<class T>(CppType<T>) {
    pointwise<T, element_of<Operand, T>...>(name, F{}, out, in...);
  });
}

}  // namespace
}  // namespace td
