// expect: ld
// Right for more than one row. The stride of a single row may be smaller than the row is long.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

namespace blas = td::simt::blas;

td::Tensor gemm(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  td::Tensor c = td::empty({m, n}, a.options());
  blas::Handle handle(a.device());
  blas::set_stream(handle, td::getCurrentStream(a.device()));
  const bool ta = a.stride(1) != 1, tb = b.stride(1) != 1;
  const int lda = static_cast<int>(a.stride(ta ? 1 : 0));
  const int ldb = static_cast<int>(b.stride(tb ? 1 : 0));
  const float one = 1, zero = 0;
  using blas::Operation;
  blas::sgemm(handle, tb ? Operation::kTranspose : Operation::kNone,
              ta ? Operation::kTranspose : Operation::kNone, n, m, k, &one, b, ldb, a, lda, &zero,
              c, n);
  return c;
}
