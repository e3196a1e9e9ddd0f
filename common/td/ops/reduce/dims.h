// Helpers of operations that combine elements along dimensions (reduce.cpp, norm.cpp, softmax.cpp).
// Invariant: a DimSet has only bits of existing dimensions.
#pragma once

#include "td/ops/op.h"

namespace td {

/// The dimensions in `dims`, negative ones counted from the back; none named means all.
/// @throws ShapeError for one out of range or named twice.
DimSet dim_set(const char* op, const Tensor& x, IntArrayRef dims);
/// Sizes of a result: reduced dimensions are 1 with `keepdim`, else gone.
Sizes reduced_sizes(IntArrayRef sizes, DimSet dims, bool keepdim);
/// How many elements are combined into one.
std::int64_t reduced_count(IntArrayRef sizes, DimSet dims);
/// `result` of a reduction as a view that broadcasts to the input again.
Tensor keep_dims(const Tensor& result, IntArrayRef sizes, DimSet dims);
/// @throws ShapeError when groups are empty: then there is no largest element.
void check_not_empty(const char* op, const Tensor& x, DimSet dims);

}  // namespace td
