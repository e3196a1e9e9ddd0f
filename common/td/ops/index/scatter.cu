// Operations that write where an index tensor points: index_add, scatter, scatter_add. Checks,
// gradients and kernels; index_copy is a kernel of index_put_ (indexing.cu).
// Invariant: sources that go to one element get there in the order of the index. They are added one
// after another, each sum rounded to the type; without adding, the last one stays. The bits are
// therefore the same on every device and with any number of threads.
// A short index, and any index on the host, is walked line by line. A long one on cuda is sorted:
// the sort is stable, so sources of one destination become adjacent and keep their order.
#include "td/ops/index/index_shape.h"

namespace td {
namespace {

// From here on a sort, with its few launches, takes less time on a GPU than one thread per line.
constexpr std::int64_t kLongIndex = 17;

/// self[o, index[i], in] += alpha * source[o, i, in]; without kAdd, = source[o, i, in].
template <class T, bool kAdd>
struct Put {
  Block b;  // of self
  T* self;
  const T* source;
  double alpha = 1;

  TD_HD void put(T& to, T value) const {
    if constexpr (kAdd) {
      using C = compute_t<T>;
      to = static_cast<T>(static_cast<C>(to) + static_cast<C>(alpha) * static_cast<C>(value));
    } else {
      to = value;
    }
  }
};

// One worker per line (outer, inner) of the destination. The host takes adjacent lines together.
template <class T, bool kAdd>
struct PutLines {
  Put<T, kAdd> p;
  TD_HD std::int64_t cost() const { return 2 * p.b.picked; }
  TD_HD void operator()(std::int64_t line) const { adjacent(line, 1); }
  void range(std::int64_t from, std::int64_t to) const {
    while (from < to) {
      const std::int64_t end = std::min(to, (from / p.b.inner + 1) * p.b.inner);
      adjacent(from, end - from);
      from = end;
    }
  }
  // `lines` lines from `line`, all of one outer.
  TD_HD void adjacent(std::int64_t line, std::int64_t lines) const {
    const std::int64_t o = quotient(line, p.b.inner), first = line - o * p.b.inner;
    T* const self = p.self + o * p.b.n * p.b.inner + first;
    const T* const source = p.source + o * p.b.picked * p.b.inner + first;
    for (std::int64_t i = 0; i < p.b.picked; ++i) {
      T* const to = self + p.b.slice(i) * p.b.inner;
      const T* const from = source + i * p.b.inner;
      for (std::int64_t in = 0; in < lines; ++in) p.put(to[in], from[in]);
    }
  }
};

// Entry k of a sorted index: where the segment of equal entries that begins there ends; 0 when
// entry k - 1 is equal and none begins.
struct SegmentEnds {
  const std::int64_t *index, *order;
  std::int64_t* ends;
  std::int64_t count;
  TD_HD std::int64_t cost() const { return 32; }
  TD_HD void operator()(std::int64_t k) const {
    const std::int64_t at = index[order[k]];
    const bool begins = k == 0 || index[order[k - 1]] != at;
    std::int64_t low = begins ? k + 1 : 0, high = begins ? count : 0;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (index[order[middle]] == at)
        low = middle + 1;
      else
        high = middle;
    }
    ends[k] = low;
  }
};

// One worker per (outer, segment, inner), and as many without work as there are equal entries.
template <class T, bool kAdd>
struct PutSegments {
  Put<T, kAdd> p;
  const std::int64_t *order, *ends;
  TD_HD std::int64_t cost() const { return 8; }
  TD_HD void operator()(std::int64_t i) const {
    const std::int64_t slice = quotient(i, p.b.inner), o = quotient(slice, p.b.picked);
    const std::int64_t in = i - slice * p.b.inner, k = slice - o * p.b.picked, end = ends[k];
    if (end == 0) return;
    T& to = p.self[(o * p.b.n + p.b.slice(order[k])) * p.b.inner + in];
    const T* from = p.source + o * p.b.picked * p.b.inner + in;
    T value = to;
    for (std::int64_t j = kAdd ? k : end - 1; j < end; ++j)
      p.put(value, from[order[j] * p.b.inner]);
    to = value;
  }
};

template <class T, bool kAdd>
void put_by_sorting(const Put<T, kAdd>& put, const Tensor& self, const Tensor& index,
                    const Tensor& source) {
  const Device device = self.device();
  const Tensor order = empty_on(index.impl().sizes, kLong, device);
  const Tensor ends = empty_on(index.impl().sizes, kLong, device);
  kernels::sort_rows(order, index, false, put.b.picked);
  const SegmentEnds find{put.b.index, Pointer{order}, Pointer{ends}, put.b.picked};
  launch_index_kernel(put.b.op, device, find, put.b.picked, {&index, &order}, {&ends});
  const PutSegments<T, kAdd> work{put, find.order, find.ends};
  launch_index_kernel(put.b.op, device, work, put.b.outer * put.b.picked * put.b.inner,
                      {&index, &order, &ends, &source, &self}, {&self});
}

template <class T, bool kAdd>
void put_slices(const Put<T, kAdd>& put, const Tensor& self, const Tensor& index,
                const Tensor& source, bool sorted) {
  if (sorted || (self.is_cuda() && put.b.picked >= kLongIndex))
    return put_by_sorting(put, self, index, source);
  const PutLines<T, kAdd> work{put};
  launch_index_kernel(put.b.op, self.device(), work, put.b.outer * put.b.inner,
                      {&index, &source, &self}, {&self});
}

template <class T, bool kAdd>
struct Scatter {
  Lines l;
  Put<T, kAdd> p;
  TD_HD void operator()(std::int64_t i, std::int64_t line) const {
    p.put(p.self[l.element(i, line)], p.source[i]);
  }
};

// The element of the destination that each entry of the index names.
struct Destinations {
  Lines l;
  std::int64_t* out;
  TD_HD void operator()(std::int64_t i, std::int64_t line) const { out[i] = l.element(i, line); }
};

template <class T, bool kAdd>
void run_scatter(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                 const Tensor& source, bool sorted) {
  const Lines l = lines_of(op, self, index, dim);
  Put<T, kAdd> put{{}, Pointer{self}, Pointer{source}};
  if (!sorted && !(self.is_cuda() && l.length >= kLongIndex))
    return launch_lines(self.device(), Scatter<T, kAdd>{l, put}, {&index, &source, &self}, {&self});
  // self and source seen as one line each, with an index of elements.
  const Tensor elements = empty_on({index.numel()}, kLong, self.device());
  launch_elements(self.device(), Destinations{l, Pointer{elements}}, {&index}, {&elements});
  put.b = {op, Pointer{elements}, index.numel(), 1, self.numel(), 1};
  put_by_sorting(put, self, elements, source);
}

constexpr Op scatter_op{"scatter", {"input", "index", "source"}};
constexpr Op scatter_add_op{"scatter_add", {"input", "index", "source"}};
constexpr Op index_add_op{"index_add", {"input", "index", "source"}};

// Changes `self` in place by a kernel that needs dense memory, which `self` may not have.
template <class F>
void change(const char* op, const Tensor& self, F kernel) {
  begin_inplace(op, self);
  if (self.is_contiguous()) return kernel(self.detach());
  const NoGradGuard no_grad;
  const Tensor dense = self.detach().contiguous();
  kernel(dense);
  kernels::convert(self, dense);
}

void check_dtype(const char* op, const Tensor& self, const Tensor& source) {
  TD_CHECK(DtypeError, source.dtype() == self.dtype(), op, ": \"source\" is ", source.dtype(),
           " but \"input\" is ", self.dtype(), "; convert it with to(dtype)");
}

// Scatters or, with `add`, adds; `method` is what the program called, for error messages.
void scatter_in_place(const Op& op, const char* method, const Tensor& self, std::int64_t dim,
                      const Tensor& index, const Tensor& source, bool add) {
  const Device device = common_device(op, self, index, source);
  const std::int64_t d = wrap_dim(op.name, dim, self.dim());
  check_fits(op.name, self, index, d, false);
  check_fits(op.name, source, index, d, true);
  check_dtype(op.name, self, source);
  assert_no_overlap(method, self, index, "index");
  assert_no_overlap(method, self, source, "source");
  const Tensor at = checked_int64(op.name, index, device);
  Tensor used = source;  // the corner that the index covers
  for (std::int64_t k = 0; k < at.dim(); ++k)
    if (used.size(k) != at.size(k)) used = used.narrow(k, 0, at.size(k));
  const Tensor from = used.contiguous();
  change(method, self,
         [&](const Tensor& dense) { kernels::scatter(method, dense, d, at, from, add); });
  if (recording(self, source))
    record_in_place(
        op.name, self, {&self, &used}, [d, at = save(at), add](Gradients& grads, const Tensor& g) {
          grads.set_lazily(0, [&] { return add ? g : td::scatter(g, d, at(), Scalar(0)); });
          grads.set_lazily(1, [&] { return td::gather(g, d, at()); });
        });
}

}  // namespace

void kernels::index_add(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                        const Tensor& source, double alpha, bool sorted) {
  dispatch_numbers(op, self.dtype(), [&]<class T>(CppType<T>) {
    const Put<T, true> put{block_of(op, self, dim, index), Pointer{self}, Pointer{source}, alpha};
    put_slices(put, self, index, source, sorted);
  });
}

void kernels::index_copy(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                         const Tensor& source, bool sorted) {
  Block b = block_of(op, self, dim, index);
  const std::size_t bytes = static_cast<std::size_t>(b.inner) * self.element_size();
  dispatch_width(width_of(bytes, self.data_ptr(), source.data_ptr()), [&]<class T>(CppType<T>) {
    b.inner = static_cast<std::int64_t>(bytes / sizeof(T));
    const Put<T, false> put{b, Pointer{self}, Pointer{source}};
    put_slices(put, self, index, source, sorted);
  });
}

void kernels::scatter(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                      const Tensor& source, bool add, bool sorted) {
  if (add)
    dispatch_numbers(op, self.dtype(), [&]<class T>(CppType<T>) {
      run_scatter<T, true>(op, self, dim, index, source, sorted);
    });
  else
    dispatch_width(self.element_size(), [&]<class T>(CppType<T>) {
      run_scatter<T, false>(op, self, dim, index, source, sorted);
    });
}

namespace {

void index_add_in_place(const char* method, const Tensor& self, std::int64_t dim,
                        const Tensor& index, const Tensor& source, const Scalar& alpha) {
  const Device device = common_device(index_add_op, self, index, source);
  const std::int64_t d = wrap_dim(method, dim, self.dim());
  const Tensor at = checked_index(method, index, device).reshape({-1});
  Sizes wanted(self.sizes());
  if (!wanted.empty()) wanted[d] = at.numel();
  TD_CHECK(ShapeError, wanted == source.impl().sizes, method, ": \"source\" needs sizes ",
           IntArrayRef(wanted), " but has ", source.sizes());
  check_dtype(method, self, source);
  assert_no_overlap(method, self, index, "index");
  assert_no_overlap(method, self, source, "source");
  const Tensor from = source.contiguous();
  change(method, self, [&](const Tensor& dense) {
    kernels::index_add(method, dense, d, at, from, alpha.to<double>());
  });
  if (recording(self, source))
    record_in_place("index_add", self, {&self, &source},
                    [at = save(at), d, alpha](Gradients& grads, const Tensor& g) {
                      grads.set_lazily(0, [&] { return g; });
                      grads.set_lazily(1, [&] { return td::index_select(g, d, at()) * alpha; });
                    });
}

}  // namespace

Tensor& Tensor::index_add_(std::int64_t dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha) const {
  index_add_in_place("index_add_", *this, dim, index, source, alpha);
  return handle();
}

Tensor& Tensor::scatter_add_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  scatter_in_place(scatter_add_op, "scatter_add_", *this, dim, index, source, true);
  return handle();
}
Tensor& Tensor::scatter_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  scatter_in_place(scatter_op, "scatter_", *this, dim, index, source, false);
  return handle();
}
Tensor& Tensor::scatter_(std::int64_t dim, const Tensor& index, const Scalar& value) const {
  if (!index.defined()) undefined_argument("scatter", "index");
  return scatter_(dim, index, full(index.sizes(), value, options()));
}

// Copies first: the same operation on a tensor of its own.
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source) {
  device_of("scatter", input);
  const Tensor y = input.clone();
  scatter_in_place(scatter_op, "scatter", y, dim, index, source, false);
  return y;
}
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Scalar& value) {
  device_of("scatter", input);
  if (!index.defined()) undefined_argument("scatter", "index");
  return td::scatter(input, dim, index, full(index.sizes(), value, input.options()));
}
Tensor scatter_add_impl(const Tensor& input, std::int64_t dim, const Tensor& index,
                        const Tensor& source) {
  device_of("scatter_add", input);
  const Tensor y = input.clone();
  scatter_in_place(scatter_add_op, "scatter_add", y, dim, index, source, true);
  return y;
}
Tensor index_add(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  device_of("index_add", input);
  const Tensor y = input.clone();
  index_add_in_place("index_add", y, dim, index, source, alpha);
  return y;
}

}  // namespace td
