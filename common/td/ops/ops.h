// The index of operations: every free function a program can call on tensors, with libtorch's
// names and argument order. Element-wise functions stand in tensor/*.def, one line each.
#pragma once

#include <string_view>

#include "td/ops/views/arrange.h"
#include "td/ops/softmax/losses.h"
#include "td/ops/views/views.h"
#include "td/tensor/indexing.h"
#include "td/tensor/nested.h"
#include "td/tensor/tensor.h"

namespace td {

/// @name Element-wise functions of one tensor (tensor/unary_*.def); `name_` works in place
/// @{
#define UNARY(name, saves, forward, gradient) \
  Tensor name(const Tensor& input);           \
  Tensor& name##_(Tensor& input);
#include "td/ops/pointwise/unary_any.def"
#include "td/ops/pointwise/unary_float.def"
#undef UNARY
/// @}

/// @name Element-wise functions of two tensors (tensor/binary*.def); sizes broadcast
/// @{
#define BINARY(name, expression, gradient_a, gradient_b) \
  Tensor name(const Tensor& input, const Tensor& other);
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_whole.def"
#undef BINARY
/// input + alpha * other
Tensor add(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
/// input - alpha * other
Tensor sub(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor add(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
Tensor sub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
Tensor mul(const Tensor& input, const Scalar& other);
Tensor div(const Tensor& input, const Scalar& other);
/// Rounded towards 0 ("trunc") or down ("floor"); without a mode, the quotient itself.
Tensor div(const Tensor& input, const Tensor& other, optional<std::string_view> rounding_mode);
Tensor div(const Tensor& input, const Scalar& other, optional<std::string_view> rounding_mode);
Tensor remainder(const Tensor& input, const Scalar& other);
Tensor remainder(const Scalar& input, const Tensor& other);
Tensor pow(const Tensor& input, const Scalar& exponent);
Tensor pow(const Scalar& base, const Tensor& exponent);
/// 1 where a > b, 1/2 where they are equal, else 0: how maximum shares its gradient.
Tensor share_above(const Tensor& a, const Tensor& b);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
Tensor operator-(const Scalar& a, const Tensor& b);
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
Tensor operator/(const Scalar& a, const Tensor& b);
/// @}

/// @name Comparison and choice; results of comparisons are bool tensors
/// @{
#define COMPARISON(name, expression)                     \
  Tensor name(const Tensor& input, const Tensor& other); \
  Tensor name(const Tensor& input, const Scalar& other);
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON
#define TD_COMPARE(symbol, name, mirrored)                                               \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return name(a, b); } \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { return name(a, b); } \
  inline Tensor operator symbol(const Scalar& a, const Tensor& b) { return mirrored(b, a); }
TD_COMPARE(==, eq, eq)
TD_COMPARE(!=, ne, ne)
TD_COMPARE(<, lt, gt)
TD_COMPARE(<=, le, ge)
TD_COMPARE(>, gt, lt)
TD_COMPARE(>=, ge, le)
#undef TD_COMPARE
/// `input` where `condition` (bool) holds, else `other`; sizes broadcast.
Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other);
Tensor where(const Tensor& condition, const Scalar& input, const Tensor& other);
Tensor where(const Tensor& condition, const Tensor& input, const Scalar& other);
Tensor where(const Tensor& condition, const Scalar& input, const Scalar& other);
/// The places where `condition` is not 0: one int64 vector a dimension. Waits for the device.
TensorList where(const Tensor& condition);
/// @}

/// @name Products; both arguments have one dtype
/// @{
/// Matrices [m, k] times [k, n]. @throws ShapeError, DtypeError, DeviceError as all products do.
Tensor mm(const Tensor& input, const Tensor& mat2);
/// Matrix [m, k] times vector [k].
Tensor mv(const Tensor& input, const Tensor& vec);
/// Inner product of two vectors: a tensor without dimensions.
Tensor dot(const Tensor& input, const Tensor& tensor);
/// As many products of matrices as there are: [b, m, k] times [b, k, n].
Tensor bmm(const Tensor& input, const Tensor& mat2);
/// The product that the numbers of dimensions ask for: vectors count as one row (left) or one
/// column (right), which the result does not have; sizes before the last two broadcast.
Tensor matmul(const Tensor& input, const Tensor& other);
/// beta * input + alpha * (mat1 mat2); `input` broadcasts and is not read when beta is 0.
Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta = 1,
             const Scalar& alpha = 1);
/// All products of an element of one vector [m] with one of the other [n]: [m, n].
Tensor outer(const Tensor& input, const Tensor& vec2);
/// input [..., in_features] times weight [out_features, in_features] transposed, plus bias
/// [out_features]: the layer nn::Linear.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// @}

/// @name Element-wise functions of three tensors (ops/pointwise/ternary.def); sizes broadcast
/// @{
/// input + value * tensor1 * tensor2
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value = 1);
/// input + value * tensor1 / tensor2; floating point only.
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value = 1);
/// input + weight * (end - input); floating point only.
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight);
Tensor lerp(const Tensor& input, const Tensor& end, const Scalar& weight);
/// @}

/// @name Activations with parameters (ops/pointwise/activation.def). @throws DtypeError for whole numbers
/// @{
/// input where it is positive, else negative_slope * input.
Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope = 0.01);
Tensor& leaky_relu_(Tensor& input, const Scalar& negative_slope = 0.01);
/// scale * input where it is positive, else scale * alpha * (exp(input_scale * input) - 1)
/// (Clevert et al., 2016).
Tensor elu(const Tensor& input, const Scalar& alpha = 1, const Scalar& scale = 1,
           const Scalar& input_scale = 1);
Tensor& elu_(Tensor& input, const Scalar& alpha = 1, const Scalar& scale = 1,
             const Scalar& input_scale = 1);
/// log(1 + exp(beta * input)) / beta; the input itself where beta * input is above threshold.
Tensor softplus(const Tensor& input, const Scalar& beta = 1, const Scalar& threshold = 20);
/// input * P(X <= input) for a standard normal X (Hendrycks and Gimpel, 2016); "tanh" takes their
/// approximation.
Tensor gelu(const Tensor& input, std::string_view approximate = "none");
/// input * sigmoid(input)
Tensor silu(const Tensor& input);
Tensor& silu_(Tensor& input);
/// @}

/// @name Logic, tests of values, limits
/// @{
Tensor logical_not(const Tensor& input);
/// Of bool tensors, or bit by bit of whole numbers. @throws DtypeError for real numbers.
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator&(const Tensor& a, const Scalar& b);
Tensor operator|(const Tensor& a, const Scalar& b);
Tensor operator~(const Tensor& a);
Tensor isnan(const Tensor& input);
Tensor isinf(const Tensor& input);
Tensor isfinite(const Tensor& input);
/// Same sizes and same values; waits for the device.
bool equal(const Tensor& input, const Tensor& other);
/// |input - other| <= atol + rtol * |other| everywhere; waits for the device.
bool allclose(const Tensor& input, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
/// Values limited to [min, max]; NaN stays. @throws Error when neither limit is given.
Tensor clamp(const Tensor& input, optional<Scalar> min, optional<Scalar> max = nullopt);
Tensor clamp_min(const Tensor& input, const Scalar& min);
Tensor clamp_max(const Tensor& input, const Scalar& max);
/// `value` where `mask` (bool) holds, else the input; sizes broadcast.
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Scalar& value);
/// The same with a 0-dimensional tensor, which gets the gradient of what it filled.
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Tensor& value);
/// @}

/// @name Reductions. No dims named means all; a reduced dimension stays as size 1 with keepdim
/// @{
/// Whole numbers and bool add up as int64.
Tensor sum(const Tensor& input, optional<ScalarType> dtype = nullopt);
Tensor sum(const Tensor& input, IntArrayRef dims, bool keepdim = false,
           optional<ScalarType> dtype = nullopt);
/// @throws DtypeError for whole numbers unless a float `dtype` is given.
Tensor mean(const Tensor& input, optional<ScalarType> dtype = nullopt);
Tensor mean(const Tensor& input, IntArrayRef dims, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor prod(const Tensor& input, optional<ScalarType> dtype = nullopt);
Tensor prod(const Tensor& input, std::int64_t dim, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
/// @throws ShapeError when there is no element to choose.
Tensor max(const Tensor& input);
Tensor min(const Tensor& input);
/// The larger or smaller of two elements: maximum and minimum under their older names.
inline Tensor max(const Tensor& input, const Tensor& other) { return maximum(input, other); }
inline Tensor min(const Tensor& input, const Tensor& other) { return minimum(input, other); }
/// (values, places) along one dimension; the first of equal elements.
std::tuple<Tensor, Tensor> max(const Tensor& input, std::int64_t dim, bool keepdim = false);
std::tuple<Tensor, Tensor> min(const Tensor& input, std::int64_t dim, bool keepdim = false);
Tensor amax(const Tensor& input, IntArrayRef dims = {}, bool keepdim = false);
Tensor amin(const Tensor& input, IntArrayRef dims = {}, bool keepdim = false);
/// Without `dim`, the place in the flattened tensor.
Tensor argmax(const Tensor& input, optional<std::int64_t> dim = nullopt, bool keepdim = false);
Tensor argmin(const Tensor& input, optional<std::int64_t> dim = nullopt, bool keepdim = false);
Tensor any(const Tensor& input);
Tensor any(const Tensor& input, std::int64_t dim, bool keepdim = false);
Tensor all(const Tensor& input);
Tensor all(const Tensor& input, std::int64_t dim, bool keepdim = false);
/// Divides by count - 1 when unbiased, else by count. With a bool alone, of all elements; any other
/// number is a dimension.
Tensor var(const Tensor& input, IntArrayRef dims = {}, bool unbiased = true, bool keepdim = false);
template <class B, class = std::enable_if_t<std::is_same_v<B, bool>>>
Tensor var(const Tensor& input, B unbiased) {
  return var(input, IntArrayRef(), unbiased);
}
Tensor std(const Tensor& input, IntArrayRef dims = {}, bool unbiased = true, bool keepdim = false);
template <class B, class = std::enable_if_t<std::is_same_v<B, bool>>>
Tensor std(const Tensor& input, B unbiased) {
  return td::std(input, IntArrayRef(), unbiased);
}
/// (sum of |x|^p)^(1/p); p may be infinite (the largest |x|) or 0 (how many are not 0).
Tensor norm(const Tensor& input, const Scalar& p = 2);
Tensor norm(const Tensor& input, const Scalar& p, IntArrayRef dims, bool keepdim = false);
/// log(sum(exp(x))), without overflow.
Tensor logsumexp(const Tensor& input, IntArrayRef dims, bool keepdim = false);
/// exp(x) / sum(exp(x)) along `dim`, and its logarithm.
Tensor softmax(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype = nullopt);
Tensor log_softmax(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype = nullopt);
/// @}

/// @name Selection by index; index tensors are int64, on the input's device
/// @{
/// The slices index[0], index[1], ... of dimension `dim`.
Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& index);
/// out[i][j] = input[index[i][j]][j] for dim 0, input[i][index[i][j]] for dim 1, ...
Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index);
/// A copy with input[index[i][j]][j] = source[i][j] (dim 0), or a number there.
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source);
Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index, const Scalar& value);
/// A copy with source added at these places; equal places add up.
Tensor scatter_add(const Tensor& input, std::int64_t dim, const Tensor& index,
                   const Tensor& source);
/// A copy with alpha * slice i of source added to slice index[i].
Tensor index_add(const Tensor& input, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
/// The elements where `mask` holds, in one dimension. Waits for the device: the size is data.
Tensor masked_select(const Tensor& input, const Tensor& mask);
/// Places of the elements that are not 0: [how many, dim()]. Waits for the device.
Tensor nonzero(const Tensor& input);
/// 1 at place x of a new last dimension, else 0. @param num_classes -1: the largest x plus 1.
Tensor one_hot(const Tensor& input, std::int64_t num_classes = -1);
/// Rows of `weight` [V, D] chosen by `indices` of any sizes. The row `padding_idx` (when not
/// negative) gets no gradient.
Tensor embedding(const Tensor& weight, const Tensor& indices, std::int64_t padding_idx = -1);
/// @}

/// @name Joining
/// @{
/// Tensors one after the other along an existing dimension; types meet by promotion.
Tensor cat(const TensorList& tensors, std::int64_t dim = 0);
/// Tensors of equal sizes side by side along a new dimension.
Tensor stack(const TensorList& tensors, std::int64_t dim = 0);
/// Views of all of them in the sizes they broadcast to.
TensorList broadcast_tensors(const TensorList& tensors);
/// @}

/// @name New tensors. `options` say type and device; values are made on the device itself
/// @{
/// From a number, nested braces or a vector: `tensor({{1, 2}, {3, 4}})`. Whole numbers become
/// int64, real ones float32. @throws ShapeError when rows have different lengths.
Tensor tensor(const NestedNumbers& values, const TensorOptions& options = {});
Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {});
Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});
/// The type is the value's (int64, float32 or bool) unless given.
Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& like, const TensorOptions& options = {});
Tensor ones_like(const Tensor& like, const TensorOptions& options = {});
Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options = {});
Tensor rand_like(const Tensor& like, const TensorOptions& options = {});
Tensor randn_like(const Tensor& like, const TensorOptions& options = {});
/// start, start + step, ... below end. int64 when all three are whole numbers, else float32.
Tensor arange(const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options = {});
/// `steps` numbers evenly from start to end, both included.
Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps,
                const TensorOptions& options = {});
/// 1 on the diagonal, else 0.
Tensor eye(std::int64_t n, const TensorOptions& options = {});
Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options = {});
/// @}

/// @name Random values: the same for the same seed on every device
/// @{
/// Starts the random stream of this process anew.
void manual_seed(std::uint64_t seed);
/// Uniform in [0, 1).
Tensor rand(IntArrayRef sizes, const TensorOptions& options = {});
/// Standard normal.
Tensor randn(IntArrayRef sizes, const TensorOptions& options = {});
/// Whole numbers in [low, high); int64 unless a type is given.
Tensor randint(std::int64_t high, IntArrayRef sizes, const TensorOptions& options = {});
Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef sizes,
               const TensorOptions& options = {});
/// The numbers 0 to n-1 in random order, int64.
Tensor randperm(std::int64_t n, const TensorOptions& options = {});
/// @}

/// @name Convolution, pooling, normalisation
/// A window's numbers (kernel, stride, padding, dilation) are one for both directions or {height,
/// width}. Channels-last images stay channels-last. Images are [batch, channels, height, width] or
/// [channels, height, width].
/// @{
/// Cross-correlation of images with weight [out_channels, in_channels / groups, kernel_height,
/// kernel_width], plus bias [out_channels].
/// @throws ShapeError, DtypeError, DeviceError naming the argument that does not fit.
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              IntArrayRef stride = 1, IntArrayRef padding = 0, IntArrayRef dilation = 1,
              std::int64_t groups = 1);
/// The largest value under each window; NaN counts as the largest. Padding never wins. An empty
/// `stride` means kernel_size. With `ceil_mode` a last window may reach beyond the image.
Tensor max_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, IntArrayRef dilation = 1, bool ceil_mode = false);
/// The same, and where the maxima are: y * width + x in their plane, int64.
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                   IntArrayRef stride = {}, IntArrayRef padding = 0,
                                                   IntArrayRef dilation = 1,
                                                   bool ceil_mode = false);
/// The mean under each window. Padding counts as zeros unless `count_include_pad` is false;
/// `divisor_override` replaces the count.
Tensor avg_pool2d(const Tensor& input, IntArrayRef kernel_size, IntArrayRef stride = {},
                  IntArrayRef padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  optional<std::int64_t> divisor_override = nullopt);
/// Means over output_size windows that split the image as evenly as possible: window i of n covers
/// [floor(i * size / n), ceil((i + 1) * size / n)).
Tensor adaptive_avg_pool2d(const Tensor& input, IntArrayRef output_size);
/// (x - mean) / sqrt(variance + eps) * weight + bias, channel by channel; the channels are
/// dimension 1 and all four others are [channels]. In training mean and variance are the batch's,
/// and the running ones (when defined) move by `momentum` towards them, the variance unbiased;
/// otherwise the running ones are used. Parameters may be float32 beside a 16-bit input.
Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps);
/// The same over the last dimensions, which are `normalized_shape`; weight and bias have its sizes.
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);
/// In training: zero with probability p, else input / (1 - p). Otherwise the input itself.
Tensor dropout(const Tensor& input, double p, bool train);
/// @}

}  // namespace td
