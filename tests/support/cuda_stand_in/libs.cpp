// The stand-in for libtd_cuda_libs.so: matrix products and convolutions by the host's own, which
// have tests of their own. Types and layouts that the host does not take go by way of float.
// Collectives are NCCL's own wrapper on the stand-in for NCCL (libs/nccl.cpp).
#include "td/backends/cuda/libs/stream_state.h"

#include <functional>
#include <memory>

#include "stand_in.h"
#include "td/base/error.h"
#include "td/kernels/libs/host_libs.h"
#include "td/tensor/dtype.h"

namespace td::cuda {
namespace {

/// A tensor [n, c, h, w] of a convolution, as the device holds it.
struct Images {
  void* data;
  ScalarType dtype;
  bool channels_last;
  int n, c, h, w;

  std::size_t count() const { return std::size_t(n) * c * h * w; }
  /// Calls f(place in memory, place in a contiguous tensor).
  template <class F>
  void each(F f) const {
    std::size_t dense = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < c; ++j)
        for (int y = 0; y < h; ++y)
          for (int x = 0; x < w; ++x, ++dense)
            f(channels_last ? ((std::size_t(i) * h + y) * w + x) * c + j : dense, dense);
  }
  template <class F>
  void with_type(F f) const {
    if (dtype == kHalf) return f(static_cast<Half*>(data));
    if (dtype == kBFloat16) return f(static_cast<BFloat16*>(data));
    f(static_cast<float*>(data));
  }
  std::vector<float> read() const {
    std::vector<float> dense_values(count());
    with_type([&](auto* from) {
      each([&](std::size_t at, std::size_t dense) { dense_values[dense] = float(from[at]); });
    });
    return dense_values;
  }
  void write(const std::vector<float>& dense_values) const {
    with_type([&](auto* to) {
      using T = std::remove_reference_t<decltype(*to)>;
      each(
          [&](std::size_t at, std::size_t dense) { to[at] = static_cast<T>(dense_values[dense]); });
    });
  }
};

void check_memory(const void* data, const Where& where) {
  if (cuda_stand_in::memory_device(data) != where.device)
    fail<DeviceError>("the stand-in for NVIDIA's libraries was given memory that is not of cuda:",
                      where.device);
}

/// One of the three convolutions: `work(sizes, a, b, to)` on contiguous float or double.
template <class Work>
void convolve(const Conv2d& v, Images a, Images b, Images to, Where where, Work work) {
  for (const Images* side : {&a, &b, &to}) check_memory(side->data, where);
  cuda_stand_in::queue(where.device, where.stream, [=] {
    Conv2d sizes = v;
    if (v.dtype == kDouble || (v.dtype == kFloat && !v.channels_last))
      return work(sizes, a.data, b.data, to.data);
    sizes.dtype = kFloat;
    sizes.channels_last = false;
    std::vector<float> result(to.count());
    work(sizes, a.read().data(), b.read().data(), result.data());
    to.write(result);
  });
}

void gemm(const Gemm& g, const void* a, const void* b, void* c, Where where) {
  for (const void* side : {a, b, static_cast<const void*>(c)}) check_memory(side, where);
  cuda_stand_in::queue(where.device, where.stream,
                       [=] { kernels::host_gemm(g, a, b, nullptr, c); });
}

bool gemm_with_bias(const Gemm& g, const void* a, const void* b, const void* bias, void* c,
                    Where where) {
  for (const void* side : {a, b, bias, static_cast<const void*>(c)}) check_memory(side, where);
  cuda_stand_in::queue(where.device, where.stream, [=] { kernels::host_gemm(g, a, b, bias, c); });
  return true;
}

void conv2d(ConvKind kind, const Conv2d& v, const void* first, const void* second, void* result,
            Where where) {
  const auto images = [&](const void* data, int n, int c, int h, int w) {
    return Images{const_cast<void*>(data), v.dtype, v.channels_last, n, c, h, w};
  };
  const auto input = [&](const void* data) { return images(data, v.n, v.c, v.h, v.w); };
  const auto weight = [&](const void* data) { return images(data, v.k, v.c / v.groups, v.r, v.s); };
  const auto output = [&](const void* data) { return images(data, v.n, v.k, v.oh, v.ow); };
  if (kind == ConvKind::kForward)
    return convolve(v, input(first), weight(second), output(result), where,
                    [](const auto& sizes, const void* x, const void* w, void* y) {
                      kernels::host_conv2d(sizes, x, w, nullptr, y);
                    });
  if (kind == ConvKind::kBackwardInput)
    return convolve(v, output(first), weight(second), input(result), where,
                    [](const auto& sizes, const void* g, const void* w, void* to) {
                      kernels::host_conv2d_backward(sizes, g, nullptr, w, to, nullptr);
                    });
  convolve(v, output(first), input(second), weight(result), where,
           [](const auto& sizes, const void* g, const void* x, void* to) {
             kernels::host_conv2d_backward(sizes, g, x, nullptr, nullptr, to);
           });
}

Libs functions{gemm, gemm_with_bias, conv2d, new_nccl_id, join_nccl};

}  // namespace
}  // namespace td::cuda

td::cuda::Libs* td_cuda_libs() { return &td::cuda::functions; }
