#include "exercises.h"

#include <algorithm>

#include "td/exercise.h"

// answer: adds_to_the_result
// expect: on cpu, after a tensor of NaN: index
// Right where the new tensor happens to hold zeros: beta 1 adds to what was there.
namespace adds_to_the_result {
namespace blas = td::simt::blas;

namespace {

bool by_rows(const td::Tensor& x) {
  return x.stride(1) == 1 && (x.size(0) == 1 || x.stride(0) >= x.size(1));
}
blas::Operation operation(const td::Tensor& x) {
  return by_rows(x) ? blas::Operation::kNone : blas::Operation::kTranspose;
}
int ld(const td::Tensor& x) {
  return static_cast<int>(by_rows(x) ? std::max(x.stride(0), x.size(1))
                                     : std::max(x.stride(1), x.size(0)));
}

}  // namespace

td::Tensor gemm(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.device());
  blas::Handle handle(a.device());
  blas::set_stream(handle, td::getCurrentStream(a.device()));
  const float one = 1, zero = 1;
  blas::sgemm(handle, operation(b), operation(a), n, m, k, &one, b, ld(b), a, ld(a), &zero, c, n);
  return c;
}
}  // namespace adds_to_the_result

// answer: copies_first
// expect: 2 operations on cpu besides sgemm read a matrix, expected none
// Every product is right. But each view is copied before it is multiplied.
namespace copies_first {
namespace blas = td::simt::blas;

namespace {

bool by_rows(const td::Tensor& x) {
  return x.stride(1) == 1 && (x.size(0) == 1 || x.stride(0) >= x.size(1));
}
blas::Operation operation(const td::Tensor& x) {
  return by_rows(x) ? blas::Operation::kNone : blas::Operation::kTranspose;
}
int ld(const td::Tensor& x) {
  return static_cast<int>(by_rows(x) ? std::max(x.stride(0), x.size(1))
                                     : std::max(x.stride(1), x.size(0)));
}

}  // namespace

td::Tensor gemm(const td::Tensor& given_a, const td::Tensor& given_b) {
  const td::Tensor a = given_a.contiguous(), b = given_b.contiguous();
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.device());
  blas::Handle handle(a.device());
  blas::set_stream(handle, td::getCurrentStream(a.device()));
  const float one = 1, zero = 0;
  blas::sgemm(handle, operation(b), operation(a), n, m, k, &one, b, ld(b), a, ld(a), &zero, c, n);
  return c;
}
}  // namespace copies_first

// answer: default_stream
// expect: "sgemm" on the default stream reads 6400 bytes
// Right on the default stream. On another one, the product does not wait for its factors.
namespace default_stream {
namespace blas = td::simt::blas;

namespace {

bool by_rows(const td::Tensor& x) {
  return x.stride(1) == 1 && (x.size(0) == 1 || x.stride(0) >= x.size(1));
}
blas::Operation operation(const td::Tensor& x) {
  return by_rows(x) ? blas::Operation::kNone : blas::Operation::kTranspose;
}
int ld(const td::Tensor& x) {
  return static_cast<int>(by_rows(x) ? std::max(x.stride(0), x.size(1))
                                     : std::max(x.stride(1), x.size(0)));
}

}  // namespace

td::Tensor gemm(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.device());
  blas::Handle handle(a.device());
  const float one = 1, zero = 0;
  blas::sgemm(handle, operation(b), operation(a), n, m, k, &one, b, ld(b), a, ld(a), &zero, c, n);
  return c;
}
}  // namespace default_stream

// answer: factors_not_swapped
// expect: m = 4, n = 4, k = 4 on cpu, a whole, b whole: index 0: expected -8, got 11
// The call of a textbook with matrices by columns. Right for 1 x 1.
namespace factors_not_swapped {
namespace blas = td::simt::blas;

namespace {

bool by_rows(const td::Tensor& x) {
  return x.stride(1) == 1 && (x.size(0) == 1 || x.stride(0) >= x.size(1));
}
blas::Operation operation(const td::Tensor& x) {
  return by_rows(x) ? blas::Operation::kNone : blas::Operation::kTranspose;
}
int ld(const td::Tensor& x) {
  return static_cast<int>(by_rows(x) ? std::max(x.stride(0), x.size(1))
                                     : std::max(x.stride(1), x.size(0)));
}

}  // namespace

td::Tensor gemm(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.device());
  blas::Handle handle(a.device());
  blas::set_stream(handle, td::getCurrentStream(a.device()));
  const float one = 1, zero = 0;
  blas::sgemm(handle, operation(a), operation(b), m, n, k, &one, a, ld(a), b, ld(b), &zero, c, m);
  return c;
}
}  // namespace factors_not_swapped

// answer: ld_counts_rows
// expect: sgemm: A (parameter 8) has 2 elements from its first to its last
// Right for square matrices. Elsewhere ld is the number of rows, not their distance.
namespace ld_counts_rows {
namespace blas = td::simt::blas;

namespace {

bool by_rows(const td::Tensor& x) {
  return x.stride(1) == 1 && (x.size(0) == 1 || x.stride(0) >= x.size(1));
}
blas::Operation operation(const td::Tensor& x) {
  return by_rows(x) ? blas::Operation::kNone : blas::Operation::kTranspose;
}
int ld(const td::Tensor& x) { return static_cast<int>(by_rows(x) ? x.size(0) : x.size(1)); }

}  // namespace

td::Tensor gemm(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.device());
  blas::Handle handle(a.device());
  blas::set_stream(handle, td::getCurrentStream(a.device()));
  const float one = 1, zero = 0;
  blas::sgemm(handle, operation(b), operation(a), n, m, k, &one, b, ld(b), a, ld(a), &zero, c, n);
  return c;
}
}  // namespace ld_counts_rows

// answer: rows_as_long_as_sizes
// expect: a whole, b a slice: index 0: expected -15
// Right for whole matrices. The rows of a slice are farther apart than they are long.
namespace rows_as_long_as_sizes {
namespace blas = td::simt::blas;

namespace {

bool by_rows(const td::Tensor& x) {
  return x.stride(1) == 1 && (x.size(0) == 1 || x.stride(0) >= x.size(1));
}
blas::Operation operation(const td::Tensor& x) {
  return by_rows(x) ? blas::Operation::kNone : blas::Operation::kTranspose;
}
int ld(const td::Tensor& x) { return static_cast<int>(by_rows(x) ? x.size(1) : x.size(0)); }

}  // namespace

td::Tensor gemm(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), k = static_cast<int>(a.size(1));
  const int n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.device());
  blas::Handle handle(a.device());
  blas::set_stream(handle, td::getCurrentStream(a.device()));
  const float one = 1, zero = 0;
  blas::sgemm(handle, operation(b), operation(a), n, m, k, &one, b, ld(b), a, ld(a), &zero, c, n);
  return c;
}
}  // namespace rows_as_long_as_sizes

// answer: strides_of_one_row
// expect: ld
// Right for more than one row. The stride of a single row may be smaller than the row is long.
namespace strides_of_one_row {
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
}  // namespace strides_of_one_row
