// The index shape: how kernels that read or write where an index tensor says find their elements.
// `Block` is for one index per slice (index_select, index_add), `Lines` for one per element
// (gather, scatter). Included by kernel files only: those of this folder, and views/triangle.cu for
// dispatch_width.
#pragma once

#include "td/kernels/geometry.h"
#include "td/kernels/index_kernel.h"
#include "td/ops/op.h"

namespace td {
namespace {

/// A tensor seen as [outer, n, inner] around the indexed dimension, and an index with `picked`
/// entries: slice i of [outer, picked, inner] corresponds to slice index[i] of the tensor.
struct Block {
  const char* op;
  const std::int64_t* index;
  std::int64_t picked;
  std::int64_t outer = 1, n = 1, inner = 1;

  /// Entry i of the index. @throws ShapeError when there is no such slice.
  TD_HD std::int64_t slice(std::int64_t i) const {
    const std::int64_t at = index[i];
    if (at < 0 || at >= n) out_of_range(op, "index", at, n);
    return at;
  }
};

inline Block block_of(const char* op, const Tensor& x, std::int64_t dim, const Tensor& index) {
  Block b{op, Pointer{index}, index.numel()};
  for (std::int64_t d = 0; d < x.dim(); ++d)
    (d < dim ? b.outer : d == dim ? b.n : b.inner) *= x.sizes()[d];
  return b;
}

/// Maps the lines along `dim` of an index tensor to lines of the tensor that it indexes, whose
/// other dimensions may be larger.
struct Lines {
  const char* op;
  const std::int64_t* index;
  Loops loops = {};         // sizes of the index; strides of the indexed tensor, 0 along dim
  std::int64_t lines = 1;   // of the index
  std::int64_t length = 1;  // of the index along dim
  std::int64_t inner = 1;   // stride of the index along dim
  std::int64_t n = 1;       // of the indexed tensor along dim
  std::int64_t step = 1;    // its stride there

  /// Where element i of the index has its line in the indexed tensor.
  TD_HD std::int64_t line_of(std::int64_t i) const { return loops.offset(i); }
  /// The element that entry i of the index names, in the line that begins at `line`.
  TD_HD std::int64_t element(std::int64_t i, std::int64_t line) const {
    const std::int64_t at = index[i];
    if (at < 0 || at >= n) out_of_range(op, "index", at, n);
    return line + at * step;
  }
};

inline Lines lines_of(const char* op, const Tensor& indexed, const Tensor& index,
                      std::int64_t dim) {
  Lines l{op, Pointer{index}};
  const Sizes& strides = indexed.impl().strides;
  for (std::int64_t d = 0; d < index.dim(); ++d) {
    const std::int64_t size = index.sizes()[d];
    l.loops.append(size, d == dim ? 0 : strides[d]);
    if (d > dim) l.inner *= size;
    if (d == dim)
      l.length = size, l.n = indexed.sizes()[d], l.step = strides[d];
    else
      l.lines *= size;
  }
  return l;
}

/// Workers that call f(i, l.line_of(i)) for elements i of the index, where l is f's Lines: one
/// worker per element, or one per line, which keeps the order of the index.
template <class F>
struct EachElement {
  F f;
  TD_HD std::int64_t cost() const { return 8; }
  TD_HD void operator()(std::int64_t i) const { f(i, f.l.line_of(i)); }
};
template <class F>
struct EachLine {
  F f;
  TD_HD std::int64_t cost() const { return 4 * f.l.length; }
  TD_HD void operator()(std::int64_t line) const {
    std::int64_t i = line + quotient(line, f.l.inner) * (f.l.length - 1) * f.l.inner;
    const std::int64_t start = f.l.line_of(i);
    for (std::int64_t k = 0; k < f.l.length; ++k, i += f.l.inner) f(i, start);
  }
};

/// The same for neighboring lines side by side, in the order of memory: for the host.
template <class F>
struct EachStrip {
  static constexpr std::int64_t kWidth = 64;
  F f;
  TD_HD std::int64_t across() const { return (f.l.inner + kWidth - 1) / kWidth; }
  TD_HD std::int64_t cost() const { return 4 * f.l.length * kWidth; }
  TD_HD void operator()(std::int64_t strip) const {
    const std::int64_t inner = f.l.inner, outer = quotient(strip, across());
    const std::int64_t first = (strip - outer * across()) * kWidth;
    const std::int64_t width = inner - first < kWidth ? inner - first : kWidth;
    std::int64_t i = outer * f.l.length * inner + first, starts[kWidth];
    for (std::int64_t c = 0; c < width; ++c) starts[c] = f.l.line_of(i + c);
    for (std::int64_t k = 0; k < f.l.length; ++k, i += inner)
      for (std::int64_t c = 0; c < width; ++c) f(i + c, starts[c]);
  }
};

template <class F>
void launch_lines(Device device, const F& f, std::initializer_list<const Tensor*> reads,
                  std::initializer_list<const Tensor*> writes) {
  const Lines& l = f.l;
  const std::int64_t lines = l.length ? l.lines : 0;
  if (device.is_cuda() || l.inner == 1)
    return launch_index_kernel(l.op, device, EachLine<F>{f}, lines, reads, writes);
  const EachStrip<F> strips{f};
  launch_index_kernel(l.op, device, strips, lines ? lines / l.inner * strips.across() : 0, reads,
                      writes);
}
/// For an f whose calls do not depend on their order. The host walks lines here too, because it
/// finds the next element of a line more cheaply than an element's line.
template <class F>
void launch_elements(Device device, const F& f, std::initializer_list<const Tensor*> reads,
                     std::initializer_list<const Tensor*> writes) {
  if (!device.is_cuda()) return launch_lines(device, f, reads, writes);
  launch_index_kernel(f.l.op, device, EachElement<F>{f}, f.l.lines * f.l.length, reads, writes);
}

/// Kernels that only move elements depend on their width alone; the widest is for slices that can
/// be moved in larger pieces.
struct alignas(16) Bytes16 {
  std::uint64_t half[2];
};
template <class F>
void dispatch_width(std::size_t bytes, F&& f) {
  if (bytes == 1) return f(CppType<std::uint8_t>{});
  if (bytes == 2) return f(CppType<std::uint16_t>{});
  if (bytes == 4) return f(CppType<std::uint32_t>{});
  if (bytes == 8) return f(CppType<std::uint64_t>{});
  f(CppType<Bytes16>{});
}

/// The largest power of two, up to 16, that divides slices of `bytes` bytes and both addresses.
inline std::size_t width_of(std::size_t bytes, const void* a, const void* b) {
  const std::size_t bits =
      bytes | reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) | 16;
  return bits & -bits;
}

/// `index` as contiguous int64 on `device`. @throws DtypeError unless it holds integers.
inline Tensor checked_index(const char* op, const Tensor& index, Device device) {
  TD_CHECK(DtypeError, index.dtype() == kLong || index.dtype() == kInt, op,
           ": \"index\" must be int64 but is ", index.dtype(), "; convert it with to(kInt64)");
  return index.to(device, kLong).contiguous();
}

/// The same for gather and scatter, which take no int32, and check the type only where there are
/// elements: both as in libtorch.
inline Tensor checked_int64(const char* op, const Tensor& index, Device device) {
  if (index.numel() == 0) return empty_on(Sizes(index.sizes()), kLong, device);
  TD_CHECK(DtypeError, index.dtype() == kLong, op, ": \"index\" must be int64 but is ",
           index.dtype(), "; convert it with to(kInt64)");
  return checked_index(op, index, device);
}

/// The type in which the gradients of equal indices are added. A sum of many 16-bit numbers, each
/// rounded, would stop growing.
inline ScalarType sum_dtype(const Tensor& gradient) {
  return promote_types(gradient.dtype(), kFloat);
}

/// gather and scatter: index may be smaller than `x` except along dim; a scalar counts as size 1.
inline void check_fits(const char* op, const Tensor& x, const Tensor& index, std::int64_t dim,
                       bool along) {
  bool fits = x.dim() == index.dim();
  for (std::int64_t d = 0; fits && d < x.dim(); ++d)
    fits = (d == dim && !along) || index.size(d) <= x.size(d);
  TD_CHECK(ShapeError, fits || index.numel() == 0, op, ": \"index\" of sizes ", index.sizes(),
           " does not fit into a tensor of sizes ", x.sizes(),
           along ? "" : " (other than along dim)");
}

}  // namespace
}  // namespace td
