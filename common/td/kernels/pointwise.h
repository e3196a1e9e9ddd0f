// The pointwise shape: out[i] = f(in0[i], in1[i], ...), for any strides, broadcast, any device.
// f is a named functor with a TD_HD call operator (never a lambda: nvcc's host path does not
// inline extended lambdas). Kernel files call `pointwise<Out, In...>(name, f, out, in...)`.
// Code that does not depend on f and the types is shared by all launches with as many operands: per
// f and types there is one loop for the host and two kernels, which keeps compilation fast.
#pragma once

#include <algorithm>
#include <cstring>

#include "td/base/parallel.h"
#include "td/base/stream_store.h"
#include "td/base/strided.h"
#include "td/kernels/geometry.h"
#include "td/kernels/launch.h"

namespace td {
namespace {

/// Elements below which a second thread costs more than it saves.
constexpr std::int64_t kGrain = 32768;
/// Elements of a row that are gathered at a time when an operand's stride is not 1.
constexpr std::int64_t kRowTile = 512;
/// The most elements of a tile and of its rows, where an operand's columns are contiguous and not
/// its rows.
constexpr std::int64_t kTileElements = 4096, kTileRow = 64;
/// Bytes of the largest element.
constexpr std::size_t kMaxElement = sizeof(std::int64_t);

#ifdef TD_DEVICE_CODE
template <int N>
struct PackedArguments;
template <int N>
struct StridedArguments;
/// What launches the GPU's code for one functor and its types; see pointwise_cuda.h.
template <int N>
struct PointwiseKernels {
  template <class Arguments>
  using Start = void (*)(const Arguments&, const std::byte* functor, std::int64_t threads,
                         cudaStream_t stream);
  Start<StridedArguments<N>> strided = nullptr;
  Start<PackedArguments<N>> packed = nullptr;  // nullptr: there is none for these types
  int pack = 1;                                // elements that one thread of it moves
};
#endif

/// Where the elements of N operands are.
template <int N>
struct Operands {
  void* data[N];  // nullptr: the operand is the number in `constants`
  alignas(8) std::byte constants[N][8];

  template <class T>
  TD_HD const T* of(int k) const {
    return static_cast<const T*>(data[k] ? data[k] : constants[k]);
  }
};

/// One launch over N operands, of which operand 0 is the result.
template <int N>
struct PointwiseWork {
  /// Applies a functor to `n` elements of each operand, which lie side by side.
  using Loop = void (*)(const std::byte* functor, std::int64_t n, void* const* operand);

  Operands<N> operands;
  alignas(16) std::byte functor[16];
  Loop loop;  // the only code for the host that knows the functor and the types
  std::uint8_t element_bytes[N];
  Geometry<N> g;

  void on_host() const {
    if (g.dims == 1 && g.numel <= kGrain) {  // the usual case: one row, no outer loops
      const std::int64_t start[N] = {};
      return row(g.numel, start);
    }
    if (has_transposed()) return in_tiles();
    parallel_for(0, g.numel, kGrain, [this](std::int64_t a, std::int64_t b) { range(a, b); });
  }

  // `n` elements of the innermost loop, from `offset` elements into each operand. The whole row at
  // once when every operand is contiguous, else a piece at a time; also in pieces for a very large
  // result, whose finished pieces are then stored past the caches.
  void row(std::int64_t n, const std::int64_t* offset) const {
    void* at[N];
    bool dense = true;
    for (int k = 0; k < N; ++k) {
      const void* const data = operands.template of<std::byte>(k) + offset[k] * element_bytes[k];
      at[k] = const_cast<void*>(data);
      dense &= g.innermost().strides[k] == 1;
    }
    const bool past_caches = dense && g.dims == 1 &&
                             static_cast<std::size_t>(g.numel) * element_bytes[0] >= kStreamBytes;
    if (dense && !past_caches) return loop(functor, n, at);
    in_pieces(n, at, past_caches);
  }

  [[gnu::noinline]] void in_pieces(std::int64_t n, void* const* at, bool past_caches) const {
    alignas(64) std::byte room[N][kRowTile * kMaxElement];
    const auto& strides = g.innermost().strides;
    for (std::int64_t from = 0; from < n; from += kRowTile) {
      const std::int64_t m = std::min(kRowTile, n - from);
      void* piece[N];
      for (int k = 0; k < N; ++k) {
        piece[k] = static_cast<std::byte*>(at[k]) + from * strides[k] * element_bytes[k];
        if (strides[k] == 1 && (k > 0 || !past_caches)) continue;
        // A single number (stride 0) stays in its room for the pieces that follow.
        if (k > 0 && (strides[k] != 0 || from == 0))
          gather_strided(room[k], piece[k], strides[k], m, element_bytes[k]);
        piece[k] = room[k];
      }
      loop(functor, m, piece);
      if (piece[0] != room[0]) continue;
      std::byte* const out = static_cast<std::byte*>(at[0]) + from * strides[0] * element_bytes[0];
      if (past_caches)
        stream_store(out, room[0], static_cast<std::size_t>(m) * element_bytes[0]);
      else
        scatter_strided(out, strides[0], room[0], m, element_bytes[0]);
    }
    if (past_caches) finish_stream_stores();
  }

  // Whether neighbors in a row of operand k are apart, and neighbors in a column are not.
  bool is_transposed(int k) const {
    return g.loops[g.dims - 2].strides[k] == 1 && g.innermost().strides[k] != 0;
  }
  bool has_transposed() const {
    for (int k = 1; g.dims > 1 && k < N; ++k)
      if (is_transposed(k)) return true;
    return false;
  }

  // Tile by tile of the two inner loops. The transposed operands are first copied to `room`, where
  // the rows of the tile follow each other.
  void in_tiles() const {
    const auto &row_loop = g.innermost(), &column_loop = g.loops[g.dims - 2];
    const std::int64_t widest = std::min(kTileRow, row_loop.size), highest = kTileElements / widest;
    const std::int64_t across = (row_loop.size + widest - 1) / widest,
                       down = (column_loop.size + highest - 1) / highest,
                       matrix = row_loop.size * column_loop.size;
    PointwiseWork tile = *this;
    auto& columns = tile.g.loops[g.dims - 2].strides;
    auto& rows = tile.g.loops[g.dims - 1].strides;
    bool joins = across == 1;  // the rows of a tile are one row in every operand
    for (int k = 0; k < N; ++k) {
      if (k > 0 && is_transposed(k)) columns[k] = widest, rows[k] = 1;
      joins &= columns[k] == widest * rows[k];
    }
    const std::int64_t tiles = g.numel / matrix * down * across;
    parallel_for(0, tiles, kGrain / kTileElements, [&](std::int64_t a, std::int64_t b) {
      alignas(64) std::byte room[N][kTileElements * kMaxElement];
      PointwiseWork here = tile;
      for (int k = 1; k < N; ++k)
        if (is_transposed(k)) here.operands.data[k] = room[k];
      for (std::int64_t i = a; i < b; ++i) {
        const std::int64_t left = i % across * widest, top = i / across % down * highest;
        const std::int64_t width = std::min(widest, row_loop.size - left),
                           height = std::min(highest, column_loop.size - top);
        LoopPosition<N> at(g, i / across / down * matrix + top * row_loop.size + left);
        for (int k = 1; k < N; ++k) {
          if (!is_transposed(k)) continue;
          const auto* const from = static_cast<const std::byte*>(operands.data[k]);
          transpose(room[k], widest, from + at.offset[k] * element_bytes[k], row_loop.strides[k],
                    width, height, element_bytes[k]);
          at.offset[k] = 0;
        }
        for (std::int64_t y = 0; y < (joins ? 1 : height); ++y) {
          here.row(joins ? width * height : width, at.offset);
          for (int k = 0; k < N; ++k) at.offset[k] += columns[k];
        }
      }
    });
  }

  // Elements [begin, end) of the result in loop order.
  void range(std::int64_t begin, std::int64_t end) const {
    LoopPosition<N> at(g, begin);
    for (std::int64_t left = end - begin; left > 0;) {
      const std::int64_t n = std::min(left, g.innermost().size - at.at[g.dims - 1]);
      row(n, at.offset);
      left -= n;
      if (left > 0) at.advance(g, n);
    }
  }

#ifdef TD_DEVICE_CODE
  PointwiseKernels<N> kernels;
  void on_cuda(cudaStream_t stream) const;
#endif
};

/// The host's loop over elements that lie side by side.
template <class F, class Out, class... In>
struct PointwiseLoop {
  static void run(const std::byte* functor, std::int64_t n, void* const* operand) {
    apply(*reinterpret_cast<const F*>(functor), n, operand, std::index_sequence_for<In...>{});
  }

  template <std::size_t... K>
  static void apply(const F f, std::int64_t n, void* const* operand, std::index_sequence<K...>) {
    loop(f, n, static_cast<Out*>(operand[0]), static_cast<const In*>(operand[K + 1])...);
  }
  // The compiler vectorizes this loop, for which all of f must be inlined. An input may be the
  // result itself (in-place operations), element for element; ivdep says that this is all the
  // overlap there is.
  [[gnu::flatten]] static void loop(const F f, std::int64_t n, Out* out, const In*... x) {
    if constexpr (requires { f.row(n, out, x...); }) return f.row(n, out, x...);  // has its own
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(f(load(x[i])...));
  }
  // g++ 12 does not vectorize a loop that reads bool, so a bool is read as the byte that holds it.
  template <class T>
  static compute_t<T> load(const T& x) {
    if constexpr (std::is_same_v<T, bool>)
      return reinterpret_cast<const unsigned char&>(x) != 0;
    else
      return static_cast<compute_t<T>>(x);
  }
};

}  // namespace
}  // namespace td

#ifdef TD_DEVICE_CODE
#include "td/kernels/pointwise_cuda.h"
#endif

namespace td {
namespace {

// Completes `work` with what depends on the operands alone, and launches it. A 0-dimensional cpu
// tensor next to a device tensor is passed as a number in the arguments.
template <int N>
[[gnu::noinline]] void launch_pointwise(const char* name, PointwiseWork<N>& work,
                                        const Tensor* const (&operands)[N]) {
  if (operands[0]->numel() == 0) return;
  plan(work.g, operands);
  const Device device = operands[0]->device();
  for (int k = 0; k < N; ++k) {
    const Tensor& operand = *operands[k];
    const bool number = !device.is_cpu() && operand.is_cpu() && operand.dim() == 0;
    work.operands.data[k] = number ? nullptr : kernel_pointer<void>(operand);
    if (!number) continue;
    std::memcpy(work.operands.constants[k], operand.data_ptr(), operand.element_size());
    // Stride 0 means "one number" to all loops. A result without dimensions would give it stride 1.
    for (int d = 0; d < work.g.dims; ++d) work.g.loops[d].strides[k] = 0;
  }
  launch(name, device, work, TensorRefs(operands + 1, N - 1), TensorRefs(operands, 1));
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
  work.loop = &PointwiseLoop<F, Out, In...>::run;
  constexpr std::uint8_t bytes[N] = {sizeof(Out), sizeof(In)...};
  std::copy_n(bytes, N, work.element_bytes);
#ifdef TD_DEVICE_CODE
  work.kernels = pointwise_kernels<F, Out, In...>();
#endif
  launch_pointwise<N>(name, work, {&out, &in...});
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
