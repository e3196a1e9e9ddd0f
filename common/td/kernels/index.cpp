// The index shape: kernels that read or add where an index tensor says.
// Adding is done by one worker per destination line, in the order of the index: the same sums, bit
// for bit, on every device and with any number of threads.
#define TD_KERNEL_FILE
#include "td/kernels/kernels.h"
#include "td/kernels/out_of_range.h"
#include "td/kernels/workers.h"

namespace td {
namespace {

/// x seen as [outer, n, inner] around the indexed dimension.
struct Block {
  std::int64_t outer = 1, n = 1, inner = 1;
};

Block block_of(const Tensor& x, std::int64_t dim) {
  Block b;
  for (std::int64_t d = 0; d < x.dim(); ++d)
    (d < dim ? b.outer : d == dim ? b.n : b.inner) *= x.sizes()[static_cast<std::size_t>(d)];
  return b;
}

// One worker an element of the result; elements of one slice share their index.
template <class T>
struct Select {
  const char* op;
  const T* x;
  const std::int64_t* index;
  T* out;
  Block b;  // of x
  std::int64_t picked;
  TD_HD std::int64_t cost() const { return 4; }
  TD_HD void operator()(std::int64_t i) const {
    const std::int64_t in = i % b.inner, slice = i / b.inner;
    const std::int64_t at = index[slice % picked];
    if (at < 0 || at >= b.n) out_of_range(op, "index", at, b.n);
    out[i] = x[(slice / picked * b.n + at) * b.inner + in];
  }
};

// One worker a line (outer, inner) of the destination.
template <class T>
struct IndexAdd {
  const char* op;
  T* self;
  const std::int64_t* index;
  const T* source;
  Block b;  // of self
  std::int64_t picked;
  double alpha;
  TD_HD std::int64_t cost() const { return 2 * picked; }
  TD_HD void operator()(std::int64_t line) const {
    using C = compute_t<T>;
    const std::int64_t in = line % b.inner, out = line / b.inner;
    for (std::int64_t i = 0; i < picked; ++i) {
      const std::int64_t at = index[i];
      if (at < 0 || at >= b.n) out_of_range(op, "index", at, b.n);
      T& to = self[(out * b.n + at) * b.inner + in];
      const C value = static_cast<C>(source[(out * picked + i) * b.inner + in]);
      to = static_cast<T>(static_cast<C>(to) + static_cast<C>(alpha) * value);
    }
  }
};

/// Where the lines along `dim` of an index tensor meet the lines of the tensor it indexes, whose
/// other dimensions may be larger.
struct Lines {
  int dims = 0;
  std::int64_t sizes[kMaxDims];    // of the index, without dim
  std::int64_t strides[kMaxDims];  // of the indexed tensor
  std::int64_t length = 1;         // of the index along dim
  std::int64_t n = 1;              // of the indexed tensor along dim
  std::int64_t step = 1;           // its stride there
  std::int64_t inner = 1;          // stride of the index along dim
  /// First element of line i in the indexed tensor.
  TD_HD std::int64_t base(std::int64_t i) const {
    std::int64_t at = 0;
    for (int d = dims - 1; d >= 0; --d) {
      at += i % sizes[d] * strides[d];
      i /= sizes[d];
    }
    return at;
  }
  /// First element of line i in the index tensor.
  TD_HD std::int64_t own(std::int64_t i) const { return i / inner * (length * inner) + i % inner; }
};

Lines lines_of(const Tensor& indexed, const Tensor& index, std::int64_t dim) {
  Lines l;
  const Sizes strides = contiguous_strides(indexed.sizes());
  for (std::int64_t d = 0; d < index.dim(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (d == dim) {
      l.length = index.sizes()[at];
      l.n = indexed.sizes()[at];
      l.step = strides[at];
      continue;
    }
    if (d > dim) l.inner *= index.sizes()[at];
    l.sizes[l.dims] = index.sizes()[at];
    l.strides[l.dims++] = strides[at];
  }
  return l;
}

template <class T>
struct Gather {
  const T* x;
  const std::int64_t* index;
  T* out;
  Lines l;
  TD_HD std::int64_t cost() const { return 4 * l.length; }
  TD_HD void operator()(std::int64_t line) const {
    const std::int64_t from = l.base(line), own = l.own(line);
    for (std::int64_t i = 0; i < l.length; ++i) {
      const std::int64_t at = index[own + i * l.inner];
      if (at < 0 || at >= l.n) out_of_range("gather", "index", at, l.n);
      out[own + i * l.inner] = x[from + at * l.step];
    }
  }
};

template <class T, bool kAdd>
struct Scatter {
  const char* op;
  T* self;
  const std::int64_t* index;
  const T* source;
  Lines l;
  TD_HD std::int64_t cost() const { return 4 * l.length; }
  TD_HD void operator()(std::int64_t line) const {
    using C = compute_t<T>;
    const std::int64_t base = l.base(line), own = l.own(line);
    for (std::int64_t i = 0; i < l.length; ++i) {
      const std::int64_t at = index[own + i * l.inner];
      if (at < 0 || at >= l.n) out_of_range(op, "index", at, l.n);
      T& to = self[base + at * l.step];
      const T value = source[own + i * l.inner];
      if constexpr (kAdd)
        to = static_cast<T>(static_cast<C>(to) + static_cast<C>(value));
      else
        to = value;
    }
  }
};

struct FoldIndex {
  const char* op;
  std::int64_t* rows;
  const std::int64_t* index;
  std::int64_t n;
  TD_HD std::int64_t cost() const { return 4; }
  TD_HD void operator()(std::int64_t i) const {
    const std::int64_t at = index[i];
    if (at < -n || at >= n) out_of_range(op, "index", at, n, -n);
    rows[i] = rows[i] * n + (at < 0 ? at + n : at);
  }
};

// Kernels that only move elements know them by their width alone.
template <class F>
void dispatch_width(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(CppType<std::uint8_t>{});
    case 2:
      return f(CppType<std::uint16_t>{});
    case 4:
      return f(CppType<std::uint32_t>{});
    default:
      return f(CppType<std::uint64_t>{});
  }
}

std::int64_t lines(const Tensor& index, std::int64_t dim) {
  const std::int64_t length = index.dim() ? index.size(dim) : 1;
  return length ? index.numel() / length : 0;
}

}  // namespace

namespace kernels {

void index_select(const char* op, const Tensor& out, const Tensor& x, std::int64_t dim,
                  const Tensor& index) {
  dispatch_width(x.element_size(), [&](auto type) {
    using T = typename decltype(type)::type;
    const Select<T> work{op,
                         kernel_pointer<const T>(x),
                         kernel_pointer<const std::int64_t>(index),
                         kernel_pointer<T>(out),
                         block_of(x, dim),
                         index.numel()};
    launch_workers(op, out.device(), work, out.numel(), {&x, &index}, {&out});
  });
}

void index_add(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
               const Tensor& source, double alpha) {
  dispatch_numbers(op, self.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const Block b = block_of(self, dim);
    const IndexAdd<T> work{op,
                           kernel_pointer<T>(self),
                           kernel_pointer<const std::int64_t>(index),
                           kernel_pointer<const T>(source),
                           b,
                           index.numel(),
                           alpha};
    launch_workers(op, self.device(), work, b.outer * b.inner, {&index, &source, &self}, {&self});
  });
}

void gather(const Tensor& out, const Tensor& x, std::int64_t dim, const Tensor& index) {
  dispatch_width(x.element_size(), [&](auto type) {
    using T = typename decltype(type)::type;
    const Gather<T> work{kernel_pointer<const T>(x), kernel_pointer<const std::int64_t>(index),
                         kernel_pointer<T>(out), lines_of(x, index, dim)};
    launch_workers("gather", out.device(), work, lines(index, dim), {&x, &index}, {&out});
  });
}

void fold_index(const char* op, const Tensor& rows, const Tensor& index, std::int64_t n) {
  const FoldIndex work{op, kernel_pointer<std::int64_t>(rows),
                       kernel_pointer<const std::int64_t>(index), n};
  launch_workers(op, rows.device(), work, rows.numel(), {&index, &rows}, {&rows});
}

void scatter(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
             const Tensor& source, bool add) {
  const auto run = [&](auto type, auto adds) {
    using T = typename decltype(type)::type;
    const Scatter<T, decltype(adds)::value> work{
        op, kernel_pointer<T>(self), kernel_pointer<const std::int64_t>(index),
        kernel_pointer<const T>(source), lines_of(self, index, dim)};
    launch_workers(op, self.device(), work, lines(index, dim), {&index, &source, &self}, {&self});
  };
  if (add)
    dispatch_numbers(op, self.dtype(), [&](auto type) { run(type, std::true_type{}); });
  else
    dispatch_width(self.element_size(), [&](auto type) { run(type, std::false_type{}); });
}

}  // namespace kernels
}  // namespace td
