// Moves elements that do not lie side by side. kernels/pointwise.h calls it where an operand's
// stride is not 1.
#pragma once

#include <cstddef>
#include <cstdint>

namespace td {

// Strides are in elements of `element_bytes` bytes: 1, 2, 4 or 8.

/// to[i] = from[i * stride] for i < n. The stride may be 0 or negative.
void gather_strided(void* to, const void* from, std::int64_t stride, std::int64_t n,
                    std::size_t element_bytes) noexcept;
/// to[i * stride] = from[i] for i < n.
void scatter_strided(void* to, std::int64_t stride, const void* from, std::int64_t n,
                     std::size_t element_bytes) noexcept;
/// to[c * to_stride + r] = from[r * from_stride + c] for r < rows and c < columns.
void transpose(void* to, std::int64_t to_stride, const void* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns, std::size_t element_bytes) noexcept;

}  // namespace td
