// sum, mean and prod. A mean is a sum with a factor. The gradients spread the result's gradient
// over the elements that were combined.
#include "td/kernels/reduce.h"
#include "td/ops/reduce/dims.h"

namespace td {

void kernels::sum(const Tensor& out, const Tensor& x, DimSet dims, double factor) {
  if (is_floating_point(x.dtype()))
    return dispatch_mixed("sum", x.dtype(), out.dtype(),
                          [&]<class T, class Out>(CppType<T>, CppType<Out>) {
                            reduce<T>("sum", Sum<T, Out>{{factor}}, out, x, dims);
                          });
  dispatch_all(x.dtype(), [&]<class T>(CppType<T>) {
    if constexpr (!std::is_floating_point_v<compute_t<T>>)
      reduce<T>("sum", Sum<T, std::int64_t>{{factor}}, out, x, dims);
  });
}

namespace {

constexpr Op sum_op{"sum", {"input"}}, mean_op{"mean", {"input"}}, prod_op{"prod", {"input"}};

template <class T, class Result>
struct Product {
  using Acc = compute_t<T>;
  using WideAcc = total_t<T>;
  using Out = Result;
  TD_HD Acc start() const { return Acc(1); }
  TD_HD void add(Acc& lane, Acc x, std::int64_t) const { lane *= x; }
  TD_HD WideAcc identity() const { return WideAcc(1); }
  TD_HD WideAcc total(Acc lane) const { return static_cast<WideAcc>(lane); }
  TD_HD WideAcc combine(WideAcc a, WideAcc b) const { return a * b; }
  TD_HD Out project(WideAcc total) const { return static_cast<Out>(static_cast<Acc>(total)); }
};

void prod_kernel(const Tensor& out, const Tensor& x, DimSet dims) {
  if (x.dtype() == kLong)
    return reduce<std::int64_t>("prod", Product<std::int64_t, std::int64_t>{}, out, x, dims);
  dispatch_mixed("prod", x.dtype(), out.dtype(), [&]<class T, class Out>(CppType<T>, CppType<Out>) {
    reduce<T>("prod", Product<T, Out>{}, out, x, dims);
  });
}

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
  prod_kernel(y, x, dims);
  if (recording(x))
    record("prod", y, {&x},
           [x = save(x), y = save_result(y), dims](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return prod_gradient(g, x(), y(), dims); });
           });
  return y;
}

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

}  // namespace td
