// Kernels that read where an index tensor says: index_select, gather, and the row numbers of an
// index in several dimensions. put.cpp writes where an index says.
#include "td/ops/index/index_shape.h"
#include "td/kernels/kernels.h"

namespace td {
namespace {

// out[o, i, in] = x[o, index[i], in]: on cuda one worker per element, on the host one per slice.
template <class T>
struct SelectElements {
  Block b;  // of x
  const T* x;
  T* out;
  TD_HD std::int64_t cost() const { return 4; }
  TD_HD void operator()(std::int64_t i) const {
    const std::int64_t slice = quotient(i, b.inner), o = quotient(slice, b.picked);
    out[i] = x[(o * b.n + b.slice(slice - o * b.picked) - slice) * b.inner + i];
  }
};
template <class T>
struct SelectSlices {
  Block b;
  const T* x;
  T* out;
  TD_HD std::int64_t cost() const { return 4 + b.inner; }
  TD_HD void operator()(std::int64_t slice) const {
    const std::int64_t o = quotient(slice, b.picked);
    const T* from = x + (o * b.n + b.slice(slice - o * b.picked)) * b.inner;
    for (std::int64_t in = 0; in < b.inner; ++in) out[slice * b.inner + in] = from[in];
  }
};

template <class T>
struct Gather {
  Lines l;
  const T* x;
  T* out;
  TD_HD void operator()(std::int64_t i, std::int64_t line) const { out[i] = x[l.element(i, line)]; }
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

}  // namespace

namespace kernels {

void index_select(const char* op, const Tensor& out, const Tensor& x, std::int64_t dim,
                  const Tensor& index) {
  Block b = block_of(op, x, dim, index);
  const std::size_t bytes = static_cast<std::size_t>(b.inner) * x.element_size();
  dispatch_width(width_of(bytes, x.data_ptr(), out.data_ptr()), [&](auto type) {
    using T = typename decltype(type)::type;
    b.inner = static_cast<std::int64_t>(bytes / sizeof(T));
    const T* from = kernel_pointer<const T>(x);
    T* to = kernel_pointer<T>(out);
    const std::int64_t slices = b.inner ? b.outer * b.picked : 0;
    if (out.device().is_cuda())
      launch_workers(op, out.device(), SelectElements<T>{b, from, to}, slices * b.inner,
                     {&x, &index}, {&out});
    else
      launch_workers(op, out.device(), SelectSlices<T>{b, from, to}, slices, {&x, &index}, {&out});
  });
}

void gather(const Tensor& out, const Tensor& x, std::int64_t dim, const Tensor& index) {
  dispatch_width(x.element_size(), [&](auto type) {
    using T = typename decltype(type)::type;
    const Gather<T> work{lines_of("gather", x, index, dim), kernel_pointer<const T>(x),
                         kernel_pointer<T>(out)};
    launch_elements(out.device(), work, {&x, &index}, {&out});
  });
}

void fold_index(const char* op, const Tensor& rows, const Tensor& index, std::int64_t n) {
  const FoldIndex work{op, kernel_pointer<std::int64_t>(rows),
                       kernel_pointer<const std::int64_t>(index), n};
  launch_workers(op, rows.device(), work, rows.numel(), {&index, &rows}, {&rows});
}

}  // namespace kernels
}  // namespace td
