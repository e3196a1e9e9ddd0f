// sum and mean, which is a sum with a factor: their gradients spread the result's gradient over the
// elements that were combined. prod: where elements are 0, its gradient cannot be found by
// division, and takes a product of all other elements for each.
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

Tensor scaled_sum(const char* name, const Tensor& input, DimSet dims, bool keepdim, double factor,
                  optional<ScalarType> dtype) {
  const Tensor x = summand(input, dtype);
  Tensor y = empty_on(reduced_sizes(x.sizes(), dims, keepdim), sum_type(x, dtype), x.device());
  kernels::sum(y, x, dims, factor);
  if (recording(x))
    record(name, y, {&x},
           [sizes = Sizes(x.sizes()), dims, factor, type = x.dtype()](const Tensor& g) {
             // Converted first, while it is small.
             const Tensor spread = keep_dims(as_type(g, type), sizes, dims).expand(sizes);
             return factor == 1.0 ? spread : spread * Scalar(factor);
           });
  return y;
}

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

Tensor prod_gradient(const Tensor& g, const Tensor& x, const Tensor& y, DimSet dims) {
  const Tensor gk = keep_dims(g, x.sizes(), dims), yk = keep_dims(y, x.sizes(), dims);
  if (!x.eq(Scalar(0)).any().item<bool>()) return gk * yk / x;
  if (reduced_sizes(x.sizes(), dims, false).empty())  // one group of all elements
    return g * leaving_one_out(x.reshape({x.numel()}), 0).prod(-1).reshape(x.sizes());
  std::int64_t dim = 0;
  while (!(dims >> dim & 1u)) ++dim;
  return gk * leaving_one_out(x, dim).prod(-1).transpose(dim, -1);
}

Tensor product(const Tensor& input, IntArrayRef dims, bool keepdim, optional<ScalarType> dtype) {
  const DimSet set = dim_set("prod", input, dims);
  const Tensor given = summand(input, dtype);
  const Tensor x = as_type(given, given.is_floating_point() ? given.dtype() : kLong);
  Tensor y = empty_on(reduced_sizes(x.sizes(), set, keepdim), sum_type(x, dtype), x.device());
  if (x.dtype() == kLong)
    reduce<std::int64_t>("prod", Product<std::int64_t, std::int64_t>{}, y, x, set);
  else
    dispatch_mixed("prod", x.dtype(), y.dtype(), [&]<class T, class Out>(CppType<T>, CppType<Out>) {
      reduce<T>("prod", Product<T, Out>{}, y, x, set);
    });
  if (recording(x))
    record("prod", y, {&x}, [x = save(x), y = save_result(y), set](const Tensor& g) {
      return prod_gradient(g, x(), y(), set);
    });
  return dtype ? as_type(y, *dtype) : y;
}

}  // namespace

Tensor sum_impl(const Tensor& input, IntArrayRef dims, bool keepdim, optional<ScalarType> dtype) {
  const DimSet set = dim_set("sum", input, dims);
  const Tensor y = scaled_sum(dims.empty() ? "sum" : "sum1", input, set, keepdim, 1.0, dtype);
  return dtype ? as_type(y, *dtype) : y;
}
Tensor sum_impl(const Tensor& input, optional<ScalarType> dtype) {
  return sum_impl(input, {}, false, dtype);
}

Tensor mean(const Tensor& input, IntArrayRef dims, bool keepdim, optional<ScalarType> dtype) {
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

// The running products of scan.cu need it too.
Tensor leaving_one_out(const Tensor& x, std::int64_t dim) {
  const std::int64_t n = x.size(dim);
  const Tensor lines = x.transpose(dim, -1).unsqueeze(-2);  // [..., 1, n]
  Sizes sizes(lines.sizes());
  sizes[sizes.size() - 2] = n;
  const Tensor itself = eye(n, TensorOptions(kBool).device(x.device()));
  return where(itself, Scalar(1), lines.expand(sizes));
}

Tensor prod_impl(const Tensor& input, optional<ScalarType> dtype) {
  return product(input, {}, false, dtype);
}
Tensor prod_impl(const Tensor& input, std::int64_t dim, bool keepdim, optional<ScalarType> dtype) {
  return product(input, dim, keepdim, dtype);
}

}  // namespace td
