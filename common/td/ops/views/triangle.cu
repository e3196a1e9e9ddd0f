// tril and triu: the last two dimensions with zeros on one side of a diagonal. One pass over the
// rows copies what is kept and writes the zeros.
#include "td/kernels/rows.h"
#include "td/ops/index/index_shape.h"

namespace td {
namespace {

/// T: an unsigned integer as large as the elements, because all zeros have no bits set.
template <class T>
struct Triangle {
  const T* x;
  T* out;
  std::int64_t rows;  // of each matrix
  std::int64_t diagonal;
  bool lower;

  template <class Row>
  TD_HD void operator()(const Row& row, std::int64_t i) const {
    const T* const from = x + i * row.n;
    T* const to = out + i * row.n;
    // The elements [begin, end) are kept.
    std::int64_t border = i % rows + diagonal + (lower ? 1 : 0);
    border = border < 0 ? 0 : border < row.n ? border : row.n;
    const std::int64_t begin = lower ? 0 : border, end = lower ? border : row.n;
    if constexpr (Row::kOnHost) {  // without a comparison per element
      row.each([&](std::int64_t j) { to[j] = T{}; });
      for (std::int64_t j = begin; j < end; ++j) to[j] = from[j];
    } else {
      row.each([&](std::int64_t j) { to[j] = j >= begin && j < end ? from[j] : T{}; });
    }
  }
};

Tensor triangle(const char* op, const Tensor& input, std::int64_t diagonal, bool lower) {
  const Device device = device_of(op, input);
  TD_CHECK(ShapeError, input.dim() >= 2, op,
           ": expected at least 2 dimensions but \"input\" has sizes ", input.sizes());
  const Tensor x = input.detach().contiguous();
  Tensor y = empty_on(x.impl().sizes, x.dtype(), device);
  dispatch_width(x.element_size(), [&]<class T>(CppType<T>) {
    const Triangle<T> program{Pointer{x}, Pointer{y}, x.size(-2), diagonal, lower};
    launch(op, device, rows_work(program, row_shape(x.sizes(), x.dim() - 1)), {&x}, {&y});
  });
  if (recording(input))
    record(op, y, {&input},
           [op, diagonal, lower](const Tensor& g) { return triangle(op, g, diagonal, lower); });
  return y;
}

}  // namespace

Tensor tril(const Tensor& input, std::int64_t diagonal) {
  return triangle("tril", input, diagonal, true);
}
Tensor triu(const Tensor& input, std::int64_t diagonal) {
  return triangle("triu", input, diagonal, false);
}

}  // namespace td
