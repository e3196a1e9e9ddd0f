// cuBLAS by the host's BLAS, or by loops where there is none. Each function is work of the handle's
// stream. Invariant: matrices and vectors are memory that a device can reach; others are reported.
#include "cuda/cublas_context.h"

#include <cmath>
#include <vector>

#ifdef TD_HAS_OPENBLAS
#include <cblas.h>
#endif

#include "cuda/report.h"
#include "cuda/shadow.h"
#include "cuda/state.h"

namespace td::cudart {
namespace {

/// A matrix or a vector of a call.
struct Operand {
  const void* data;
  std::size_t bytes;
};

std::size_t columns(int ld, int count) {
  return static_cast<std::size_t>(ld) * static_cast<std::size_t>(count);
}
template <class T>
Operand vector_of(const T* x, int n, int step) {
  return {x,
          n > 0 ? (static_cast<std::size_t>(n - 1) * static_cast<std::size_t>(std::abs(step)) + 1) *
                      sizeof(T)
                : 0};
}

/// Queues the work. @param result is written by it: the call waits where the host reads it.
template <class Work>
cublasStatus_t queue(const Call& call, cublasHandle_t handle, std::vector<Operand> operands,
                     Work work, bool waits = false) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cudaError_t error = run_call(call, [&](State& all, Lock& lock) -> cudaError_t {
    for (const Operand& operand : operands) {
      if (operand.bytes == 0) continue;
      const Found found = find_memory(all, operand.data, operand.bytes);
      if (found.block && !found.is_beyond) {
        shadow::mark(operand.data, operand.bytes);
        continue;
      }
      if (!found.block && is_variable(operand.data)) continue;
      report(call.caller, std::string(call.name) + " is given " +
                              (found.is_beyond ? "memory that is too small for these sizes"
                               : found.freed   ? "memory that was freed"
                                             : "memory of the host: copy it to the device first"));
      return cudaErrorInvalidValue;
    }
    Stream* const stream = find_stream(all, handle->stream);
    if (!stream) return cudaErrorInvalidResourceHandle;
    const OperationPtr queued = enqueue(all, *stream, std::move(work));
    if (waits) wait_for(all, queued, lock);
    return cudaSuccess;
  });
  return error ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

template <class T>
void gemm(bool ta, bool tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc) {
#ifdef TD_HAS_OPENBLAS
  const auto flag = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
  if constexpr (std::is_same_v<T, float>)
    return cblas_sgemm(CblasColMajor, flag(ta), flag(tb), m, n, k, alpha, a, lda, b, ldb, beta, c,
                       ldc);
  if constexpr (std::is_same_v<T, double>)
    return cblas_dgemm(CblasColMajor, flag(ta), flag(tb), m, n, k, alpha, a, lda, b, ldb, beta, c,
                       ldc);
#endif
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      T sum = 0;
      for (int l = 0; l < k; ++l)
        sum += (ta ? a[l + columns(lda, i)] : a[i + columns(lda, l)]) *
               (tb ? b[j + columns(ldb, l)] : b[l + columns(ldb, j)]);
      T& to = c[i + columns(ldc, j)];
      to = alpha * sum + (beta == 0 ? T(0) : beta * to);
    }
}

/// The value of alpha or beta: now, or when the work runs where it is on the device.
template <class T>
class Scalar {
 public:
  Scalar(cublasHandle_t handle, const T* value) : place_(value) {
    if (!handle || handle->mode == CUBLAS_POINTER_MODE_HOST) kept_ = *value, place_ = nullptr;
  }
  T operator*() const { return place_ ? *place_ : kept_; }

 private:
  const T* place_;
  T kept_ = T();
};

bool transposes(cublasOperation_t operation) { return operation != CUBLAS_OP_N; }

struct Shape {
  cublasOperation_t ta, tb;
  int m, n, k, lda, ldb, ldc;
  long long sa = 0, sb = 0, sc = 0;
  int count = 1;
  bool is_valid() const {
    return m >= 0 && n >= 0 && k >= 0 && count >= 0 && lda >= std::max(1, transposes(ta) ? k : m) &&
           ldb >= std::max(1, transposes(tb) ? n : k) && ldc >= std::max(1, m);
  }
  /// Elements of all matrices of an operand.
  std::size_t a() const { return extent(transposes(ta) ? k : m, transposes(ta) ? m : k, lda, sa); }
  std::size_t b() const { return extent(transposes(tb) ? n : k, transposes(tb) ? k : n, ldb, sb); }
  std::size_t c() const { return extent(m, n, ldc, sc); }

 private:
  std::size_t extent(int rows, int cols, int ld, long long stride) const {
    if (rows == 0 || cols == 0 || count == 0) return 0;
    return static_cast<std::size_t>(count - 1) * static_cast<std::size_t>(stride) +
           columns(ld, cols - 1) + static_cast<std::size_t>(rows);
  }
};

template <class T>
cublasStatus_t products(const Call& call, cublasHandle_t handle, const Shape& s, const T* alpha,
                        const T* a, const T* b, const T* beta, T* c) {
  if (!s.is_valid()) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<T> first(handle, alpha), second(handle, beta);
  return queue(call, handle,
               {{a, s.a() * sizeof(T)}, {b, s.b() * sizeof(T)}, {c, s.c() * sizeof(T)}}, [=] {
                 for (int i = 0; i < s.count; ++i)
                   gemm<T>(transposes(s.ta), transposes(s.tb), s.m, s.n, s.k, *first, a + i * s.sa,
                           s.lda, b + i * s.sb, s.ldb, *second, c + i * s.sc, s.ldc);
               });
}

/// Elements of 16 bits are computed as float, and rounded once.
template <class T, class S>
cublasStatus_t narrow_product(const Call& call, cublasHandle_t handle, const Shape& s,
                              const S* alpha, const T* a, const T* b, const S* beta, void* c,
                              bool is_float) {
  if (!s.is_valid()) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar<S> first(handle, alpha), second(handle, beta);
  const std::size_t size = is_float ? sizeof(float) : sizeof(T);
  return queue(call, handle, {{a, s.a() * sizeof(T)}, {b, s.b() * sizeof(T)}, {c, s.c() * size}},
               [=] {
                 const std::vector<float> wide_a(a, a + s.a()), wide_b(b, b + s.b());
                 const T* const from = static_cast<const T*>(c);
                 const float* const wide = static_cast<const float*>(c);
                 std::vector<float> result(s.c());
                 for (std::size_t i = 0; i < result.size(); ++i)
                   result[i] = is_float ? wide[i] : static_cast<float>(from[i]);
                 gemm<float>(transposes(s.ta), transposes(s.tb), s.m, s.n, s.k,
                             static_cast<float>(*first), wide_a.data(), s.lda, wide_b.data(), s.ldb,
                             static_cast<float>(*second), result.data(), s.ldc);
                 for (std::size_t i = 0; i < result.size(); ++i)
                   if (is_float)
                     static_cast<float*>(c)[i] = result[i];
                   else
                     static_cast<T*>(c)[i] = T(result[i]);
               });
}

/// A function of vectors with a result, which the host reads, or the device.
template <class R, class Work>
cublasStatus_t reduce(const Call& call, cublasHandle_t handle, std::vector<Operand> operands,
                      R* result, Work work) {
  const bool waits = handle && handle->mode == CUBLAS_POINTER_MODE_HOST;
  return queue(
      call, handle, std::move(operands), [=] { *result = static_cast<R>(work()); }, waits);
}

/// The first element of a vector whose step may be negative.
template <class T>
T* first_of(T* x, int n, int step) {
  return step < 0 ? x + static_cast<std::ptrdiff_t>(1 - n) * step : x;
}

}  // namespace
}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

#define CALL(name) \
  { name, TD_CUDA_CALLER }
#define TD_CUBLAS(S, T)                                                                            \
  cublasStatus_t cublas##S##gemm(                                                                  \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,      \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return products<T>(CALL("cublas" #S "gemm"), handle, {ta, tb, m, n, k, lda, ldb, ldc}, alpha,  \
                       a, b, beta, c);                                                             \
  }                                                                                                \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,      \
      const T* alpha, const T* a, int lda, long long sa, const T* b, int ldb, long long sb,        \
      const T* beta, T* c, int ldc, long long sc, int count) {                                     \
    return products<T>(CALL("cublas" #S "gemmStridedBatched"), handle,                             \
                       {ta, tb, m, n, k, lda, ldb, ldc, sa, sb, sc, count}, alpha, a, b, beta, c); \
  }                                                                                                \
  /* A product with a matrix of one column, whose elements may be apart. */                        \
  cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,        \
                                 const T* beta, T* y, int incy) {                                  \
    const int from = transposes(trans) ? m : n, to = transposes(trans) ? n : m;                    \
    const Scalar<T> first(handle, alpha), second(handle, beta);                                    \
    return queue(CALL("cublas" #S "gemv"), handle,                                                 \
                 {{a, (columns(lda, n - 1) + static_cast<std::size_t>(m)) * sizeof(T)},            \
                  vector_of(x, from, incx),                                                        \
                  vector_of(y, to, incy)},                                                         \
                 [=] {                                                                             \
                   const T* const px = first_of(x, from, incx);                                    \
                   T* const py = first_of(y, to, incy);                                            \
                   for (int i = 0; i < to; ++i) {                                                  \
                     T sum = 0;                                                                    \
                     for (int l = 0; l < from; ++l)                                                \
                       sum +=                                                                      \
                           (transposes(trans) ? a[l + columns(lda, i)] : a[i + columns(lda, l)]) * \
                           px[l * incx];                                                           \
                     T& result = py[i * incy];                                                     \
                     result = *first * sum + (*second == 0 ? T(0) : *second * result);             \
                   }                                                                               \
                 });                                                                               \
  }                                                                                                \
  cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x,         \
                                 int incx, T* y, int incy) {                                       \
    const Scalar<T> factor(handle, alpha);                                                         \
    return queue(CALL("cublas" #S "axpy"), handle, {vector_of(x, n, incx), vector_of(y, n, incy)}, \
                 [=] {                                                                             \
                   const T* const px = first_of(x, n, incx);                                       \
                   T* const py = first_of(y, n, incy);                                             \
                   for (int i = 0; i < n; ++i) py[i * incy] += *factor * px[i * incx];             \
                 });                                                                               \
  }                                                                                                \
  cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y,         \
                                 int incy) {                                                       \
    return queue(CALL("cublas" #S "copy"), handle, {vector_of(x, n, incx), vector_of(y, n, incy)}, \
                 [=] {                                                                             \
                   const T* const px = first_of(x, n, incx);                                       \
                   T* const py = first_of(y, n, incy);                                             \
                   for (int i = 0; i < n; ++i) py[i * incy] = px[i * incx];                        \
                 });                                                                               \
  }                                                                                                \
  cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {   \
    const Scalar<T> factor(handle, alpha);                                                         \
    return queue(CALL("cublas" #S "scal"), handle, {vector_of(x, n, incx)}, [=] {                  \
      for (int i = 0; i < n; ++i) x[i * incx] *= *factor;                                          \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y,    \
                                int incy, T* result) {                                             \
    return reduce(CALL("cublas" #S "dot"), handle, {vector_of(x, n, incx), vector_of(y, n, incy)}, \
                  result, [=] {                                                                    \
                    const T *const px = first_of(x, n, incx), *const py = first_of(y, n, incy);    \
                    double sum = 0;                                                                \
                    for (int i = 0; i < n; ++i) sum += double{px[i * incx]} * py[i * incy];        \
                    return sum;                                                                    \
                  });                                                                              \
  }                                                                                                \
  cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result) {  \
    return reduce(CALL("cublas" #S "nrm2"), handle, {vector_of(x, n, incx)}, result, [=] {         \
      double sum = 0;                                                                              \
      for (int i = 0; i < n; ++i) sum += double{x[i * incx]} * x[i * incx];                        \
      return std::sqrt(sum);                                                                       \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result) {  \
    return reduce(CALL("cublas" #S "asum"), handle, {vector_of(x, n, incx)}, result, [=] {         \
      double sum = 0;                                                                              \
      for (int i = 0; i < n; ++i) sum += std::abs(x[i * incx]);                                    \
      return sum;                                                                                  \
    });                                                                                            \
  }
TD_CUBLAS(S, float)
TD_CUBLAS(D, double)

/// From 1, as in Fortran; 0 where there is no element.
#define TD_CUBLAS_AMAX(name, T)                                                          \
  cublasStatus_t name(cublasHandle_t handle, int n, const T* x, int incx, int* result) { \
    return reduce(CALL(#name), handle, {vector_of(x, n, incx)}, result, [=] {            \
      int best = 0;                                                                      \
      for (int i = 1; i < n; ++i)                                                        \
        if (std::abs(x[i * incx]) > std::abs(x[best * incx])) best = i;                  \
      return n > 0 ? best + 1 : 0;                                                       \
    });                                                                                  \
  }
TD_CUBLAS_AMAX(cublasIsamax, float)
TD_CUBLAS_AMAX(cublasIdamax, double)

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const __half* alpha, const __half* a, int lda,
                           const __half* b, int ldb, const __half* beta, __half* c, int ldc) {
  return narrow_product<__half, __half>(
      CALL("cublasHgemm"), handle, {ta, tb, m, n, k, lda, ldb, ldc}, alpha, a, b, beta, c, false);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType_t type_a, int lda, const void* b, cudaDataType_t type_b,
                            int ldb, const void* beta, void* c, cudaDataType_t type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  const Call call{"cublasGemmEx", TD_CUDA_CALLER};
  const Shape shape{ta, tb, m, n, k, lda, ldb, ldc};
  const auto run = [&]<class T, class S>(T, S) {
    return narrow_product<T, S>(call, handle, shape, static_cast<const S*>(alpha),
                                static_cast<const T*>(a), static_cast<const T*>(b),
                                static_cast<const S*>(beta), c, type_c == CUDA_R_32F);
  };
  const auto wide = [&]<class T>(T) {
    return products<T>(call, handle, shape, static_cast<const T*>(alpha), static_cast<const T*>(a),
                       static_cast<const T*>(b), static_cast<const T*>(beta), static_cast<T*>(c));
  };
  const bool is_float = compute != CUBLAS_COMPUTE_16F && compute != CUBLAS_COMPUTE_64F;
  if (type_a != type_b || (type_c != type_a && type_c != CUDA_R_32F))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (type_a == CUDA_R_32F && is_float) return wide(float());
  if (type_a == CUDA_R_64F && compute == CUBLAS_COMPUTE_64F) return wide(double());
  if (type_a == CUDA_R_16F && is_float) return run(__half(), float());
  if (type_a == CUDA_R_16BF && is_float) return run(__nv_bfloat16(), float());
  if (type_a == CUDA_R_16F && type_c == CUDA_R_16F && compute == CUBLAS_COMPUTE_16F)
    return run(__half(), __half());
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // extern "C"
