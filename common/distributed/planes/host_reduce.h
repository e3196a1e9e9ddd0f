// The arithmetic of all_reduce on host memory, for every element type. Called by the host planes.
#pragma once

#include <cstdint>

#include "distributed/collective.h"

namespace td::distributed {

/// into[i] = into[i] (op) from[i] for `numel` elements; AVG adds, like SUM. 16-bit types are
/// combined in float and rounded once a call.
void reduce_into(void* into, const void* from, std::int64_t numel, ScalarType dtype, ReduceOp op);
/// result[i] = (a[i] + b[i] + ...) (op), over `count` arrays in their order; AVG divides the sum by
/// `count`. `result` may be one of the arrays.
void reduce_all(void* result, const void* const* arrays, int count, std::int64_t numel,
                ScalarType dtype, ReduceOp op);
/// data[i] /= ranks, for floating point types: the second half of AVG.
void divide(void* data, std::int64_t numel, ScalarType dtype, int ranks);

}  // namespace td::distributed
