// The matrix of a transpose is divided into blocks of 8 rows and one cache line of columns. Rows
// are often a power of two apart, and then all lines of a column compete for the same few places of
// the cache: a block uses all of a line before that line is evicted.
#include "td/base/strided.h"

#include <algorithm>

namespace td {

namespace {

// Calls f with a pointer to the integer type of that size.
template <class F>
void with_element(std::size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(static_cast<std::uint8_t*>(nullptr));
    case 2:
      return f(static_cast<std::uint16_t*>(nullptr));
    case 4:
      return f(static_cast<std::uint32_t*>(nullptr));
    default:
      return f(static_cast<std::uint64_t*>(nullptr));
  }
}

template <class T>
void gather_as(T* to, const T* from, std::int64_t stride, std::int64_t n) {
  if (stride == 0)
    std::fill_n(to, n, *from);
  else if (stride == -1)  // becomes vector instructions
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[-i];
  else
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
}

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

}  // namespace

void gather_strided(void* to, const void* from, std::int64_t stride, std::int64_t n,
                    std::size_t element_bytes) noexcept {
  with_element(element_bytes, [=]<class T>(T*) {
    gather_as(static_cast<T*>(to), static_cast<const T*>(from), stride, n);
  });
}

void scatter_strided(void* to, std::int64_t stride, const void* from, std::int64_t n,
                     std::size_t element_bytes) noexcept {
  with_element(element_bytes, [=]<class T>(T*) {
    for (std::int64_t i = 0; i < n; ++i)
      static_cast<T*>(to)[i * stride] = static_cast<const T*>(from)[i];
  });
}

void transpose(void* to, std::int64_t to_stride, const void* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns, std::size_t element_bytes) noexcept {
  with_element(element_bytes, [=]<class T>(T*) {
    transpose_as(static_cast<T*>(to), to_stride, static_cast<const T*>(from), from_stride, rows,
                 columns);
  });
}

}  // namespace td
