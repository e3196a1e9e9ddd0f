// cat, stack, repeat and broadcast_tensors.
#include "td/ops/op.h"

namespace td {
namespace {

// Tensors of sizes [0] take no part, as in PyTorch: an empty list grows by cat.
bool is_nothing(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

Sizes joined_sizes(const TensorList& tensors, std::int64_t dim) {
  Sizes sizes(tensors[0].sizes());
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    Sizes expected = sizes, own(tensors[i].sizes());
    bool fits = own.size() == sizes.size();
    if (fits) {
      expected[static_cast<std::size_t>(dim)] = own[static_cast<std::size_t>(dim)];
      fits = expected == own;
    }
    TD_CHECK(ShapeError, fits, "cat: tensors[", i, "] has sizes ", tensors[i].sizes(),
             " but tensors[0] has ", tensors[0].sizes(), "; they may differ in dimension ", dim,
             " only");
    sizes[static_cast<std::size_t>(dim)] += own[static_cast<std::size_t>(dim)];
  }
  return sizes;
}

// Channels-last when all of them are.
MemoryFormat joined_format(const TensorList& tensors) {
  for (const Tensor& t : tensors)
    if (t.suggest_memory_format() != MemoryFormat::ChannelsLast) return MemoryFormat::Contiguous;
  return MemoryFormat::ChannelsLast;
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
  // Repeating along dimensions that are one element in memory takes no copy so far.
  return x.impl().storage == impl().storage ? x.clone(MemoryFormat::Contiguous) : x;
}

}  // namespace td
