// One launch for a matrix product: finds out how the factors lie in memory, and hands them to
// libs/host_gemm (cpu, sim) or to cuBLAS (cuda).
#include "td/ops/gemm/gemm.h"

#include "td/device/precision.h"
#include "td/kernels/kernels.h"
#include "td/kernels/launch.h"
#include "td/kernels/libs/host_gemm.h"

#ifdef __CUDACC__
#include "td/backends/cuda/libs.h"
#endif

namespace td {
namespace {

using kernels::Gemm;

#ifdef __CUDACC__
// cuBLAS multiplies no whole numbers: one thread computes one element.
template <class T>
__global__ void integer_gemm_kernel(Gemm g, const T* a, const T* b, T* c) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= g.batch * g.m * g.n) return;
  const std::int64_t matrix = i / (g.m * g.n), row = i / g.n % g.m, column = i % g.n;
  a += matrix * g.stride_a + row * (g.transpose_a ? 1 : g.lda);
  b += matrix * g.stride_b + column * (g.transpose_b ? g.ldb : 1);
  T sum = 0;
  for (std::int64_t k = 0; k < g.k; ++k)
    sum += a[k * (g.transpose_a ? g.lda : 1)] * b[k * (g.transpose_b ? 1 : g.ldb)];
  T& target = c[matrix * g.stride_c + row * g.ldc + column];
  target = T(g.alpha) * sum + (g.beta == 0 ? T(0) : T(g.beta) * target);
}

template <class T>
void integer_gemm(const Gemm& g, const void* a, const void* b, void* c, cudaStream_t stream) {
  const std::int64_t blocks = (g.batch * g.m * g.n + 255) / 256;
  if (blocks == 0) return;
  integer_gemm_kernel<T><<<unsigned(blocks), 256, 0, stream>>>(
      g, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c));
}

inline cuda::Gemm for_cublas(const Gemm& g) {
  return {g.dtype,    g.transpose_a, g.transpose_b, g.m,         g.n,        g.k,
          g.lda,      g.ldb,         g.ldc,         g.batch,     g.stride_a, g.stride_b,
          g.stride_c, g.alpha,       g.beta,        allow_tf32()};
}
#endif

struct GemmWork {
  Gemm gemm;
  const void *a, *b, *bias;
  void* c;
  int device;
  bool* refused;  // cuda alone writes it, at once: it has no kernel that adds this bias

  void on_host() const { kernels::host_gemm(gemm, a, b, bias, c); }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    if (bias) {
      *refused = !is_floating_point(gemm.dtype) ||
                 !cuda::libs().gemm_with_bias(for_cublas(gemm), a, b, bias, c, {device, stream});
      return;
    }
    switch (gemm.dtype) {
      case kLong:
        return integer_gemm<std::int64_t>(gemm, a, b, c, stream);
      case kInt:
        return integer_gemm<std::int32_t>(gemm, a, b, c, stream);
      case kByte:
        return integer_gemm<std::uint8_t>(gemm, a, b, c, stream);
      default:
        return cuda::libs().gemm(for_cublas(gemm), a, b, c, {device, stream});
    }
  }
#endif
};

// A factor as a library may read it: rows without gaps, or, when `transposed`, columns.
struct Factor {
  const Tensor* given;
  Tensor copy;  // made when no library can read the tensor that was given
  bool transposed = false;
  std::int64_t ld = 1, batch_stride = 0;

  const Tensor& tensor() const { return copy.defined() ? copy : *given; }
};

Tensor converted(const Tensor& x, ScalarType dtype) {
  Tensor copy = empty_on(x.impl().sizes, dtype, x.device());
  kernels::convert(copy, x);
  return copy;
}

Factor readable(const Tensor& x) {
  const int d = static_cast<int>(x.dim());
  const std::int64_t rows = x.sizes()[d - 2], columns = x.sizes()[d - 1];
  const std::int64_t row_step = x.strides()[d - 2], column_step = x.strides()[d - 1];
  const std::int64_t batch_stride = d == 3 ? x.strides()[0] : 0;
  if ((column_step == 1 || columns <= 1) && (row_step >= columns || rows <= 1))
    return {
        &x, {}, false, std::max<std::int64_t>({1, columns, rows > 1 ? row_step : 1}), batch_stride};
  if ((row_step == 1 || rows <= 1) && (column_step >= rows || columns <= 1))
    return {&x,
            {},
            true,
            std::max<std::int64_t>({1, rows, columns > 1 ? column_step : 1}),
            batch_stride};
  Tensor copy = converted(x, x.dtype());
  Factor factor = readable(copy);
  factor.copy = std::move(copy);
  return factor;
}

// False where the device has no product that adds a bias; then nothing was done.
bool launch_gemm(const char* name, const Tensor& out, const Factor& a, const Factor& b,
                 const Tensor& bias, double alpha, double beta) {
  const int d = static_cast<int>(out.dim());
  Gemm g;
  g.dtype = out.dtype();
  g.transpose_a = a.transposed;
  g.transpose_b = b.transposed;
  g.m = out.sizes()[d - 2];
  g.n = out.sizes()[d - 1];
  g.k = a.tensor().sizes()[d - 1];
  g.lda = a.ld;
  g.ldb = b.ld;
  g.ldc = std::max<std::int64_t>(1, g.n);
  g.batch = d == 3 ? out.sizes()[0] : 1;
  g.stride_a = a.batch_stride;
  g.stride_b = b.batch_stride;
  g.stride_c = g.m * g.n;
  g.alpha = alpha;
  g.beta = beta;
  bool refused = false;
  const GemmWork work{g,
                      kernel_pointer<const void>(a.tensor()),
                      kernel_pointer<const void>(b.tensor()),
                      bias.defined() ? kernel_pointer<const void>(bias) : nullptr,
                      kernel_pointer<void>(out),
                      out.device().index(),
                      &refused};
  launch(name, out.device(), work, {&a.tensor(), &b.tensor(), &bias}, {&out});
  return !refused;
}

// out = beta * out, or the bias in every row: what is left where k is 0. Libraries refuse that, or
// leave `out` as it is.
void without_product(const Tensor& out, const Tensor& bias, double beta) {
  if (bias.defined()) return kernels::convert(out, bias);
  if (beta == 0) return kernels::fill(out, 0);
  const Tensor before = converted(out, out.dtype());
  kernels::fill(out, 0);
  kernels::add(out, out, before, beta);
}

}  // namespace

namespace kernels {

void matmul(const char* name, const Tensor& out, const Tensor& a, const Tensor& b,
            const Tensor& bias, double alpha, double beta) {
  if (out.numel() == 0) return;
  const ScalarType type = out.dtype();
  if (a.sizes()[a.dim() - 1] == 0) return without_product(out, bias, beta);
  const Factor first = readable(a), second = readable(b);
  const bool dense = !bias.defined() || bias.strides()[0] == 1 || bias.numel() == 1;
  const Tensor row = dense ? bias : converted(bias, type);
  if (launch_gemm(name, out, first, second, row, alpha, beta)) return;
  convert(out, bias);  // products add to what is there
  launch_gemm(name, out, first, second, {}, alpha, 1);
}

}  // namespace kernels
}  // namespace td
