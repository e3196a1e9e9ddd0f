// New tensors from the elements of others: joined (cat, stack), repeated (repeat), in another order
// (flip, roll) or on a diagonal (diag); and broadcast_tensors.
#include "td/ops/op.h"

namespace td {
namespace {

// Tensors of sizes [0] are skipped, as in PyTorch, so that cat can start with an empty tensor.
bool is_nothing(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

Sizes joined_sizes(const TensorList& tensors, std::int64_t dim) {
  Sizes sizes(tensors[0].sizes());
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const Sizes& own = tensors[i].impl().sizes;
    Sizes expected = sizes;
    if (own.size() == sizes.size()) expected[dim] = own[dim];
    TD_CHECK(ShapeError, own == expected, "cat: tensors[", i, "] has sizes ", tensors[i].sizes(),
             " but tensors[0] has ", tensors[0].sizes(), "; they may differ in dimension ", dim,
             " only");
    sizes[dim] += own[dim];
  }
  return sizes;
}

// Channels-last when all of them are.
MemoryFormat joined_format(const TensorList& tensors) {
  for (const Tensor& t : tensors)
    if (t.suggest_memory_format() != MemoryFormat::ChannelsLast) return MemoryFormat::Contiguous;
  return MemoryFormat::ChannelsLast;
}

// Elements moved by `shift` along `dim`; those that leave at the end come in at the front.
Tensor rolled(const Tensor& x, std::int64_t shift, std::int64_t dim) {
  const std::int64_t n = x.size(dim);
  if (n == 0) return x;
  const std::int64_t by = (shift % n + n) % n;
  return cat({x.narrow(dim, n - by, by), x.narrow(dim, 0, n - by)}, dim);
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

Tensor cat_impl(const TensorList& tensors, std::int64_t dim) {
  const Device device = common_device("cat", tensors);
  TensorList parts;
  for (const Tensor& t : tensors) {
    TD_CHECK(ShapeError, t.dim() > 0, "cat: a 0-dimensional tensor cannot be joined; use stack");
    if (!is_nothing(t)) parts.push_back(t);
  }
  if (parts.empty()) return tensors[0].clone();
  ScalarType type = tensors[0].dtype();
  for (const Tensor& t : tensors) type = promote_types(type, t.dtype());
  for (Tensor& t : parts) t = as_type(t, type);
  const std::int64_t d = wrap_dim("cat", dim, parts[0].dim());
  const Sizes sizes = joined_sizes(parts, d);
  Tensor out = empty(sizes, TensorOptions(type).device(device), joined_format(parts));
  std::int64_t at = 0;
  for (const Tensor& t : parts) {
    const Tensor part = alias(out, Sizes(t.sizes()), out.impl().strides, at * out.stride(d));
    kernels::convert(part, t);
    at += t.size(d);
  }
  if (recording(parts)) {
    std::vector<std::int64_t> lengths;
    for (const Tensor& t : parts) lengths.push_back(t.size(d));
    record("cat", {out}, parts, [d, lengths](Gradients& grads, SmallVector<Tensor, 1>& results) {
      std::int64_t start = 0;
      for (std::size_t i = 0; i < lengths.size(); start += lengths[i++])
        grads.set_lazily(i, [&] { return results[0].narrow(d, start, lengths[i]); });
    });
  }
  return out;
}

Tensor stack_impl(const TensorList& tensors, std::int64_t dim) {
  common_device("stack", tensors);
  const std::int64_t d = wrap_dim("stack", dim, tensors[0].dim() + 1);
  TensorList parts;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TD_CHECK(ShapeError, tensors[i].sizes() == tensors[0].sizes(), "stack: tensors[", i,
             "] has sizes ", tensors[i].sizes(), " but tensors[0] has ", tensors[0].sizes(),
             "; all must be equal");
    parts.push_back(tensors[i].detach().unsqueeze(d));
  }
  const Tensor out = cat(parts, d);
  if (recording(tensors)) {
    std::vector<ScalarType> types;
    for (const Tensor& t : tensors) types.push_back(t.dtype());
    record("stack", {out}, tensors, [d, types](Gradients& grads, SmallVector<Tensor, 1>& results) {
      for (std::size_t i = 0; i < types.size(); ++i)
        grads.set_lazily(i, [&] {
          return as_type(results[0].select(d, static_cast<std::int64_t>(i)), types[i]);
        });
    });
  }
  return out;
}

TensorList broadcast_tensors(const TensorList& tensors) {
  common_device("broadcast_tensors", tensors);
  Sizes sizes;
  for (const Tensor& t : tensors) sizes = broadcast_sizes("broadcast_tensors", sizes, t.sizes());
  TensorList views;
  for (const Tensor& t : tensors) views.push_back(t.expand(sizes));
  return views;
}

Tensor Tensor::repeat(IntArrayRef times) const {
  TD_CHECK(ShapeError, static_cast<std::int64_t>(times.size()) >= dim(), "repeat: ", times,
           " has fewer entries than the tensor has dimensions, ", dim());
  // Each dimension becomes a pair (times, size); the times are views, and reshape copies once.
  const std::size_t extra = times.size() - static_cast<std::size_t>(dim());
  Tensor x = *this;
  for (std::size_t i = 0; i < extra; ++i) x = x.unsqueeze(0);
  for (std::size_t d = 0; d < times.size(); ++d) {
    if (times[d] == 1) continue;
    Sizes pair(x.sizes());
    pair.insert(d, times[d]);
    Sizes joined(x.sizes());
    joined[d] *= times[d];
    x = x.unsqueeze(static_cast<std::int64_t>(d)).expand(pair).reshape(joined);
  }
  // Repeating along dimensions of size 1 makes expanded views so far.
  const bool copied = x.impl().storage != impl().storage && x.is_contiguous();
  return copied ? x : x.clone(MemoryFormat::Contiguous);
}

Tensor flip(const Tensor& input, IntArrayRef dims) {
  const Device device = device_of("flip", input);
  Sizes strides = input.impl().strides;
  std::int64_t first = input.storage_offset();
  DimSet seen = 0;
  for (std::int64_t dim : dims) {
    const std::int64_t d = wrap_dim("flip", dim, input.dim());
    TD_CHECK(ShapeError, !(seen >> d & 1u), "flip: dimension ", d, " appears twice in ", dims);
    seen |= DimSet{1} << d;
    if (input.dim() == 0 || input.numel() == 0) continue;
    first += (input.size(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  Tensor out = result_like(input, input.impl().sizes, input.dtype(), device);
  // Element-wise kernels accept negative strides; no other code gets to see a tensor with them.
  kernels::convert(out, alias(input, input.impl().sizes, strides, first));
  if (recording(input))
    record("flip", out, {&input}, [dims = Sizes(dims)](const Tensor& g) { return flip(g, dims); });
  return out;
}

Tensor roll(const Tensor& input, IntArrayRef shifts, IntArrayRef dims) {
  device_of("roll", input);
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

Tensor diag(const Tensor& input, std::int64_t diagonal) {
  device_of("diag", input);
  TD_CHECK(ShapeError, input.dim() == 1 || input.dim() == 2,
           "diag: expected a vector or a matrix but \"input\" has sizes ", input.sizes());
  if (input.dim() == 2) return diagonal_of(input, diagonal).clone(MemoryFormat::Contiguous);
  const std::int64_t n = input.size(0) + std::abs(diagonal);
  const Tensor matrix = zeros({n, n}, input.options());
  diagonal_of(matrix, diagonal).copy_(input);
  return matrix;
}

}  // namespace td
