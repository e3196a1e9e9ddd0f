// Sums, means and products, and the counts any and all. Gradients spread the result's gradient over
// the elements it came from.
#include "td/kernels/mixed.h"
#include "td/ops/reduce/dims.h"

namespace td {

DimSet dim_set(const char* op, const Tensor& x, IntArrayRef dims) {
  DimSet set = 0;
  for (std::int64_t d : dims) {
    const DimSet bit = DimSet{1} << wrap_dim(op, d, x.dim());
    TD_CHECK(ShapeError, !(set & bit), op, ": dimension ", d, " appears twice in ", dims);
    set |= bit;
  }
  const DimSet all = (DimSet{1} << x.dim()) - 1;
  return dims.empty() ? all : set & all;
}

Sizes reduced_sizes(IntArrayRef sizes, DimSet dims, bool keepdim) {
  Sizes result;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!(dims >> d & 1u))
      result.push_back(sizes[d]);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

std::int64_t reduced_count(IntArrayRef sizes, DimSet dims) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (dims >> d & 1u) count *= sizes[d];
  return count;
}

Tensor keep_dims(const Tensor& result, IntArrayRef sizes, DimSet dims) {
  return result.reshape(reduced_sizes(sizes, dims, true));
}

void check_not_empty(const char* op, const Tensor& x, DimSet dims) {
  TD_CHECK(ShapeError, reduced_count(x.sizes(), dims) > 0, op, ": a tensor of sizes ", x.sizes(),
           " has no element to choose from; check numel() first");
}

namespace {

// `input` as the kernel reads it for a result of type `dtype`: converted, unless the kernel does
// it.
Tensor readable(const Tensor& input, optional<ScalarType> dtype) {
  return !dtype || widens(input.dtype(), *dtype) ? input : as_type(input, *dtype);
}

// The type of the result from what readable() gave.
ScalarType result_type(const Tensor& x, optional<ScalarType> dtype) {
  if (!x.is_floating_point()) return kLong;
  return dtype && widens(x.dtype(), *dtype) ? *dtype : x.dtype();
}

// Sum with a factor: the mean is a sum with factor 1 / count.
Tensor scaled_sum(const char* name, const Tensor& input, DimSet dims, bool keepdim, double factor,
                  optional<ScalarType> dtype) {
  const Tensor x = readable(input, dtype);
  Tensor y = empty_on(reduced_sizes(x.sizes(), dims, keepdim), result_type(x, dtype), x.device());
  kernels::sum(y, x, dims, factor);
  if (recording(x))
    record(name, y, {&x},
           [sizes = Sizes(x.sizes()), dims, factor, type = x.dtype()](Gradients& grads,
                                                                      const Tensor& g) {
             grads.set_lazily(0, [&] {  // converted first, while it is small
               const Tensor spread = keep_dims(as_type(g, type), sizes, dims).expand(sizes);
               return factor == 1.0 ? spread : spread * Scalar(factor);
             });
           });
  return y;
}

// The product of all other elements of the group, without division: right where elements are 0.
Tensor product_of_others(const Tensor& x, std::int64_t dim) {
  const std::int64_t n = x.sizes()[static_cast<std::size_t>(dim)];
  Tensor lines = x.transpose(dim, -1).unsqueeze(-2);  // [..., 1, n]: each row is the whole group
  Sizes sizes(lines.sizes());
  sizes[sizes.size() - 2] = n;
  const Tensor itself = eye(n, TensorOptions(kBool).device(x.device()));
  return where(itself, Scalar(1), lines.expand(sizes)).prod(-1).transpose(dim, -1);
}

Tensor prod_gradient(const Tensor& g, const Tensor& x, const Tensor& y, DimSet dims) {
  const Tensor gk = keep_dims(g, x.sizes(), dims), yk = keep_dims(y, x.sizes(), dims);
  if (!x.eq(Scalar(0)).any().item<bool>()) return gk * yk / x;
  if (reduced_sizes(x.sizes(), dims, false).empty())  // one group of all elements
    return g * product_of_others(x.reshape({x.numel()}), 0).reshape(x.sizes());
  std::int64_t dim = 0;
  while (!(dims >> dim & 1u)) ++dim;
  return gk * product_of_others(x, dim);
}

Tensor product(const Tensor& input, DimSet dims, bool keepdim, optional<ScalarType> dtype) {
  const Tensor given = readable(input, dtype);
  const Tensor x = as_type(given, given.is_floating_point() ? given.dtype() : kLong);
  Tensor y = empty_on(reduced_sizes(x.sizes(), dims, keepdim), result_type(x, dtype), x.device());
  kernels::prod(y, x, dims);
  if (recording(x))
    record("prod", y, {&x},
           [x = save(x), y = save_result(y), dims](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return prod_gradient(g, x(), y(), dims); });
           });
  return y;
}

// any is the largest of the truth values, all the smallest.
Tensor truth(const Op& op, const Tensor& input, IntArrayRef dims, bool keepdim, bool any) {
  const Device device = common_device(op, input);
  const DimSet set = dim_set(op.name, input, dims);
  const Tensor x = input.dtype() == kBool ? input : input.detach().ne(Scalar(0));
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), kBool, device);
  (any ? kernels::amax : kernels::amin)(y, x, set);
  return input.dtype() == kByte ? y.to(kByte) : y;  // as libtorch does
}

constexpr Op sum_op{"sum", {"input"}}, mean_op{"mean", {"input"}}, prod_op{"prod", {"input"}};
constexpr Op any_op{"any", {"input"}}, all_op{"all", {"input"}};

}  // namespace

Tensor sum_impl(const Tensor& input, IntArrayRef dims, bool keepdim, optional<ScalarType> dtype) {
  common_device(sum_op, input);
  const DimSet set = dim_set("sum", input, dims);
  const Tensor y = scaled_sum(dims.empty() ? "sum" : "sum1", input, set, keepdim, 1.0, dtype);
  return dtype ? as_type(y, *dtype) : y;
}
Tensor sum_impl(const Tensor& input, optional<ScalarType> dtype) {
  return sum_impl(input, {}, false, dtype);
}

Tensor mean(const Tensor& input, IntArrayRef dims, bool keepdim, optional<ScalarType> dtype) {
  common_device(mean_op, input);
  const DimSet set = dim_set("mean", input, dims);
  const ScalarType type = dtype.value_or(input.dtype());
  TD_CHECK(DtypeError, is_floating_point(type), "mean: a mean of ", type,
           " numbers is not whole; pass the type it is to have, e.g. mean(kFloat32)");
  const auto count = static_cast<double>(reduced_count(input.sizes(), set));
  return scaled_sum(dims.empty() ? "mean" : "mean1", input, set, keepdim, 1.0 / count, dtype);
}
Tensor mean(const Tensor& input, optional<ScalarType> dtype) {
  return mean(input, {}, false, dtype);
}

Tensor prod_impl(const Tensor& input, optional<ScalarType> dtype) {
  common_device(prod_op, input);
  const Tensor y = product(input, dim_set("prod", input, {}), false, dtype);
  return dtype ? as_type(y, *dtype) : y;
}
Tensor prod_impl(const Tensor& input, std::int64_t dim, bool keepdim, optional<ScalarType> dtype) {
  common_device(prod_op, input);
  const Tensor y = product(input, dim_set("prod", input, dim), keepdim, dtype);
  return dtype ? as_type(y, *dtype) : y;
}

Tensor any(const Tensor& input) { return truth(any_op, input, {}, false, true); }
Tensor any(const Tensor& input, std::int64_t dim, bool keepdim) {
  return truth(any_op, input, dim, keepdim, true);
}
Tensor all(const Tensor& input) { return truth(all_op, input, {}, false, false); }
Tensor all(const Tensor& input, std::int64_t dim, bool keepdim) {
  return truth(all_op, input, dim, keepdim, false);
}

}  // namespace td
