// Views: other geometry over the same memory. Nothing is copied and no kernel runs; a view only
// remembers how to bring its gradient back into the shape it came from.
#include <numeric>

#include "td/ops/op.h"

namespace td {
namespace {

// A view of `self` with this geometry. `backward` maps the view's gradient to self's.
template <class F>
Tensor make_view(const char* name, const Tensor& self, const Sizes& sizes, const Sizes& strides,
                 std::int64_t offset, F backward) {
  Tensor view = alias(self, sizes, strides, offset);
  mark_view(view, self);
  if (recording(self)) record(name, view, {&self}, backward);
  return view;
}

// The same for a view whose gradient takes self's sizes by reshape.
Tensor make_reshaped(const char* name, const Tensor& self, const Sizes& sizes,
                     const Sizes& strides) {
  return make_view(name, self, sizes, strides, self.storage_offset(),
                   [old = self.impl().sizes](const Tensor& g) { return g.reshape(old); });
}

// Fills in a -1 and checks the count. @throws ShapeError
Sizes infer_sizes(const char* op, IntArrayRef wanted, std::int64_t numel) {
  Sizes sizes(wanted);
  std::int64_t known = 1, *unknown = nullptr;
  for (std::int64_t& size : sizes) {
    TD_CHECK(ShapeError, size >= -1, op, ": sizes must not be negative but got ", wanted);
    TD_CHECK(ShapeError, size >= 0 || !unknown, op, ": only one size may be -1 but got ", wanted);
    if (size >= 0)
      known *= size;
    else
      unknown = &size;
  }
  if (unknown && known > 0 && numel % known == 0) *unknown = numel / known;
  TD_CHECK(ShapeError, numel_of(sizes) == numel && (!unknown || known > 0), op, ": sizes ", wanted,
           " do not hold the tensor's ", numel, " elements");
  return sizes;
}

// Strides by which `sizes` walks self's memory without a copy; false where none exist.
bool view_strides(const TensorImpl& self, const Sizes& sizes, Sizes& strides) {
  if (self.contiguous) {
    strides = contiguous_strides(sizes);
    return true;
  }
  strides = Sizes(sizes.size(), 1);
  int out = static_cast<int>(sizes.size()) - 1;
  // Runs of old dimensions that are one loop in memory; each must be filled by new dimensions.
  for (int d = static_cast<int>(self.sizes.size()) - 1; d >= 0; --d) {
    if (self.sizes[d] == 1) continue;
    const std::int64_t step = self.strides[d];
    std::int64_t run = self.sizes[d];
    for (; d > 0 && (self.sizes[d - 1] == 1 || self.strides[d - 1] == run * step); --d)
      run *= self.sizes[d - 1];
    std::int64_t filled = 1;
    for (; out >= 0 && (filled < run || sizes[out] == 1); --out) {
      strides[out] = filled * step;
      filled *= sizes[out];
    }
    if (filled != run) return false;
  }
  return out < 0;
}

}  // namespace

Tensor Tensor::view(IntArrayRef wanted) const {
  const Sizes sizes = infer_sizes("view", wanted, numel());
  Sizes strides;
  TD_CHECK(ShapeError, view_strides(impl(), sizes, strides), "view: sizes ", wanted,
           " cannot look at a tensor of sizes ", this->sizes(), " and strides ", this->strides(),
           " without a copy; use reshape");
  return make_reshaped("view", *this, sizes, strides);
}

Tensor Tensor::reshape(IntArrayRef wanted) const {
  const Sizes sizes = infer_sizes("reshape", wanted, numel());
  Sizes strides;
  return view_strides(impl(), sizes, strides) ? view(sizes)
                                              : clone(MemoryFormat::Contiguous).view(sizes);
}

Tensor Tensor::flatten(std::int64_t start_dim, std::int64_t end_dim) const {
  const std::int64_t first = wrap_dim("flatten", start_dim, dim());
  const std::int64_t last = wrap_dim("flatten", end_dim, dim());
  TD_CHECK(ShapeError, first <= last, "flatten: start_dim ", start_dim, " comes after end_dim ",
           end_dim);
  if (dim() == 0) return reshape({1});
  Sizes sizes;
  for (std::int64_t d = 0; d < dim(); ++d) {
    if (d > first && d <= last)
      sizes[sizes.size() - 1] *= impl().sizes[d];
    else
      sizes.push_back(impl().sizes[d]);
  }
  return reshape(sizes);
}

Tensor Tensor::permute(IntArrayRef dims) const {
  TD_CHECK(ShapeError, static_cast<std::int64_t>(dims.size()) == dim(), "permute: got ",
           dims.size(), " dimensions for a ", dim(), "-dimensional tensor");
  Sizes sizes, strides;
  std::array<std::int64_t, kMaxDims> inverse;
  inverse.fill(-1);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t d = wrap_dim("permute", dims[i], dim());
    TD_CHECK(ShapeError, inverse[d] < 0, "permute: dimension ", d, " is named twice in ", dims);
    inverse[d] = static_cast<std::int64_t>(i);
    sizes.push_back(impl().sizes[d]);
    strides.push_back(impl().strides[d]);
  }
  return make_view("permute", *this, sizes, strides, impl().offset,
                   [inverse, count = dims.size()](const Tensor& g) {
                     return g.permute({inverse.data(), count});
                   });
}

Tensor Tensor::transpose(std::int64_t dim0, std::int64_t dim1) const {
  const std::int64_t a = wrap_dim("transpose", dim0, dim()), b = wrap_dim("transpose", dim1, dim());
  if (dim() == 0) return *this;
  Sizes sizes = impl().sizes, strides = impl().strides;
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return make_view("transpose", *this, sizes, strides, impl().offset,
                   [a, b](const Tensor& g) { return g.transpose(a, b); });
}

Tensor Tensor::t() const {
  TD_CHECK(ShapeError, dim() <= 2, "t: expected at most 2 dimensions but got ", dim(),
           "; name the two with transpose(dim0, dim1)");
  return dim() < 2 ? *this : transpose(0, 1);
}

Tensor Tensor::slice(std::int64_t d, optional<std::int64_t> start, optional<std::int64_t> end,
                     std::int64_t step) const {
  TD_CHECK(ShapeError, dim() > 0, "slice: a 0-dimensional tensor cannot be sliced");
  TD_CHECK(ShapeError, step > 0, "slice: the step must be positive but is ", step);
  d = wrap_dim("slice", d, dim());
  const std::int64_t n = impl().sizes[d];
  const auto clip = [n](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + n : i, 0, n);
  };
  const std::int64_t from = clip(start.value_or(0)), to = std::max(from, clip(end.value_or(n)));
  Sizes sizes = impl().sizes, strides = impl().strides;
  sizes[d] = (to - from + step - 1) / step;
  strides[d] *= step;
  return make_view("slice", *this, sizes, strides, impl().offset + from * impl().strides[d],
                   [old = impl().sizes, d, from, to, step](const Tensor& g) {
                     const Tensor whole = zeros(old, g.options());
                     whole.slice(d, from, to, step).copy_(g);
                     return whole;
                   });
}

Tensor Tensor::select(std::int64_t d, std::int64_t index) const {
  TD_CHECK(ShapeError, dim() > 0, "select: a 0-dimensional tensor cannot be indexed; use item()");
  d = wrap_dim("select", d, dim());
  const std::int64_t n = impl().sizes[d];
  TD_CHECK(ShapeError, index >= -n && index < n, "select: index ", index,
           " is out of range for dimension ", d, " of size ", n);
  if (index < 0) index += n;
  Sizes sizes = impl().sizes, strides = impl().strides;
  sizes.erase(d);
  strides.erase(d);
  return make_view("select", *this, sizes, strides, impl().offset + index * impl().strides[d],
                   [old = impl().sizes, d, index](const Tensor& g) {
                     const Tensor whole = zeros(old, g.options());
                     whole.select(d, index).copy_(g);
                     return whole;
                   });
}

Tensor Tensor::narrow(std::int64_t d, std::int64_t start, std::int64_t length) const {
  const std::int64_t n = size(d);
  if (start < 0) start += n;
  TD_CHECK(ShapeError, start >= 0 && length >= 0 && start + length <= n, "narrow: start ", start,
           " and length ", length, " leave dimension ", d, " of size ", n);
  return slice(d, start, start + length, 1);
}

Tensor Tensor::squeeze() const {
  Sizes sizes, strides;
  for (std::size_t d = 0; d < impl().sizes.size(); ++d) {
    if (impl().sizes[d] == 1) continue;
    sizes.push_back(impl().sizes[d]);
    strides.push_back(impl().strides[d]);
  }
  return make_reshaped("squeeze", *this, sizes, strides);
}

Tensor Tensor::squeeze(std::int64_t d) const {
  d = wrap_dim("squeeze", d, dim());
  Sizes sizes = impl().sizes, strides = impl().strides;
  if (dim() > 0 && sizes[d] == 1) {
    sizes.erase(d);
    strides.erase(d);
  }
  return make_reshaped("squeeze", *this, sizes, strides);
}

Tensor Tensor::unsqueeze(std::int64_t d) const {
  d = wrap_dim("unsqueeze", d, dim() + 1);
  Sizes sizes = impl().sizes, strides = impl().strides;
  const bool last = d == dim();
  strides.insert(d, last ? 1 : sizes[d] * strides[d]);
  sizes.insert(d, 1);
  return make_view("unsqueeze", *this, sizes, strides, impl().offset,
                   [d](const Tensor& g) { return g.squeeze(d); });
}

Tensor Tensor::expand(IntArrayRef wanted) const {
  const std::int64_t added = static_cast<std::int64_t>(wanted.size()) - dim();
  TD_CHECK(ShapeError, added >= 0, "expand: ", wanted, " has fewer dimensions than the tensor's ",
           sizes());
  Sizes sizes(wanted), strides(wanted.size(), 0);
  for (std::int64_t d = 0; d < dim(); ++d) {
    const std::int64_t have = impl().sizes[d];
    std::int64_t& want = sizes[added + d];
    if (want == -1) want = have;
    TD_CHECK(ShapeError, have == want || (have == 1 && want >= 0), "expand: dimension ", d,
             " of size ", have, " cannot become ", want, "; only sizes of 1 expand");
    strides[added + d] = have == 1 && want != 1 ? 0 : impl().strides[d];
  }
  for (std::int64_t d = 0; d < added; ++d)
    TD_CHECK(ShapeError, sizes[d] >= 0, "expand: a new dimension needs a size, but got ", wanted);
  return make_view("expand", *this, sizes, strides, impl().offset,
                   [old = impl().sizes](const Tensor& g) { return sum_to(g, old); });
}

Tensor Tensor::as_strided(IntArrayRef new_sizes, IntArrayRef new_strides,
                          optional<std::int64_t> offset) const {
  TD_CHECK(ShapeError, new_sizes.size() == new_strides.size(), "as_strided: ", new_sizes.size(),
           " sizes but ", new_strides.size(), " strides");
  const auto negative = [](std::int64_t n) { return n < 0; };
  TD_CHECK(ShapeError,
           std::none_of(new_sizes.begin(), new_sizes.end(), negative) &&
               std::none_of(new_strides.begin(), new_strides.end(), negative),
           "as_strided: sizes and strides must not be negative but are ", new_sizes, " and ",
           new_strides);
  const std::int64_t start = offset.value_or(impl().offset);
  std::int64_t last = start;
  for (std::size_t d = 0; d < new_sizes.size(); ++d) last += (new_sizes[d] - 1) * new_strides[d];
  TD_CHECK(ShapeError,
           numel_of(new_sizes) == 0 ||
               (start >= 0 && last * static_cast<std::int64_t>(element_size()) <
                                  static_cast<std::int64_t>(impl().storage->bytes())),
           "as_strided: sizes ", new_sizes, ", strides ", new_strides, " and offset ", start,
           " reach beyond the tensor's memory of ", impl().storage->bytes(), " bytes");
  return make_view(
      "as_strided", *this, Sizes(new_sizes), Sizes(new_strides), start,
      [base = impl().storage->bytes() / element_size(), self_sizes = impl().sizes,
       self_strides = impl().strides, self_offset = impl().offset, sizes = Sizes(new_sizes),
       strides = Sizes(new_strides), start](const Tensor& g) {
        // Add the gradient up with the view's geometry, whose elements may overlap, then read it
        // with self's.
        const auto elements = static_cast<std::int64_t>(base);
        const Tensor memory = zeros({elements}, g.options());
        const Tensor at = arange(elements, TensorOptions(kLong).device(g.device()))
                              .as_strided(sizes, strides, start)
                              .reshape({-1});
        memory.index_add_(0, at, g.reshape({-1}));
        return memory.as_strided(self_sizes, self_strides, self_offset);
      });
}

TensorList Tensor::split(std::int64_t part, std::int64_t d) const {
  TD_CHECK(ShapeError, part > 0, "split: the size of a part must be positive but is ", part);
  const std::int64_t n = size(d);
  TensorList parts;
  for (std::int64_t at = 0; at < n || parts.empty(); at += part)
    parts.push_back(narrow(d, at, std::min(part, n - at)));
  return parts;
}

TensorList Tensor::split(IntArrayRef lengths, std::int64_t d) const {
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  TD_CHECK(ShapeError, total == size(d), "split: parts of sizes ", lengths, " add up to ", total,
           " but dimension ", d, " has size ", size(d));
  TensorList parts;
  for (std::int64_t at = 0; const std::int64_t length : lengths) {
    parts.push_back(narrow(d, at, length));
    at += length;
  }
  return parts;
}

TensorList Tensor::chunk(std::int64_t chunks, std::int64_t d) const {
  TD_CHECK(ShapeError, chunks > 0, "chunk: the number of chunks must be positive but is ", chunks);
  if (size(d) == 0) return TensorList(static_cast<std::size_t>(chunks), narrow(d, 0, 0));
  return split(std::max<std::int64_t>((size(d) + chunks - 1) / chunks, 1), d);
}

TensorList Tensor::unbind(std::int64_t d) const {
  d = wrap_dim("unbind", d, dim());
  TensorList parts;
  for (std::int64_t i = 0; i < size(d); ++i) parts.push_back(select(d, i));
  return parts;
}

}  // namespace td
