// The kernels that operations of several families launch, one function per kernel. The operation has
// checked the sizes and types of the tensors and allocated the results. Works on every device.
#pragma once

#include "td/kernels/geometry.h"
#include "td/tensor/tensor.h"

namespace td::kernels {

/// @name Element-wise: sizes broadcast to out's
/// @{
/// out = a + alpha * b. All of one type.
void add(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha);
/// out = value, everywhere.
void fill(const Tensor& out, const Scalar& value);
/// out = x, converting the type; strides of both sides are free. Same device.
void convert(const Tensor& out, const Tensor& x);
/// out = condition ? a : b; condition is bool, a and b have out's type.
void where(const Tensor& out, const Tensor& condition, const Tensor& a, const Tensor& b);
/// @}

/// @name Row programs along dimension `dim`; all tensors dense and row-major, of one type
/// @{
/// out = running sum or product along dim; sizes of 0-dimensional tensors count as one row.
void cumsum(const Tensor& out, const Tensor& x, std::int64_t dim);
void cumprod(const Tensor& out, const Tensor& x, std::int64_t dim);
/// order[..., k] (int64) = place of the k-th element of each row of x [..., n]; equal elements keep
/// their order, and NaN counts as the largest.
void sort_rows(const Tensor& order, const Tensor& x, bool descending);
/// @}

/// @name Index: where to read, where to write; tensors dense and row-major, index int64.
/// An index outside its dimension is an error in words that names `op`.
/// Sources that go to one element get there in the order of the index, so that the bits are the
/// same on every device. A long index on cuda is sorted for it; `sorted` does so anywhere, for
/// tests.
/// @{
/// out[o, i, ...] = x[o, index[i], ...] where dimension `dim` of x has `n` entries.
void index_select(const char* op, const Tensor& out, const Tensor& x, std::int64_t dim,
                  const Tensor& index);
/// self[o, index[i], ...] += alpha * source[o, i, ...], each sum rounded; index has one dimension.
void index_add(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
               const Tensor& source, double alpha, bool sorted = false);
/// self[o, index[i], ...] = source[o, i, ...]: of equal indices, the last one counts.
void index_copy(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                const Tensor& source, bool sorted = false);
/// out[i][j] = x[index[i][j]][j] for dim 0, and so on; index may be smaller than x elsewhere.
void gather(const Tensor& out, const Tensor& x, std::int64_t dim, const Tensor& index);
/// rows[i] = rows[i] * n + index[i], index counted from the back where it is negative: one more
/// dimension (of size n) of an index into several; `rows` starts as zeros.
void fold_index(const char* op, const Tensor& rows, const Tensor& index, std::int64_t n);
/// self[index[i][j]][j] = source[i][j], or += with `add`, each sum rounded.
void scatter(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
             const Tensor& source, bool add, bool sorted = false);
/// @}

/// @name Sequences and random values; `out` is dense
/// @{
/// out[i] = start + i * step.
void arange(const Tensor& out, const Scalar& start, const Scalar& step);
/// Evenly from start to end, both included.
void linspace(const Tensor& out, double start, double end);
/// A piece of a random stream: the same numbers on every device.
struct RandomStream {
  std::uint64_t seed, offset;
};
/// Uniform in [from, to).
void uniform(const Tensor& out, RandomStream random, double from, double to);
void normal(const Tensor& out, RandomStream random, double mean, double std);
/// 1 with probability p, else 0; any type.
void bernoulli(const Tensor& out, RandomStream random, double p);
/// Whole numbers from `low` on, `count` different ones; 0 stands for 2^64. Any type.
void randint(const Tensor& out, RandomStream random, std::int64_t low, std::uint64_t count);
/// @}

}  // namespace td::kernels
