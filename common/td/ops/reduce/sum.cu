// sum and mean, which is a sum with a factor: their gradients spread the result's gradient over the
// elements that were combined.
#include "td/kernels/reduce.h"
#include "td/ops/reduce/dims.h"

namespace td {

void kernels::sum(const Tensor& out, const Tensor& x, DimSet dims, double factor) {
  if (is_floating_point(x.dtype()))
    return dispatch_mixed("sum", x.dtype(), out.dtype(),
                          [&]<class T, class Out>(CppType<T>, CppType<Out>) {
                            reduce<T>("sum", Sum<T, Out>{factor}, out, x, dims);
                          });
  dispatch_all(x.dtype(), [&]<class T>(CppType<T>) {
    if constexpr (!std::is_floating_point_v<compute_t<T>>)
      reduce<T>("sum", Sum<T, std::int64_t>{factor}, out, x, dims);
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

}  // namespace td
