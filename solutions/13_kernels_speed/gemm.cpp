// gemm: exercise 13.gemm, declared in exercises.h.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

namespace blas = td::simt::blas;

// solution only
namespace {

/// A factor as cuBLAS sees it. A matrix that is stored by rows is a transposed one for cuBLAS. The
/// product is computed transposed as well, so such a factor needs no transpose.
struct Factor {
  explicit Factor(const td::Tensor& x) {
    // The stride of a matrix with one row has no meaning, but cuBLAS requires a valid one.
    const bool by_rows = x.stride(1) == 1 && (x.size(0) == 1 || x.stride(0) >= x.size(1));
    operation = by_rows ? blas::Operation::kNone : blas::Operation::kTranspose;
    ld = static_cast<int>(by_rows ? std::max(x.stride(0), x.size(1))
                                  : std::max(x.stride(1), x.size(0)));
  }
  blas::Operation operation;
  int ld;
};

}  // namespace
// end

td::Tensor gemm(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.device());
  blas::Handle handle(a.device());
  blas::set_stream(handle, td::getCurrentStream(a.device()));
  // blank: C by rows is its transpose by columns, and that is B^T A^T. About 4 lines.
  const float one = 1, zero = 0;
  const Factor left(a), right(b);
  blas::sgemm(handle, right.operation, left.operation, n, m, k, &one, b, right.ld, a, left.ld,
              &zero, c, n);
  // end
  return c;
}
