// The same elements in another order, or without some: flip, roll, tril, triu, diag.
#include "td/ops/op.h"

namespace td {
namespace {

constexpr Op flip_op{"flip", {"input"}}, roll_op{"roll", {"input"}};
constexpr Op tril_op{"tril", {"input"}}, triu_op{"triu", {"input"}}, diag_op{"diag", {"input"}};

TensorOptions int64_on(Device device) { return TensorOptions(kLong).device(device); }

// Elements moved by `shift` along `dim`; those that leave at the end come in at the front.
Tensor rolled(const Tensor& x, std::int64_t shift, std::int64_t dim) {
  const std::int64_t n = x.size(dim);
  if (n == 0) return x;
  const std::int64_t by = (shift % n + n) % n;
  return cat({x.narrow(dim, n - by, by), x.narrow(dim, 0, n - by)}, dim);
}

// Zeros above (lower) or below the diagonal of the last two dimensions.
Tensor triangle(const Op& op, const Tensor& x, std::int64_t diagonal, bool lower) {
  const Device device = common_device(op, x);
  TD_CHECK(ShapeError, x.dim() >= 2, op.name,
           ": expected at least 2 dimensions but \"input\" has sizes ", x.sizes());
  const Tensor row = arange(x.size(-2), int64_on(device)).unsqueeze(1) + Scalar(diagonal);
  const Tensor column = arange(x.size(-1), int64_on(device));
  Tensor y = empty_on(x.impl().sizes, x.dtype(), device);
  kernels::where(y, lower ? column.le(row) : column.ge(row), x, wrapped_number(0).to(x.dtype()));
  if (recording(x))
    record(op.name, y, {&x}, [&op, diagonal, lower](Gradients& grads, const Tensor& g) {
      grads.set_lazily(0, [&] { return triangle(op, g, diagonal, lower); });
    });
  return y;
}

// The `diagonal`-th diagonal of a matrix, as a view.
Tensor diagonal_of(const Tensor& x, std::int64_t diagonal) {
  const std::int64_t down = std::max<std::int64_t>(-diagonal, 0);
  const std::int64_t right = std::max<std::int64_t>(diagonal, 0);
  TD_CHECK(ShapeError, down <= x.size(0) && right <= x.size(1), "diag: a matrix of sizes ",
           x.sizes(), " has no diagonal ", diagonal);
  const std::int64_t length = std::min(x.size(0) - down, x.size(1) - right);
  const std::int64_t start = length ? down * x.stride(0) + right * x.stride(1) : 0;
  return x.as_strided({length}, {x.stride(0) + x.stride(1)}, x.storage_offset() + start);
}

}  // namespace

Tensor flip(const Tensor& input, IntArrayRef dims) {
  const Device device = common_device(flip_op, input);
  Tensor y = input.detach();
  DimSet seen = 0;
  for (std::int64_t dim : dims) {
    const std::int64_t d = wrap_dim("flip", dim, input.dim());
    TD_CHECK(ShapeError, !(seen >> d & 1u), "flip: dimension ", d, " appears twice in ", dims);
    seen |= DimSet{1} << d;
    const std::int64_t n = input.dim() ? input.size(d) : 0;
    if (n > 0) y = index_select(y, d, arange(n - 1, -1, -1, int64_on(device)));
  }
  Tensor out = result_like(input, input.impl().sizes, input.dtype(), device);
  kernels::convert(out, y);
  if (recording(input))
    record("flip", out, {&input}, [dims = Sizes(dims)](Gradients& grads, const Tensor& g) {
      grads.set_lazily(0, [&] { return flip(g, dims); });
    });
  return out;
}

Tensor roll(const Tensor& input, IntArrayRef shifts, IntArrayRef dims) {
  common_device(roll_op, input);
  if (dims.empty()) {  // all elements as one line
    TD_CHECK(ShapeError, shifts.size() == 1, "roll: ", shifts.size(),
             " shifts but no dimensions; name one for each shift");
    return rolled(input.flatten(), shifts[0], 0).view(input.sizes());
  }
  TD_CHECK(ShapeError, shifts.size() == dims.size(), "roll: ", shifts.size(), " shifts but ",
           dims.size(), " dimensions");
  Tensor y = input;
  for (std::size_t i = 0; i < dims.size(); ++i)
    y = rolled(y, shifts[i], wrap_dim("roll", dims[i], input.dim()));
  return y.is_same(input) ? input.clone() : y.contiguous();
}

Tensor tril(const Tensor& input, std::int64_t diagonal) {
  return triangle(tril_op, input, diagonal, true);
}
Tensor triu(const Tensor& input, std::int64_t diagonal) {
  return triangle(triu_op, input, diagonal, false);
}

Tensor diag(const Tensor& input, std::int64_t diagonal) {
  common_device(diag_op, input);
  TD_CHECK(ShapeError, input.dim() == 1 || input.dim() == 2,
           "diag: expected a vector or a matrix but \"input\" has sizes ", input.sizes());
  if (input.dim() == 2) return diagonal_of(input, diagonal).clone(MemoryFormat::Contiguous);
  const std::int64_t n = input.size(0) + std::abs(diagonal);
  const Tensor matrix = zeros({n, n}, input.options());
  diagonal_of(matrix, diagonal).copy_(input);
  return matrix;
}

}  // namespace td
