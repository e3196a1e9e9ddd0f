// Convolution as matrix products, for float64 and for builds without oneDNN. im2col writes the
// input pixels under each position of the kernel into one column; then the convolution of an image
// is weight [k, c r s] times columns [c r s, oh ow].
#include "libs/host_libs.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "td/base/parallel.h"

namespace td::kernels {
namespace {

// Calls f(column element, pixel index or -1 in the padding) for all of one image and group.
template <class F>
void each_pixel(const Conv2d& v, F&& f) {
  const int channels = v.c / v.groups;
  std::int64_t at = 0;
  for (int c = 0; c < channels; ++c)
    for (int r = 0; r < v.r; ++r)
      for (int s = 0; s < v.s; ++s)
        for (int oh = 0; oh < v.oh; ++oh) {
          const int h = oh * v.stride_h - v.padding_h + r * v.dilation_h;
          for (int ow = 0; ow < v.ow; ++ow, ++at) {
            const int w = ow * v.stride_w - v.padding_w + s * v.dilation_w;
            const bool inside = h >= 0 && h < v.h && w >= 0 && w < v.w;
            f(at, inside ? (std::int64_t(c) * v.h + h) * v.w + w : -1);
          }
        }
}

// Sizes of one image and group, in elements.
struct Parts {
  std::int64_t positions, patch, input, output, weight, kernels;
  explicit Parts(const Conv2d& v)
      : positions(std::int64_t(v.oh) * v.ow),
        patch(std::int64_t(v.c / v.groups) * v.r * v.s),
        input(std::int64_t(v.c / v.groups) * v.h * v.w),
        output(v.k / v.groups * positions),
        weight(v.k / v.groups * patch),
        kernels(v.k / v.groups) {}
};

template <class T>
Gemm product(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
             double beta) {
  return {.dtype = scalar_type_of<T>(),
          .transpose_a = transpose_a,
          .transpose_b = transpose_b,
          .m = m,
          .n = n,
          .k = k,
          .lda = transpose_a ? m : k,
          .ldb = transpose_b ? k : n,
          .ldc = n,
          .beta = beta};
}

template <class T>
T* columns_of_thread(const Parts& p) {
  thread_local std::vector<T> columns;
  columns.resize(static_cast<std::size_t>(p.patch * p.positions));
  return columns.data();
}

// Calls f(image and group, columns of this thread) for all images and groups, on several threads.
template <class T, class F>
void each_image(const Conv2d& v, const Parts& p, const F& f) {
  parallel_for(0, std::int64_t(v.n) * v.groups, 1, [&](std::int64_t from, std::int64_t to) {
    T* const columns = columns_of_thread<T>(p);
    for (std::int64_t i = from; i < to; ++i) f(i, columns);
  });
}

template <class T>
void im2col(const Conv2d& v, const T* image, T* columns) {
  each_pixel(v, [&](auto at, auto pixel) { columns[at] = pixel < 0 ? T(0) : image[pixel]; });
}

template <class T>
void forward(const Conv2d& v, const T* input, const T* weight, const T* bias, T* output) {
  const Parts p(v);
  each_image<T>(v, p, [&](std::int64_t i, T* columns) {
    const std::int64_t group = i % v.groups;
    T* y = output + i * p.output;
    im2col(v, input + i * p.input, columns);
    for (std::int64_t k = 0; k < p.kernels; ++k)
      std::fill_n(y + k * p.positions, p.positions, bias ? bias[group * p.kernels + k] : T(0));
    host_gemm(product<T>(false, false, p.kernels, p.positions, p.patch, 1),
              weight + group * p.weight, columns, nullptr, y);
  });
}

template <class T>
void backward_input(const Conv2d& v, const T* grad, const T* weight, T* grad_input) {
  const Parts p(v);
  each_image<T>(v, p, [&](std::int64_t i, T* columns) {
    host_gemm(product<T>(true, false, p.patch, p.positions, p.kernels, 0),
              weight + i % v.groups * p.weight, grad + i * p.output, nullptr, columns);
    T* image = grad_input + i * p.input;
    std::fill_n(image, p.input, T(0));
    each_pixel(v, [&](auto at, auto pixel) {
      if (pixel >= 0) image[pixel] += columns[at];
    });
  });
}

// Images are summed up one after another, so that the result does not depend on the threads.
template <class T>
void backward_weight(const Conv2d& v, const T* grad, const T* input, T* grad_weight) {
  const Parts p(v);
  T* columns = columns_of_thread<T>(p);
  std::fill_n(grad_weight, p.weight * v.groups, T(0));
  for (std::int64_t i = 0; i < std::int64_t(v.n) * v.groups; ++i) {
    const std::int64_t group = i % v.groups;
    im2col(v, input + i * p.input, columns);
    host_gemm(product<T>(false, true, p.kernels, p.patch, p.positions, 1), grad + i * p.output,
              columns, nullptr, grad_weight + group * p.weight);
  }
}

// Calls f(T()) for the type of a convolution that no library computes.
template <class F>
void with_type(ScalarType dtype, F f) {
  dtype == kDouble ? f(double()) : f(float());
}

}  // namespace

bool host_conv_takes_channels_last([[maybe_unused]] ScalarType dtype) {
#ifdef TD_HAS_ONEDNN
  return dtype == kFloat || dtype == kBFloat16;
#else
  return false;
#endif
}

void host_conv2d(const Conv2d& v, const void* input, const void* weight, const void* bias,
                 void* output) {
#ifdef TD_HAS_ONEDNN
  if (v.dtype != kDouble) return onednn_conv2d(v, input, weight, bias, output);
#endif
  with_type(v.dtype, [&]<class T>(T) {
    forward(v, static_cast<const T*>(input), static_cast<const T*>(weight),
            static_cast<const T*>(bias), static_cast<T*>(output));
  });
}

void host_conv2d_backward(const Conv2d& v, const void* grad, const void* input, const void* weight,
                          void* grad_input, void* grad_weight) {
#ifdef TD_HAS_ONEDNN
  if (v.dtype != kDouble)
    return onednn_conv2d_backward(v, grad, input, weight, grad_input, grad_weight);
#endif
  with_type(v.dtype, [&]<class T>(T) {
    const T* const g = static_cast<const T*>(grad);
    if (grad_input)
      backward_input(v, g, static_cast<const T*>(weight), static_cast<T*>(grad_input));
    if (grad_weight)
      backward_weight(v, g, static_cast<const T*>(input), static_cast<T*>(grad_weight));
  });
}

}  // namespace td::kernels
