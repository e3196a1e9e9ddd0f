// What operations that combine elements along dimensions share: which dimensions, sizes and types,
// and the kernels of sums and extremes. Invariant: a DimSet has only bits of dimensions that exist.
#pragma once

#include "td/kernels/launch.h"
#include "td/ops/op.h"

namespace td {

/// The dimensions in `dims`, negative ones counted from the back; an empty list means all.
/// @throws Error when the operation's input x is undefined, ShapeError for a dimension that is out
/// of range or named twice.
inline DimSet dim_set(const char* op, const Tensor& x, IntArrayRef dims) {
  device_of(op, x);
  DimSet set = 0;
  for (std::int64_t d : dims) {
    const DimSet bit = DimSet{1} << wrap_dim(op, d, x.dim());
    TD_CHECK(ShapeError, !(set & bit), op, ": dimension ", d, " appears twice in ", dims);
    set |= bit;
  }
  const DimSet all = (DimSet{1} << x.dim()) - 1;
  return dims.empty() ? all : set & all;
}

/// Sizes of a result: a reduced dimension has size 1 with `keepdim`, and is left out without.
inline Sizes reduced_sizes(IntArrayRef sizes, DimSet dims, bool keepdim) {
  Sizes result;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!(dims >> d & 1u))
      result.push_back(sizes[d]);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

/// How many elements are combined into one.
inline std::int64_t reduced_count(IntArrayRef sizes, DimSet dims) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (dims >> d & 1u) count *= sizes[d];
  return count;
}

/// `result` of a reduction as a view that broadcasts to the input again.
inline Tensor keep_dims(const Tensor& result, IntArrayRef sizes, DimSet dims) {
  return result.reshape(reduced_sizes(sizes, dims, true));
}

/// @throws ShapeError when groups are empty: then there is no largest element.
inline void check_not_empty(const char* op, const Tensor& x, DimSet dims) {
  TD_CHECK(ShapeError, reduced_count(x.sizes(), dims) > 0, op, ": a tensor of sizes ", x.sizes(),
           " has no element to choose from; check numel() first");
}

/// g for the elements of x that equal their group's y, divided by how many they are.
Tensor share_evenly(const Tensor& g, const Tensor& x, const Tensor& y, DimSet dims);

/// What a sum or product of type `dtype` reads: the input, converted unless the kernel does it.
inline Tensor summand(const Tensor& input, optional<ScalarType> dtype) {
  return !dtype || widens(input.dtype(), *dtype) ? input : as_type(input, *dtype);
}
/// The type of the sum or product of what summand() returned.
inline ScalarType sum_type(const Tensor& x, optional<ScalarType> dtype) {
  if (!x.is_floating_point()) return kLong;
  return dtype && widens(x.dtype(), *dtype) ? *dtype : x.dtype();
}

/// x [..., n, ...] with the dimension `dim` moved to the end, n times in lines [..., n, n]; line i
/// has a 1 in the place of element i.
Tensor leaving_one_out(const Tensor& x, std::int64_t dim);

namespace kernels {
/// out = sum of x over `dims`, dense and row-major over the others. Floats are multiplied by
/// `factor` (a mean is a sum with factor 1/n); integers and bool are summed as int64.
void sum(const Tensor& out, const Tensor& x, DimSet dims, double factor = 1.0);
/// out = the largest or smallest element of each group of x; of truth values, any and all of them.
void extreme(const Tensor& out, const Tensor& x, DimSet dims, bool largest);
}  // namespace kernels

}  // namespace td
