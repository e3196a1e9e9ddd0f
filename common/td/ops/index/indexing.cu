// Indexing with braces: index({...}) and index_put_({...}, values).
// Numbers, slices and new dimensions make a view. Tensors among the indices then choose elements of
// the view: its indexed dimensions are moved to the front and joined into one, in which the index
// tensors, broadcast together, become row numbers.
#include "td/tensor/braces.h"

#include "td/ops/index/index_shape.h"

namespace td {
namespace {

using indexing::TensorIndex;

constexpr Op index_op{"index", {"input", "indices"}};
constexpr Op put_op{"index_put_", {"input", "indices"}};
constexpr Op values_op{"index_put_", {"input", "values"}};

bool is_mask(const Tensor& t) { return t.dtype() == kBool || t.dtype() == kByte; }

// A view of the tensor, and for each of its dimensions an index tensor or an undefined one.
struct Choice {
  Tensor view;
  TensorList at;
  bool has_tensors() const {
    return std::any_of(at.begin(), at.end(), [](const Tensor& t) { return t.defined(); });
  }
};

// How many dimensions an index stands for.
std::int64_t dims_of(const TensorIndex& index) {
  using Kind = TensorIndex::Kind;
  if (index.kind == Kind::Tensor) return is_mask(index.tensor) ? index.tensor.dim() : 1;
  return index.kind == Kind::Integer || index.kind == Kind::Slice ? 1 : 0;
}

// Applies the indices one by one. `dim_` is the dimension of the view that comes next, `input_dim_`
// the same dimension of the tensor that is indexed, which messages name.
class Chooser {
 public:
  Chooser(const Op& op, const Tensor& self) : op_(op) { choice_.view = self; }

  Choice choose(const std::vector<TensorIndex>& indices) {
    TD_CHECK(Error, !indices.empty(), op_.name,
             ": there are no indices; give at least one, or \"...\" for the whole tensor");
    std::int64_t spoken_of = 0;
    for (const TensorIndex& index : indices) spoken_of += dims_of(index);
    const std::int64_t left = choice_.view.dim() - spoken_of;
    TD_CHECK(ShapeError, left >= 0, op_.name, ": ", spoken_of, " indices for a ",
             choice_.view.dim(), "-dimensional tensor");
    for (const TensorIndex& index : indices) {
      apply(index, left);
      input_dim_ += index.kind == TensorIndex::Kind::Ellipsis ? left : dims_of(index);
    }
    choice_.at.resize(static_cast<std::size_t>(choice_.view.dim()));
    return choice_;
  }

 private:
  void apply(const TensorIndex& index, std::int64_t left) {
    Tensor& view = choice_.view;
    switch (index.kind) {
      case TensorIndex::Kind::Integer:
        return select(index.integer);
      case TensorIndex::Kind::Slice:
        view = view.slice(dim_++, index.slice.start, index.slice.stop, index.slice.step);
        return;
      case TensorIndex::Kind::Ellipsis:
        dim_ += left;
        return;
      case TensorIndex::Kind::None:
        view = view.unsqueeze(dim_++);
        return;
      case TensorIndex::Kind::Boolean:
        return keep_or_drop(index.integer != 0);
      case TensorIndex::Kind::Tensor:
        return apply_tensor(index.tensor);
    }
  }
  void select(std::int64_t index) {
    const std::int64_t n = choice_.view.size(dim_);
    TD_CHECK(ShapeError, index >= -n && index < n, op_.name, ": index ", index,
             " is out of range for dimension ", input_dim_, " of size ", n);
    choice_.view = choice_.view.select(dim_, index);
  }
  // true keeps the tensor in a new dimension of size 1; false makes that dimension empty.
  void keep_or_drop(bool keep) {
    choice_.view = choice_.view.unsqueeze(dim_);
    put(zeros({keep ? 1 : 0}, TensorOptions(kLong).device(choice_.view.device())));
  }
  void apply_tensor(const Tensor& index) {
    common_device(op_, choice_.view, index);
    const Tensor t = index.dtype() == kInt ? index.to(kLong) : index;
    TD_CHECK(DtypeError, t.dtype() == kLong || is_mask(t), op_.name,
             ": an index tensor must be int64, int32 or bool but is ", t.dtype(),
             "; convert it with to(kInt64)");
    const bool number = t.dim() == 0 && t.dtype() == kLong;
    if (number || is_mask(t)) check_may_wait(op_.name, t.device());
    if (t.dim() == 0 && is_mask(t)) return keep_or_drop(t.item<bool>());
    if (number) return select(t.item<std::int64_t>());
    if (!is_mask(t)) return put(t);
    // A mask stands for the indices where it is true: one index tensor for each dimension.
    for (std::int64_t d = 0; d < t.dim(); ++d)
      TD_CHECK(ShapeError, t.size(d) == choice_.view.size(dim_ + d), op_.name, ": a mask of sizes ",
               t.sizes(), " does not fit dimension ", input_dim_ + d, " of size ",
               choice_.view.size(dim_ + d));
    for (const Tensor& indices : t.nonzero().unbind(1)) put(indices);
  }
  void put(const Tensor& index) {
    choice_.at.resize(static_cast<std::size_t>(dim_) + 1);
    choice_.at[dim_++] = index;
  }

  Op op_;
  Choice choice_;
  std::int64_t dim_ = 0, input_dim_ = 0;
};

// How a view and its index tensors become rows of a matrix and row numbers.
struct Rows {
  Sizes order;        // dimensions of the view, indexed ones first
  Sizes matrix;       // {all indexed positions, elements of the other dimensions}
  Tensor numbers;     // int64, one per chosen row
  Sizes chosen;       // sizes of the result, indexed dimensions first
  Sizes permutation;  // permutation of `chosen` that gives the result's dimensions
};

// Where the index dimensions are in the result: where the indexed ones were when those are
// adjacent, else first.
Sizes order_of_result(const TensorList& at, std::int64_t index_dims, std::int64_t dims) {
  const auto is_index = [](const Tensor& t) { return t.defined(); };
  const auto first = std::find_if(at.begin(), at.end(), is_index);
  const auto end = std::find_if(at.rbegin(), at.rend(), is_index).base();
  const std::int64_t before = std::all_of(first, end, is_index) ? first - at.begin() : 0;
  Sizes order;
  for (std::int64_t d = 0; d < before; ++d) order.push_back(index_dims + d);
  for (std::int64_t d = 0; d < index_dims; ++d) order.push_back(d);
  for (std::int64_t d = index_dims + before; d < dims; ++d) order.push_back(d);
  return order;
}

// rows[i] = rows[i] * n + index[i], where index[i] counts from the end if it is negative: one more
// dimension, of size n, of an index into several.
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

Rows rows_of(const Op& op, const Tensor& view, const TensorList& at) {
  Rows r;
  Sizes index_sizes, rest;
  r.matrix = {1, 1};
  for (const Tensor& t : at)
    if (t.defined()) index_sizes = broadcast_sizes(op.name, index_sizes, t.sizes());
  r.numbers = zeros(index_sizes, TensorOptions(kLong).device(view.device()));
  for (std::int64_t d = 0; d < view.dim(); ++d) {
    const Tensor& index = at[d];
    if (!index.defined()) continue;
    r.order.push_back(d);
    r.matrix[0] *= view.size(d);
    const Tensor dense = index.expand(index_sizes).contiguous();
    const FoldIndex fold{op.name, Pointer{r.numbers}, Pointer{dense}, view.size(d)};
    launch_index_kernel(op.name, view.device(), fold, r.numbers.numel(), {&dense, &r.numbers},
                        {&r.numbers});
  }
  r.chosen = index_sizes;
  for (std::int64_t d = 0; d < view.dim(); ++d) {
    if (at[d].defined()) continue;
    r.order.push_back(d);
    r.matrix[1] *= view.size(d);
    r.chosen.push_back(view.size(d));
  }
  r.numbers = r.numbers.reshape({-1});
  r.permutation = order_of_result(at, static_cast<std::int64_t>(index_sizes.size()),
                                  static_cast<std::int64_t>(r.chosen.size()));
  return r;
}

Tensor put(const Tensor& view, const TensorList& at, const Tensor& values, bool accumulate);

// Index tensors that were saved for backward.
struct SavedIndices {
  std::vector<SavedVariable> saved;
  explicit SavedIndices(const TensorList& at) {
    for (const Tensor& t : at) saved.push_back(save(t));
  }
  TensorList operator()() const {
    TensorList at;
    for (const SavedVariable& s : saved) at.push_back(s());
    return at;
  }
};

// The elements of `view` that the index tensors choose.
Tensor take(const Tensor& view, const TensorList& at) {
  const Rows r = rows_of(index_op, view, at);
  Tensor y;
  {
    const NoGradGuard no_grad;
    const Tensor matrix = view.detach().permute(r.order).reshape(r.matrix);
    y = index_select(matrix, 0, r.numbers).view(r.chosen).permute(r.permutation).contiguous();
    y = alias(y, y.impl().sizes, y.impl().strides, 0);  // not marked as a view
  }
  if (recording(view))
    record(
        "index", y, {&view}, [at = SavedIndices(at), sizes = view.impl().sizes](const Tensor& g) {
          const Tensor all = zeros(sizes, g.options().dtype(sum_dtype(g)));
          return as_type(put(all, at(), as_type(g, all.dtype()), /*accumulate=*/true), g.dtype());
        });
  return y;
}

// `values` without the leading sizes of 1 that are more than `dims` dimensions.
Tensor without_leading_ones(const Tensor& values, std::int64_t dims) {
  Tensor v = values;
  while (v.dim() > dims && v.size(0) == 1) v = v.squeeze(0);
  return v;
}

void write_rows(const Tensor& view, const Rows& r, const Tensor& values, bool accumulate) {
  Sizes sizes = r.chosen, inverse = r.permutation;  // of the result, and back to `chosen`
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = r.chosen[r.permutation[i]];
    inverse[r.permutation[i]] = static_cast<std::int64_t>(i);
  }
  TD_CHECK(ShapeError, broadcast_sizes("index_put_", values.sizes(), sizes) == sizes,
           "index_put_: \"values\" of sizes ", values.sizes(),
           " does not broadcast to the chosen elements, ", IntArrayRef(sizes));
  begin_inplace("index_put_", view);
  const NoGradGuard no_grad;
  const Tensor source = values.detach()
                            .expand(sizes)
                            .permute(inverse)
                            .reshape({r.numbers.numel(), r.matrix[1]})
                            .contiguous();
  const Tensor moved = view.detach().permute(r.order);
  const Tensor matrix = moved.reshape(r.matrix).contiguous();
  if (accumulate)
    kernels::index_add("index_put_", matrix, 0, r.numbers, source, 1.0);
  else
    kernels::index_copy("index_put_", matrix, 0, r.numbers, source);
  if (matrix.impl().storage != view.impl().storage)  // it was a copy: copy it back
    kernels::convert(moved, matrix.view(moved.sizes()));
}

Tensor put(const Tensor& view, const TensorList& at, const Tensor& all_values, bool accumulate) {
  const Rows r = rows_of(put_op, view, at);
  const Tensor values = without_leading_ones(all_values, std::ssize(r.chosen));
  assert_no_overlap("index_put_", view, values, "values");
  write_rows(view, r, values, accumulate);
  if (recording(view, values))
    record_in_place("index_put", view, {&view, &values},
                    [at = SavedIndices(at), accumulate, sizes = values.impl().sizes](
                        Gradients& grads, const Tensor& g) {
                      grads.set_lazily(0, [&] {
                        if (accumulate) return g;
                        return put(g.clone(), at(), zeros({}, g.options()), false);
                      });
                      grads.set_lazily(1, [&] { return sum_to(take(g, at()), sizes); });
                    });
  return view;
}

}  // namespace

Tensor Tensor::index(const std::vector<TensorIndex>& indices) const {
  const Choice choice = Chooser(index_op, *this).choose(indices);
  if (choice.has_tensors()) return take(choice.view, choice.at);
  return choice.view.is_same(*this) ? choice.view.view(sizes()) : choice.view;
}

Tensor& Tensor::index_put_(const std::vector<TensorIndex>& indices, const Tensor& values,
                           bool accumulate) const {
  common_device(values_op, *this, values);
  const Choice choice = Chooser(put_op, *this).choose(indices);
  if (choice.has_tensors()) {
    TD_CHECK(DtypeError, values.dtype() == dtype() || values.impl().wrapped_number,
             "index_put_: \"values\" is ", values.dtype(), " but \"input\" is ", dtype(),
             "; convert it with to(dtype)");
    put(choice.view, choice.at, as_type(values.to(device()), dtype()), accumulate);
    return handle();
  }
  const Tensor source = without_leading_ones(values, choice.view.dim());
  const Sizes& chosen = choice.view.impl().sizes;
  TD_CHECK(ShapeError, broadcast_sizes("index_put_", source.sizes(), chosen) == chosen,
           "index_put_: \"values\" of sizes ", values.sizes(),
           " does not broadcast to the chosen elements, ", IntArrayRef(chosen));
  check_inplace("index_put_", choice.view);
  assert_no_partial_overlap("index_put_", choice.view, source, "values");
  if (accumulate)
    choice.view.add_(source);
  else
    choice.view.copy_(source);
  return handle();
}

Tensor& Tensor::index_put_(const std::vector<TensorIndex>& indices, const Scalar& value,
                           bool accumulate) const {
  return index_put_(indices, wrapped_number(value), accumulate);
}

Tensor Tensor::operator[](const Tensor& index) const { return this->index({index}); }

}  // namespace td
