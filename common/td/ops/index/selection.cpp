// Selection by index: index_select, gather, scatter, index_add, embedding. Reading and adding are
// each other's gradients.
#include "td/ops/index/selection.h"

#include "td/ops/op.h"

namespace td {

Tensor checked_index(const Op& op, const Tensor& index, Device device) {
  TD_CHECK(DtypeError, index.dtype() == kLong || index.dtype() == kInt, op.name,
           ": \"index\" must be int64 but is ", index.dtype(), "; convert it with to(kInt64)");
  return index.to(device, kLong).contiguous();
}

namespace {

// gather and scatter take no int32, and look at the type only where there are elements: both as in
// libtorch.
Tensor checked_int64(const Op& op, const Tensor& index, Device device) {
  if (index.numel() == 0) return empty_on(Sizes(index.sizes()), kLong, device);
  TD_CHECK(DtypeError, index.dtype() == kLong, op.name, ": \"index\" must be int64 but is ",
           index.dtype(), "; convert it with to(kInt64)");
  return checked_index(op, index, device);
}

constexpr Op select_op{"index_select", {"input", "index"}}, gather_op{"gather", {"input", "index"}};
constexpr Op scatter_op{"scatter", {"input", "index", "source"}};
constexpr Op scatter_add_op{"scatter_add", {"input", "index", "source"}};
constexpr Op index_add_op{"index_add", {"input", "index", "source"}};
constexpr Op embedding_op{"embedding", {"weight", "index"}};

// Runs a kernel that needs dense memory on a tensor that may not have it.
template <class F>
void on_dense(const Tensor& self, F kernel) {
  if (self.is_contiguous()) return kernel(self.detach());
  const NoGradGuard no_grad;
  const Tensor dense = self.detach().contiguous();
  kernel(dense);
  kernels::convert(self, dense);
}

// gather and scatter: index may be smaller than `x` except along dim; a scalar counts as size 1.
void check_fits(const Op& op, const Tensor& x, const Tensor& index, std::int64_t dim, bool along) {
  bool fits = x.dim() == index.dim();
  for (std::int64_t d = 0; fits && d < x.dim(); ++d)
    fits = (d == dim && !along) || index.size(d) <= x.size(d);
  TD_CHECK(ShapeError, fits || index.numel() == 0, op.name, ": \"index\" of sizes ", index.sizes(),
           " does not fit into a tensor of sizes ", x.sizes(),
           along ? "" : " (other than along dim)");
}

struct Places {
  std::int64_t dim;
  Tensor index;
};

Places check_scatter(const Op& op, const Tensor& self, std::int64_t dim, const Tensor& index,
                     const Tensor& source) {
  const Device device = common_device(op, self, index, source);
  const std::int64_t d = wrap_dim(op.name, dim, self.dim());
  check_fits(op, self, index, d, false);
  check_fits(op, source, index, d, true);
  TD_CHECK(DtypeError, source.dtype() == self.dtype(), op.name, ": \"source\" is ", source.dtype(),
           " but \"input\" is ", self.dtype(), "; convert it with to(dtype)");
  return {d, checked_int64(op, index, device)};
}

// The corner of `source` that the index covers.
Tensor covered(const Tensor& source, const Tensor& index) {
  Tensor part = source;
  for (std::int64_t d = 0; d < index.dim(); ++d)
    if (part.size(d) != index.size(d)) part = part.narrow(d, 0, index.size(d));
  return part;
}

Tensor spread_back(const Tensor& g, const Sizes& sizes, std::int64_t dim, const Tensor& index) {
  return zeros(sizes, g.options()).index_add_(dim, index, g);
}

}  // namespace

Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& index) {
  const Device device = common_device(select_op, input, index);
  if (!index.defined()) undefined_argument(select_op, 1);
  TD_CHECK(ShapeError, index.dim() <= 1,
           "index_select: \"index\" must have one dimension but has sizes ", index.sizes());
  if (input.dim() == 0) return index_select(input.reshape({1}), 0, index).reshape({});
  const std::int64_t d = wrap_dim("index_select", dim, input.dim());
  const Tensor at = checked_index(select_op, index, device);
  const Tensor x = input.contiguous();
  Sizes sizes(x.sizes());
  sizes[static_cast<std::size_t>(d)] = at.numel();
  Tensor y = empty_on(sizes, x.dtype(), device);
  kernels::index_select("index_select", y, x, d, at);
  if (recording(x))
    record("index_select", y, {&x},
           [at, d, from = Sizes(x.sizes())](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return spread_back(g, from, d, at); });
           });
  return y;
}

Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index) {
  const Device device = common_device(gather_op, input, index);
  if (!index.defined()) undefined_argument(gather_op, 1);
  const std::int64_t d = wrap_dim("gather", dim, input.dim());
  check_fits(gather_op, input, index, d, false);
  const Tensor at = checked_int64(gather_op, index, device), x = input.contiguous();
  Tensor y = empty_on(Sizes(at.sizes()), x.dtype(), device);
  kernels::gather(y, x, d, at);
  if (recording(x))
    record("gather", y, {&x}, [at, d, from = Sizes(x.sizes())](Gradients& grads, const Tensor& g) {
      grads.set_lazily(0, [&] { return zeros(from, g.options()).scatter_add_(d, at, g); });
    });
  return y;
}

Tensor& Tensor::index_add_(std::int64_t dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha) const {
  const Device device = common_device(index_add_op, *this, index, source);
  const std::int64_t d = wrap_dim("index_add_", dim, this->dim());
  const Tensor at = checked_index(index_add_op, index, device).reshape({-1});
  Sizes wanted(sizes());
  if (!wanted.empty()) wanted[static_cast<std::size_t>(d)] = at.numel();
  TD_CHECK(ShapeError, wanted == source.impl().sizes, "index_add_: \"source\" needs sizes ",
           IntArrayRef(wanted), " but has ", source.sizes());
  TD_CHECK(DtypeError, source.dtype() == dtype(), "index_add_: \"source\" is ", source.dtype(),
           " but \"input\" is ", dtype(), "; convert it with to(dtype)");
  check_inplace("index_add_", *this);
  increment_version(*this);
  const Tensor from = source.contiguous();
  on_dense(*this, [&](const Tensor& dense) {
    kernels::index_add("index_add_", dense, d, at, from, alpha.to<double>());
  });
  if (recording(*this, source))
    record_in_place("index_add", *this, {this, &source},
                    [at, d, alpha](Gradients& grads, const Tensor& g) {
                      grads.set_lazily(0, [&] { return g; });
                      grads.set_lazily(1, [&] { return td::index_select(g, d, at) * alpha; });
                    });
  return handle();
}

Tensor& Tensor::scatter_add_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  const Places p = check_scatter(scatter_add_op, *this, dim, index, source);
  check_inplace("scatter_add_", *this);
  increment_version(*this);
  const Tensor from = covered(source, p.index).contiguous();
  on_dense(*this, [&](const Tensor& dense) {
    kernels::scatter("scatter_add_", dense, p.dim, p.index, from, true);
  });
  if (recording(*this, source)) {
    const Tensor& used = covered(source, p.index);
    record_in_place("scatter_add", *this, {this, &used}, [p](Gradients& grads, const Tensor& g) {
      grads.set_lazily(0, [&] { return g; });
      grads.set_lazily(1, [&] { return td::gather(g, p.dim, p.index); });
    });
  }
  return handle();
}

Tensor& Tensor::scatter_(std::int64_t dim, const Tensor& index, const Tensor& source) const {
  const Places p = check_scatter(scatter_op, *this, dim, index, source);
  check_inplace("scatter_", *this);
  increment_version(*this);
  const Tensor from = covered(source, p.index).contiguous();
  on_dense(*this, [&](const Tensor& dense) {
    kernels::scatter("scatter_", dense, p.dim, p.index, from, false);
  });
  if (recording(*this, source)) {
    const Tensor& used = covered(source, p.index);
    record_in_place("scatter", *this, {this, &used}, [p](Gradients& grads, const Tensor& g) {
      grads.set_lazily(0, [&] { return td::scatter(g, p.dim, p.index, Scalar(0)); });
      grads.set_lazily(1, [&] { return td::gather(g, p.dim, p.index); });
    });
  }
  return handle();
}

Tensor& Tensor::scatter_(std::int64_t dim, const Tensor& index, const Scalar& value) const {
  if (!index.defined()) undefined_argument(scatter_op, 1);
  return scatter_(dim, index, full(index.sizes(), value, options()));
}

Tensor embedding(const Tensor& weight, const Tensor& indices, std::int64_t padding_idx) {
  const Device device = common_device(embedding_op, weight, indices);
  if (!indices.defined()) undefined_argument(embedding_op, 1);
  TD_CHECK(ShapeError, weight.dim() == 2,
           "embedding: \"weight\" must be [rows, features] but has sizes ", weight.sizes());
  const Tensor at = checked_index(embedding_op, indices, device).reshape({-1});
  const Tensor w = weight.contiguous();
  Sizes sizes(indices.sizes());
  sizes.push_back(w.size(1));
  Tensor y = empty_on(sizes, w.dtype(), device);
  kernels::index_select("embedding", y, w, 0, at);
  if (recording(w))
    record("embedding", y, {&w},
           [at, padding_idx, from = Sizes(w.sizes())](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] {
               const Tensor rows = g.reshape({at.numel(), from[1]});
               const Tensor all = spread_back(rows, from, 0, at);
               if (padding_idx < 0) return all;
               const Tensor row =
                   arange(from[0], TensorOptions(kLong).device(g.device())).unsqueeze(1);
               return all.masked_fill(row.eq(Scalar(padding_idx)), 0);
             });
           });
  return y;
}

// Copies first: the same operation on a tensor of its own.
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source) {
  if (!input.defined()) undefined_argument(scatter_op, 0);
  return input.clone().scatter_(dim, index, source);
}
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Scalar& value) {
  if (!input.defined()) undefined_argument(scatter_op, 0);
  return input.clone().scatter_(dim, index, value);
}
Tensor scatter_add_impl(const Tensor& input, std::int64_t dim, const Tensor& index,
                        const Tensor& source) {
  if (!input.defined()) undefined_argument(scatter_add_op, 0);
  return input.clone().scatter_add_(dim, index, source);
}
Tensor index_add(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  if (!input.defined()) undefined_argument(index_add_op, 0);
  return input.clone().index_add_(dim, index, source, alpha);
}

}  // namespace td
