// The arithmetic of all_reduce on host memory, for every element type. Called by the host
// transports.
#pragma once

#include <cstdint>

#include "distributed/collective.h"

namespace td::distributed {

/// result[i] = (a[i] + b[i] + ...) (op), over `count` arrays in their order; AVG divides the sum by
/// `count`. `result` may be one of the arrays.
void reduce_all(void* result, const void* const* arrays, int count, std::int64_t numel,
                ScalarType dtype, ReduceOp op);

}  // namespace td::distributed
