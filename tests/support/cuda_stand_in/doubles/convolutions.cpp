// Queues and computes convolutions for the double of cuDNN: by the core's own host_conv2d, on
// contiguous float or double copies, and every result is rounded once.
#include "doubles/convolutions.h"

#include <algorithm>

#include "libs/host_libs.h"

namespace cuda_stand_in {
namespace {

using td::cuda::Conv2d;
using td::cuda::ConvKind;

/// Calls f(index in memory, index in a contiguous tensor) for all elements.
template <class F>
void for_each_element(const Images& x, F f) {
  std::int64_t dense = 0;
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t j = 0; j < x.c; ++j)
      for (std::int64_t y = 0; y < x.h; ++y)
        for (std::int64_t k = 0; k < x.w; ++k, ++dense)
          f(x.channels_last ? ((i * x.h + y) * x.w + k) * x.c + j : dense,
            static_cast<std::size_t>(dense));
}

template <class T, class Sum = typename SumOf<T>::type>
std::vector<Sum> read(const Images& x, const void* data, Factors factors) {
  const T* const from = static_cast<const T*>(device_view(data));
  std::vector<Sum> values(x.count());
  for_each_element(x, [&](std::int64_t at, std::size_t dense) {
    values[dense] = rounded(static_cast<Sum>(from[at]), factors);
  });
  return values;
}

/// Lets the images (axis 0) or the channels (axis 1) begin with another one.
template <class Sum>
void rotate(const Images& x, std::vector<Sum>& values, int axis, std::int64_t first) {
  const std::int64_t outer = axis == 0 ? 1 : x.n, size = axis == 0 ? x.n : x.c;
  const std::int64_t inner = axis == 0 ? x.c * x.h * x.w : x.h * x.w;
  for (std::int64_t i = 0; i < outer; ++i) {
    const auto begin = values.begin() + i * size * inner;
    std::rotate(begin, begin + first * inner, begin + size * inner);
  }
}

/// Both factors begin with another index of what is summed over, as an algorithm does that adds in
/// whichever order its blocks come.
template <class Sum>
void add_in_another_order(const ConvolutionCall& p, std::vector<Sum>& a, std::vector<Sum>& b) {
  if (p.kind == ConvKind::kBackwardWeight) {
    const auto first = static_cast<std::int64_t>(random(static_cast<std::uint64_t>(p.a.n)));
    rotate(p.a, a, 0, first);
    rotate(p.b, b, 0, first);
  } else if (p.sizes.groups == 1) {
    const bool forward = p.kind == ConvKind::kForward;  // else the weight comes first
    const std::int64_t summed = forward ? p.sizes.c : p.sizes.k;
    const auto first = static_cast<std::int64_t>(random(static_cast<std::uint64_t>(summed)));
    rotate(p.a, a, forward ? 1 : 0, first);
    rotate(p.b, b, 1, first);
  }
}

template <class Sum>
void convolve(const ConvolutionCall& p, const Sum* a, const Sum* b, Sum* c) {
  Conv2d sizes = p.sizes;
  sizes.dtype = std::is_same_v<Sum, double> ? td::kDouble : td::kFloat;
  sizes.channels_last = false;
  if (p.kind == ConvKind::kForward)
    td::kernels::host_conv2d(sizes, a, b, nullptr, c);
  else if (p.kind == ConvKind::kBackwardInput)
    td::kernels::host_conv2d_backward(sizes, b, nullptr, a, c, nullptr);
  else
    td::kernels::host_conv2d_backward(sizes, b, a, nullptr, nullptr, c);
}

template <class T>
void compute(const ConvolutionCall& p) {
  using Sum = typename SumOf<T>::type;
  std::vector<Sum> a = read<T>(p.a, p.a_data, p.factors), b = read<T>(p.b, p.b_data, p.factors);
  std::vector<Sum> sums(p.c.count());
  if (!p.deterministic) add_in_another_order(p, a, b);
  convolve(p, a.data(), b.data(), sums.data());
  T* const to = static_cast<T*>(device_view(p.c_data));
  const Sum alpha = static_cast<Sum>(p.alpha), beta = static_cast<Sum>(p.beta);
  for_each_element(p.c, [&](std::int64_t at, std::size_t dense) {
    Sum value = alpha * sums[dense];
    if (beta != 0) value += beta * static_cast<Sum>(to[at]);
    to[at] = static_cast<T>(value);
  });
}

std::vector<Use> uses_of(const ConvolutionCall& p) {
  std::vector<Use> uses = {{p.a_data, p.a.bytes(), false},
                           {p.b_data, p.b.bytes(), false},
                           {p.c_data, p.c.bytes(), true}};
  if (p.beta != 0) uses.push_back({p.c_data, p.c.bytes(), false});
  if (p.workspace.bytes) uses.push_back({p.workspace.data, p.workspace.bytes, true});
  return uses;
}

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto *first = static_cast<const char*>(a), *second = static_cast<const char*>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

bool check_places(const ConvolutionCall& p, int device) {
  const std::size_t element = td::element_size(p.c.dtype);
  if (overlap(p.a_data, p.a.bytes(), p.c_data, p.c.bytes()) ||
      overlap(p.b_data, p.b.bytes(), p.c_data, p.c.bytes())) {
    refuse(p.call, "the result overlaps a factor");
    return false;
  }
  const auto check = [&](const char* name, const void* data, std::size_t bytes, std::size_t to) {
    return check_memory(p.call, name, data, bytes, device, to);
  };
  return check("the first factor", p.a_data, p.a.bytes(), element) &&
         check("the second factor", p.b_data, p.b.bytes(), element) &&
         check("the result", p.c_data, p.c.bytes(), element) &&
         (p.workspace.bytes == 0 ||
          check("the workspace", p.workspace.data, p.workspace.bytes, 256));
}

/// A number that depends on the sizes and the seed.
std::uint64_t number_of(ConvKind kind, const Conv2d& v) {
  static const std::uint64_t seed = random(std::uint64_t{1} << 32);
  std::uint64_t result = seed;
  for (const int value : {static_cast<int>(kind), v.n, v.c, v.h, v.w, v.k, v.r, v.s, v.stride_h,
                          v.padding_h, v.dilation_h, v.groups})
    result = (result ^ static_cast<std::uint64_t>(value)) * 1099511628211u;
  return result >> 32;
}

}  // namespace

std::vector<Listed> own_algorithms(ConvKind kind, const Conv2d& sizes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  constexpr int kNotDeterministic[] = {CUDNN_CONVOLUTION_FWD_ALGO_DIRECT,
                                       CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                                       CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3};
  constexpr int kLast[] = {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                           CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD,
                           CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING};
  const bool narrow = td::element_size(sizes.dtype) == 2;
  const cudnnMathType_t fast = narrow ? CUDNN_TENSOR_OP_MATH : CUDNN_DEFAULT_MATH;
  const cudnnMathType_t slow = narrow ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
  const std::size_t some = 512 + std::size_t{64} * static_cast<std::size_t>(sizes.c) *
                                     static_cast<std::size_t>(sizes.r * sizes.s);
  const std::uint64_t number = number_of(kind, sizes);
  const auto refused = [&](int bit) {
    return number >> bit & 1 ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS;
  };
  const auto k = static_cast<std::size_t>(kind);
  return {{kNotDeterministic[k], fast, some, false},
          {5, fast, 0, true, CUDNN_STATUS_NOT_SUPPORTED},
          {2, fast, 600 * kMiB},
          {1, fast, 3 * some, true, CUDNN_STATUS_SUCCESS, refused(0)},
          {1, slow, some, true, CUDNN_STATUS_SUCCESS, refused(1)},
          {kLast[k], slow, 0}};
}

cudnnStatus_t queue_convolution(const ConvolutionCall& p, const Handle& handle) {
  if (!check_places(p, handle.device)) return CUDNN_STATUS_BAD_PARAM;
  const auto run = [p](bool) {
    p.workspace.use();
    with_type(p.c.dtype, [&]<class T>(T) { compute<T>(p); });
    p.workspace.spoil();
    return true;
  };
  const cudaError_t error = queue(p.call, handle.stream, {p.call, uses_of(p), run});
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

}  // namespace cuda_stand_in
