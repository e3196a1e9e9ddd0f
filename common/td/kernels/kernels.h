// Every kernel that ops/ calls: one function a kernel, on tensors whose sizes and types the
// operation has already checked. Results are allocated by the caller. Works on every device.
#pragma once

#include "td/kernels/geometry.h"
#include "td/kernels/reduce_shape.h"
#include "td/tensor/tensor.h"

namespace td::kernels {

/// @name Element-wise, from the .def lists: out = f(in...); sizes broadcast to out's
/// @{
#define UNARY(name, saves, forward, gradient)    \
  void name(const Tensor& out, const Tensor& x); \
  void name##_backward(const Tensor& out, const Tensor& g, const Tensor& saved);
#include "td/ops/pointwise/unary_any.def"
#include "td/ops/pointwise/unary_float.def"
#undef UNARY
#define BINARY(name, expression, gradient_a, gradient_b) \
  void name(const Tensor& out, const Tensor& a, const Tensor& b);
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_whole.def"
#undef BINARY
#define TERNARY(name, types, expression, gradient_a, gradient_b, gradient_c) \
  void name(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c, const Scalar& v);
#include "td/ops/pointwise/ternary.def"
#undef TERNARY
#define ACTIVATION(name, forward, gradient)                          \
  void name(const Tensor& out, const Tensor& x, double p, double q); \
  void name##_backward(const Tensor& out, const Tensor& g, const Tensor& x, double p, double q);
#include "td/ops/pointwise/activation.def"
#undef ACTIVATION
#define COMPARISON(name, expression) void name(const Tensor& out, const Tensor& a, const Tensor& b);
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON
/// @}

/// Bit by bit, of integers of out's type.
void bitwise_and(const Tensor& out, const Tensor& a, const Tensor& b);
void bitwise_or(const Tensor& out, const Tensor& a, const Tensor& b);
void bitwise_not(const Tensor& out, const Tensor& x);
/// out = a + alpha * b. All of one type.
void add(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha);
/// out = value, everywhere.
void fill(const Tensor& out, const Scalar& value);
/// out = x, converting the type; strides of both sides are free. Same device.
void convert(const Tensor& out, const Tensor& x);
/// out = condition ? a : b; condition is bool, a and b have out's type.
void where(const Tensor& out, const Tensor& condition, const Tensor& a, const Tensor& b);

/// @name Reductions over the dimensions in `dims`; `out` is dense, row-major over the others
/// @{
/// Floats: sum times factor (mean is a sum with factor 1/n). Whole numbers and bool: sum as int64.
void sum(const Tensor& out, const Tensor& x, DimSet dims, double factor = 1.0);
/// Float types and int64.
void prod(const Tensor& out, const Tensor& x, DimSet dims);
/// The largest and smallest element; NaN wins. On bool: any and all.
void amax(const Tensor& out, const Tensor& x, DimSet dims);
void amin(const Tensor& out, const Tensor& x, DimSet dims);
/// Where that element is (int64), counted over the reduced dimensions; the first of equal ones.
void argmax(const Tensor& out, const Tensor& x, DimSet dims);
void argmin(const Tensor& out, const Tensor& x, DimSet dims);
/// Sum of magnitudes, root of the sum of squares, largest magnitude.
void norm1(const Tensor& out, const Tensor& x, DimSet dims);
void norm2(const Tensor& out, const Tensor& x, DimSet dims);
void norm_infinity(const Tensor& out, const Tensor& x, DimSet dims);
/// Squared distances from the mean, summed and divided by (count - correction); or its root.
void var(const Tensor& out, const Tensor& x, DimSet dims, double correction, bool root);
/// @}

/// @name Row programs along dimension `dim`; all tensors dense and row-major, of one type
/// @{
void softmax(const Tensor& out, const Tensor& x, std::int64_t dim);
void log_softmax(const Tensor& out, const Tensor& x, std::int64_t dim);
/// Gradients of x from g and the result y.
void softmax_backward(const Tensor& out, const Tensor& g, const Tensor& y, std::int64_t dim);
void log_softmax_backward(const Tensor& out, const Tensor& g, const Tensor& y, std::int64_t dim);
/// order[..., k] (int64) = index of the k-th element of each row of x [..., n]; equal elements keep
/// their order, and NaN counts as the largest.
void sort_rows(const Tensor& order, const Tensor& x, bool descending);
/// @}

/// How class losses are made; see ops/loss.cpp.
struct ClassLoss {
  std::int64_t ignore_index = -100;  ///< targets with this value count for nothing
  double label_smoothing = 0;
  bool from_log = false;  ///< the input holds log-probabilities (nll_loss)
  bool mean = false;      ///< divide by the sum of the weights
};
/// Losses of rows of classes (dimension 1 of x [N, C, ...]) with int64 targets [N, ...].
/// losses, log_sums [N, ...]: the loss and log(sum(exp(row))) of each; total: 0-dimensional, the
/// sum of the losses, divided by weight_sum when kind.mean; weight_sum: 0-dimensional.
/// A target outside [0, C) that is not ignore_index is an error in words.
void class_loss(const Tensor& losses, const Tensor& log_sums, const Tensor& total,
                const Tensor& weight_sum, const Tensor& x, const Tensor& target,
                const Tensor& weight, const ClassLoss& kind);
/// Gradient of x; g is 0-dimensional or like target.
void class_loss_backward(const Tensor& out, const Tensor& g, const Tensor& x,
                         const Tensor& log_sums, const Tensor& weight_sum, const Tensor& target,
                         const Tensor& weight, const ClassLoss& kind);

/// @name Element losses (float types): d = input - target; reduced to one number times factor
/// @{
void mse_total(const Tensor& out, const Tensor& input, const Tensor& target, double factor);
/// out = g * factor * (input - target); g is 0-dimensional.
void mse_backward(const Tensor& out, const Tensor& g, const Tensor& input, const Tensor& target,
                  double factor);
/// @}

/// @name Index: where to read, where to write; tensors dense and row-major, index int64.
/// An index outside its dimension is an error in words that names `op`.
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
void gather(const Tensor& out, const Tensor& x, std::int64_t dim, const Tensor& index);
/// self[index[i][j]][j] = source[i][j], or += with `add`, each sum rounded.
void scatter(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index,
             const Tensor& source, bool add, bool sorted = false);
/// @}

/// @name Matrix products
/// @{
/// out = alpha * (a b) + beta * out, for matrices [m, k] [k, n] or batches of them [b, m, k]
/// [b, k, n]; then `bias` [n], when defined, is added to every row. One element type for all.
/// @pre out is contiguous and overlaps no argument; with a bias, beta is 0.
void matmul(const char* name, const Tensor& out, const Tensor& a, const Tensor& b,
            const Tensor& bias = {}, double alpha = 1, double beta = 0);
/// @}

}  // namespace td::kernels
