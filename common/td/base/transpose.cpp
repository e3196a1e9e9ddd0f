// The matrix is divided into blocks of 8 rows and one cache line of columns. Rows are often a power
// of two apart, and then all lines of a column compete for the same few places of the cache: a
// block uses all of a line before that line is evicted.
#include "td/base/transpose.h"

#include <algorithm>

namespace td {

namespace {

template <class T>
void transpose_as(T* to, std::int64_t to_stride, const T* from, std::int64_t from_stride,
                  std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kRows = 8, kColumns = 64 / sizeof(T);
  for (std::int64_t r = 0; r < rows; r += kRows)
    for (std::int64_t c = 0; c < columns; c += kColumns) {
      T* const y = to + c * to_stride + r;
      const T* const x = from + r * from_stride + c;
      const auto block = [=](std::int64_t height, std::int64_t width) {
        for (std::int64_t j = 0; j < width; ++j)
          for (std::int64_t i = 0; i < height; ++i) y[j * to_stride + i] = x[i * from_stride + j];
      };
      if (r + kRows <= rows && c + kColumns <= columns)
        block(kRows, kColumns);  // constants, so that the compiler unrolls the loops
      else
        block(std::min(kRows, rows - r), std::min(kColumns, columns - c));
    }
}

template <class T>
void transpose_bytes(void* to, std::int64_t to_stride, const void* from, std::int64_t from_stride,
                     std::int64_t rows, std::int64_t columns) {
  transpose_as(static_cast<T*>(to), to_stride, static_cast<const T*>(from), from_stride, rows,
               columns);
}

}  // namespace

void transpose(void* to, std::int64_t to_stride, const void* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns, std::size_t element_bytes) noexcept {
  const auto run = element_bytes == 1   ? transpose_bytes<std::uint8_t>
                   : element_bytes == 2 ? transpose_bytes<std::uint16_t>
                   : element_bytes == 4 ? transpose_bytes<std::uint32_t>
                                        : transpose_bytes<std::uint64_t>;
  run(to, to_stride, from, from_stride, rows, columns);
}

}  // namespace td
