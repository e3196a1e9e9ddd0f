// The choice of product: small ones by small_gemm, where a library's call would cost more than the
// work; float32 and bfloat16 by oneDNN, float64 by OpenBLAS, and float32 too where B's rows collide
// in the cache; 16-bit types otherwise by narrow_gemm; what no library serves by plain_gemm.
#include "td/kernels/libs/host_libs.h"

#include <string_view>

#include "td/base/parallel.h"
#include "td/kernels/libs/own_gemm.h"

#ifdef TD_HAS_OPENBLAS
#include <cblas.h>
#endif
#ifdef TD_HAS_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace td::kernels {
namespace {

// Multiplications below which our own loops are the fastest: a call of oneDNN costs 0.4 us.
constexpr std::int64_t kSmall = 1024;

/// Whether oneDNN computes by AVX-512 here.
bool has_avx512() {
#ifdef TD_HAS_ONEDNN
  static const bool has =
      (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
  return has;
#else
  return false;
#endif
}

/// What one thread is expected to take, in nanoseconds: for the multiplications, and for B, which a
/// library reads and packs first. Measured on a Zen 3 with AVX2, see docs/measurements/threads.md;
/// the rate for AVX-512 is not measured.
double expected_time(const Gemm& g) {
  const double multiplications = static_cast<double>(g.m * g.n) * static_cast<double>(g.k);
  const double per_nanosecond = has_avx512() ? 200 : 45;
  return multiplications / per_nanosecond + static_cast<double>(g.n * g.k) / 8;
}

/// Keeps the libraries to the calling thread while it lives, when `wanted`.
class OneThread {
 public:
  explicit OneThread(bool wanted) : width_(wanted ? parallel_width() : 1) {
    if (width_ > 1) set_parallel_width(1);
  }
  ~OneThread() {
    if (width_ > 1) set_parallel_width(width_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int width_;
};

#if defined(TD_HAS_ONEDNN) && defined(TD_HAS_OPENBLAS)
/// Whether oneDNN computes by AVX2 here, and OpenBLAS by code for AVX2 as well.
bool both_use_avx2() {
  static const bool both = [] {
    const unsigned isa = dnnl_get_effective_cpu_isa();
    const std::string_view core = openblas_get_corename();
    return (isa & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2 && !has_avx512() &&
           (core == "Haswell" || core == "Zen");
  }();
  return both;
}

/// Rows of B that lie a multiple of 2 KiB apart share a few sets of the cache. oneDNN's code for
/// AVX2 then takes up to twice as long as OpenBLAS. For nearly all other sizes oneDNN is faster:
/// docs/measurements/products.md.
bool rows_of_b_collide(const Gemm& g) {
  return !g.transpose_b && g.ldb % 512 == 0 && g.m >= 8 && both_use_avx2();
}
#elif defined(TD_HAS_ONEDNN)
bool rows_of_b_collide(const Gemm&) { return false; }
#endif

#ifdef TD_HAS_OPENBLAS
int as_int(std::int64_t n) { return static_cast<int>(n); }
CBLAS_TRANSPOSE flag(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }
auto blas(float) { return cblas_sgemm; }
auto blas(double) { return cblas_dgemm; }
#endif

template <class T>
void large_gemm(const Gemm& g, const T* a, const T* b, T* c) {
#ifdef TD_HAS_ONEDNN
  if constexpr (std::is_same_v<T, float>)
    if (!rows_of_b_collide(g) &&
        dnnl_sgemm(g.transpose_a ? 'T' : 'N', g.transpose_b ? 'T' : 'N', g.m, g.n, g.k,
                   static_cast<float>(g.alpha), a, g.lda, b, g.ldb, static_cast<float>(g.beta), c,
                   g.ldc) == dnnl_success)
      return;
#endif
#ifdef TD_HAS_OPENBLAS
  if constexpr (std::is_floating_point_v<T>)  // its interface counts in 32 bits
    if (std::max({g.m, g.n, g.k, g.lda, g.ldb, g.ldc}) < (std::int64_t(1) << 31))
      return blas(T())(CblasRowMajor, flag(g.transpose_a), flag(g.transpose_b), as_int(g.m),
                       as_int(g.n), as_int(g.k), static_cast<T>(g.alpha), a, as_int(g.lda), b,
                       as_int(g.ldb), static_cast<T>(g.beta), c, as_int(g.ldc));
#endif
  plain_gemm(g, a, b, c);
}

template <class T>
void one_product(const Gemm& g, const T* a, const T* b, const T* bias, T* c) {
  if (g.m == 0 || g.n == 0) return;
  const bool any_order = g.k == 0 || !g.transpose_a || !g.transpose_b;
  if (g.m * g.n * g.k <= kSmall && g.alpha == 1 && g.beta == 0 && any_order)
    return small_gemm(g, a, b, bias, c);
  {
    const OneThread small(expected_time(g) < kWorthThreads);
    large_gemm(g, a, b, c);
  }
  if (!bias) return;
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / g.n);
  parallel_for(0, g.m, grain, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i)
#pragma omp simd
      for (std::int64_t j = 0; j < g.n; ++j)
        c[i * g.ldc + j] = static_cast<T>(c[i * g.ldc + j] + bias[j]);
  });
}

template <class T>
requires(sizeof(T) == 2) void one_product(const Gemm& g, const T* a, const T* b, const T* bias,
                                          T* c) {
  narrow_gemm(g, a, b, bias, c);
}

template <class T>
void products(const Gemm& g, const T* a, const T* b, const T* bias, T* c) {
  if (g.batch == 1) return one_product(g, a, b, bias, c);
  // Several matrices: whole ones to each thread; a library called inside a team stays serial.
  const std::int64_t work = std::max<std::int64_t>(1, g.m * g.n * g.k);
  parallel_for(0, g.batch, std::max<std::int64_t>(1, (1 << 18) / work),
               [&](std::int64_t from, std::int64_t to) {
                 for (std::int64_t i = from; i < to; ++i)
                   one_product(g, a + i * g.stride_a, b + i * g.stride_b, bias, c + i * g.stride_c);
               });
}

}  // namespace

void host_gemm(const Gemm& g, const void* a, const void* b, const void* bias, void* c) {
#ifdef TD_HAS_ONEDNN
  const std::int64_t work = g.batch * g.m * g.n * g.k;  // none: nothing that oneDNN would do
  if (g.dtype == kBFloat16 && work > 0 && bfloat16_products() == Bfloat16Products::kNative) {
    const OneThread small(expected_time(g) * static_cast<double>(g.batch) < kWorthThreads);
    return onednn_gemm(g, a, b, bias, c);
  }
#endif
  dispatch_numbers("matrix product", g.dtype, [&]<class T>(CppType<T>) {
    products(g, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<const T*>(bias),
             static_cast<T*>(c));
  });
}

}  // namespace td::kernels
