// prod. Where elements are 0, its gradient cannot be found by division, and takes a product of all
// other elements for each.
#include "td/kernels/reduce.h"
#include "td/ops/reduce/dims.h"

namespace td {
namespace {

constexpr Op prod_op{"prod", {"input"}};

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
  common_device(prod_op, input);
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
    record("prod", y, {&x},
           [x = save(x), y = save_result(y), set](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return prod_gradient(g, x(), y(), set); });
           });
  return dtype ? as_type(y, *dtype) : y;
}

}  // namespace

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
