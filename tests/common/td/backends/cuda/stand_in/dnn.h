// Helpers of the tests of the double of cuDNN: a convolution with its handle, descriptors and
// arrays, and what loops in float64 make of it.
#pragma once

#include <cudnn.h>

#include "blas.h"

namespace fake {

struct Sizes {
  bool channels_last = false;
  int stride = 1, groups = 1, images = 3;
};

template <class T>
constexpr cudnnDataType_t kDnnType = CUDNN_DATA_FLOAT;
template <>
inline constexpr cudnnDataType_t kDnnType<double> = CUDNN_DATA_DOUBLE;
template <>
inline constexpr cudnnDataType_t kDnnType<td::Half> = CUDNN_DATA_HALF;
template <>
inline constexpr cudnnDataType_t kDnnType<td::BFloat16> = CUDNN_DATA_BFLOAT16;

/// A convolution of [n, 4, 6, 6] with [4, 4 / groups, 3, 2], padding 1 and 0.
template <class T>
struct Dnn {
  using Scale = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr int c = 4, h = 6, k = 4, r = 3, s = 2;
  const Sizes sizes;
  const int oh = (h + 2 - r) / sizes.stride + 1, ow = (h - s) / sizes.stride + 1;
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t x_ = nullptr, y_ = nullptr;
  cudnnFilterDescriptor_t w_ = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  Array<T> x{count(sizes.images, c, h, h), 1}, w{count(k, c / sizes.groups, r, s), 2},
      y{count(sizes.images, k, oh, ow), 3}, dx{count(sizes.images, c, h, h), 4},
      dw{count(k, c / sizes.groups, r, s), 5}, dy{count(sizes.images, k, oh, ow), 6};
  Array<float> workspace{1 << 16};
  std::size_t workspace_bytes = 1024;
  Scale alpha = 1, beta = 0;

  explicit Dnn(Sizes wanted) : sizes(wanted) {
    const auto format = sizes.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    cudaSetDevice(0);
    cudnnCreate(&handle);
    cudnnSetStream(handle, reinterpret_cast<cudaStream_t>(gpu::stream()));
    cudnnCreateTensorDescriptor(&x_), cudnnCreateTensorDescriptor(&y_);
    cudnnCreateFilterDescriptor(&w_), cudnnCreateConvolutionDescriptor(&conv);
    cudnnSetTensor4dDescriptor(x_, format, kDnnType<T>, sizes.images, c, h, h);
    cudnnSetTensor4dDescriptor(y_, format, kDnnType<T>, sizes.images, k, oh, ow);
    cudnnSetFilter4dDescriptor(w_, kDnnType<T>, format, k, c / sizes.groups, r, s);
    cudnnSetConvolution2dDescriptor(conv, 1, 0, sizes.stride, sizes.stride, 1, 1,
                                    CUDNN_CROSS_CORRELATION, kDnnType<Scale>);
    cudnnSetConvolutionGroupCount(conv, sizes.groups);
    cudnnSetConvolutionMathType(conv, CUDNN_FMA_MATH);
  }
  ~Dnn() {
    cudnnDestroyTensorDescriptor(x_), cudnnDestroyTensorDescriptor(y_);
    cudnnDestroyFilterDescriptor(w_), cudnnDestroyConvolutionDescriptor(conv);
    cudnnDestroy(handle);
  }
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;

  // By algorithm 1.
  cudnnStatus_t forward() {
    return cudnnConvolutionForward(handle, &alpha, x_, x.data(), w_, w.data(), conv,
                                   CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                                   workspace.data(), workspace_bytes, &beta, y_, y.data());
  }
  cudnnStatus_t backward_data() {
    return cudnnConvolutionBackwardData(handle, &alpha, w_, w.data(), y_, dy.data(), conv,
                                        CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, workspace.data(),
                                        workspace_bytes, &beta, x_, dx.data());
  }
  cudnnStatus_t backward_filter() {
    return cudnnConvolutionBackwardFilter(handle, &alpha, x_, x.data(), y_, dy.data(), conv,
                                          CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, workspace.data(),
                                          workspace_bytes, &beta, w_, dw.data());
  }

  std::vector<double> expected_y() const {
    return expected(y, [&](auto at_y, auto at_x, auto at_w, auto& sums) {
      sums[at_y] += host_x[at_x] * host_w[at_w];
    });
  }
  std::vector<double> expected_dx() const {
    return expected(dx, [&](auto at_y, auto at_x, auto at_w, auto& sums) {
      sums[at_x] += host_dy[at_y] * host_w[at_w];
    });
  }
  std::vector<double> expected_dw() const {
    return expected(dw, [&](auto at_y, auto at_x, auto at_w, auto& sums) {
      sums[at_w] += host_dy[at_y] * host_x[at_x];
    });
  }

  /// Where y[0, 0, 1, 0] is, which sees no padding at the filter's first element.
  std::size_t inner() const { return place(0, 0, 1, 0, k, oh, ow); }

 private:
  static std::size_t count(int a, int b, int e, int f) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b * e * f);
  }
  std::size_t place(int a, int b, int e, int f, int bs, int es, int fs) const {
    return static_cast<std::size_t>(sizes.channels_last ? ((a * es + e) * fs + f) * bs + b
                                                        : ((a * bs + b) * es + e) * fs + f);
  }
  static std::vector<double> wide(const Array<T>& array) {
    const std::vector<T> values = array.host();
    return std::vector<double>(values.begin(), values.end());
  }

  /// alpha * sums + beta * result, where add() adds each product to the sums.
  template <class Add>
  std::vector<double> expected(const Array<T>& result, Add add) const {
    const std::vector<double> before = wide(result);
    std::vector<double> sums(before.size());
    const int per_group = c / sizes.groups;
    for (int n = 0; n < sizes.images; ++n)
      for (int o = 0; o < k; ++o)
        for (int i = 0; i < oh * ow; ++i)
          for (int j = 0; j < per_group * r * s; ++j) {
            const int e = j % (r * s) / s, f = j % s, channel = j / (r * s);
            const int row = i / ow * sizes.stride - 1 + e, column = i % ow * sizes.stride + f;
            if (row < 0 || row >= h) continue;
            add(place(n, o, i / ow, i % ow, k, oh, ow),
                place(n, o / (k / sizes.groups) * per_group + channel, row, column, c, h, h),
                place(o, channel, e, f, per_group, r, s), sums);
          }
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = alpha * sums[i] + (beta == 0 ? 0 : beta * before[i]);
    return sums;
  }
  const std::vector<double> host_x = wide(x), host_w = wide(w), host_dy = wide(dy);
};

}  // namespace fake
