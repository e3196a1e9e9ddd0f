// The kernels that operations of several families launch, one function per kernel. The operation
// has checked the sizes and types of the tensors and allocated the results. Works on every device.
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

/// order[..., k] (int64) = index of the k-th element of each row of x [..., n], for k < first; the
/// rest of `order` may have any order. Equal elements keep theirs, and NaN counts as the largest.
void sort_rows(const Tensor& order, const Tensor& x, bool descending, std::int64_t first);

/// @name Index: where to read, where to write; tensors dense and row-major, index int64.
/// An index outside its dimension is an error that names `op`.
/// Sources that go to one element get there in the order of the index, so that the bits are the
/// same on every device. A long index on cuda is sorted for it; `sorted` does so anywhere, for
/// tests.
/// @{
/// self[o, index[i], ...] += alpha * source[o, i, ...], each sum rounded; index has one dimension.
void index_add(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
               const Tensor& source, double alpha, bool sorted = false);
/// self[o, index[i], ...] = source[o, i, ...]: of equal indices, the last one counts.
void index_copy(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
                const Tensor& source, bool sorted = false);
/// out[i][j] = x[index[i][j]][j] for dim 0, and so on; index may be smaller than x elsewhere.
/// Returns a new tensor.
Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index);
/// self[index[i][j]][j] = source[i][j], or += with `add`, each sum rounded.
void scatter(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
             const Tensor& source, bool add, bool sorted = false);
/// @}

/// out = alpha * (a b) + beta * out, for matrices [m, k] [k, n] or batches of them [b, m, k]
/// [b, k, n]; then `bias` [n], when defined, is added to every row. One element type for all.
/// @pre out is contiguous and overlaps no argument; with a bias, beta is 0.
void matmul(const char* name, const Tensor& out, const Tensor& a, const Tensor& b,
            const Tensor& bias = {}, double alpha = 1, double beta = 0);

}  // namespace td::kernels
