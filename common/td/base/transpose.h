// Exchanges the rows and columns of a small matrix in memory. kernels/pointwise.h calls it for
// operands whose columns are contiguous and not their rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace td {

/// to[c * to_stride + r] = from[r * from_stride + c] for r < rows and c < columns.
/// Strides are in elements of `element_bytes` bytes: 1, 2, 4 or 8.
void transpose(void* to, std::int64_t to_stride, const void* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns, std::size_t element_bytes) noexcept;

}  // namespace td
