// Pooling of images, on every device. ops/pool/pool.cpp calls it; max_pool.cpp, max_pool_places.cpp and
// avg_pool.cpp do it. Images are dense: contiguous, or channels last (then input and output alike).
#pragma once

#include <array>

#include "td/tensor/tensor.h"

namespace td::kernels {

/// A window and its movement; pairs are {height, width}.
struct PoolWindow {
  std::array<std::int64_t, 2> kernel, stride, padding{0, 0}, dilation{1, 1};
};

/// What max_pool2d notes its places in: a byte each, or int32 for windows of more than 256 places.
inline ScalarType place_type(const PoolWindow& window) {
  return window.kernel[0] * window.kernel[1] <= 256 ? kByte : kInt;
}
/// output = the largest value under each window; `places` (of place_type), unless undefined, =
/// where in its window that lies, row * kernel width + column. NaN counts as the largest; of equal
/// values the first is taken.
void max_pool2d(const Tensor& output, const Tensor& places, const Tensor& input,
                const PoolWindow& window);
/// grad_input = each element of `grad` added at its place, zero elsewhere.
void max_pool2d_backward(const Tensor& grad_input, const Tensor& grad, const Tensor& places,
                         const PoolWindow& window);
/// output = input at `places`: what max_pool2d is, once the places are known.
void take_pooled(const Tensor& output, const Tensor& input, const Tensor& places,
                 const PoolWindow& window);
/// indices (int64, laid out as `places`) = y * width + x in a picture of {height, width}.
void max_pool2d_indices(const Tensor& indices, const Tensor& places,
                        const std::array<std::int64_t, 2>& picture, const PoolWindow& window);

/// How an average counts. `adaptive` splits the image into output.size windows and ignores the
/// rest.
struct AvgRule {
  bool adaptive = false;
  bool count_include_pad = true;      ///< padding counts as zeros
  std::int64_t divisor_override = 0;  ///< divide by this; 0: by the count
};
void avg_pool2d(const Tensor& output, const Tensor& input, const PoolWindow& window,
                const AvgRule& rule);
void avg_pool2d_backward(const Tensor& grad_input, const Tensor& grad, const PoolWindow& window,
                         const AvgRule& rule);

}  // namespace td::kernels
