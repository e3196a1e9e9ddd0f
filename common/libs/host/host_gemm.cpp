// The choice of product: small ones by small_gemm, where a library's call would cost more than the
// work; float32 and bfloat16 by oneDNN, float64 by OpenBLAS, and float32 too where that is faster;
// 16-bit types otherwise by narrow_gemm; what no library serves by plain_gemm.
#include "libs/host_libs.h"

#include <string_view>

#include "libs/host/own_gemm.h"
#include "td/base/parallel.h"

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

/// The expected time of one thread in nanoseconds: for the multiplications, and for B, which a
/// library reads and packs first. Measured on Zen 3 and Zen 4, see docs/measurements/threads.md.
double expected_time(const Gemm& g) {
  const double multiplications = static_cast<double>(g.m * g.n) * static_cast<double>(g.k);
  return multiplications / 45 + static_cast<double>(g.n * g.k) / 8;
}

/// When `wanted`, limits the libraries to the calling thread for the lifetime of the object.
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

#ifdef TD_HAS_ONEDNN
/// Whether oneDNN computes by these instructions here.
bool onednn_uses(dnnl_cpu_isa_t instructions) {
  static const unsigned isa = dnnl_get_effective_cpu_isa();
  return (isa & instructions) == static_cast<unsigned>(instructions);
}

/// For nearly all shapes oneDNN is faster: docs/measurements/products.md. With AVX-512 it is slow
/// where B is transposed and has few columns. With AVX2 it takes up to twice as long where rows of
/// B lie a multiple of 2 KiB apart and therefore share a few sets of the cache.
bool openblas_is_faster([[maybe_unused]] const Gemm& g) {
#ifdef TD_HAS_OPENBLAS
  static const std::string_view core = openblas_get_corename();
  if (onednn_uses(dnnl_cpu_isa_avx512_core))
    return g.transpose_b && g.n <= 96 && (core == "SkylakeX" || core == "Cooperlake");
  return !g.transpose_b && g.ldb % 512 == 0 && g.m >= 8 && onednn_uses(dnnl_cpu_isa_avx2) &&
         (core == "Haswell" || core == "Zen");
#else
  return false;
#endif
}

/// Whether oneDNN computed the product. With AVX-512 and a transposed B its time jumps at 14 rows,
/// by that of 20 rows or so: up to 32 rows, two or three products of at most 13 are faster.
bool onednn_sgemm(const Gemm& g, const float* a, const float* b, float* c) {
  const bool jumps = g.transpose_b && !g.transpose_a && onednn_uses(dnnl_cpu_isa_avx512_core);
  const std::int64_t rows = jumps && g.m <= 32 ? 13 : g.m;
  for (std::int64_t i = 0; i < g.m; i += rows)
    if (dnnl_sgemm(g.transpose_a ? 'T' : 'N', g.transpose_b ? 'T' : 'N', std::min(rows, g.m - i),
                   g.n, g.k, static_cast<float>(g.alpha), a + i * g.lda, g.lda, b, g.ldb,
                   static_cast<float>(g.beta), c + i * g.ldc, g.ldc) != dnnl_success)
      return false;
  return true;
}
#endif

#ifdef TD_HAS_OPENBLAS
int as_int(std::int64_t n) { return static_cast<int>(n); }
CBLAS_TRANSPOSE flag(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }
auto blas(float) { return cblas_sgemm; }
auto blas(double) { return cblas_dgemm; }
#endif

template <class T>
void library_gemm(const Gemm& g, const T* a, const T* b, T* c) {
#ifdef TD_HAS_ONEDNN
  if constexpr (std::is_same_v<T, float>)
    if (!openblas_is_faster(g) && onednn_sgemm(g, a, b, c)) return;
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

/// Columns for each thread where B is transposed: oneDNN's own threads gain less there, and lose
/// with few rows and AVX-512; see docs/measurements/threads.md.
template <class T>
void large_gemm(const Gemm& g, const T* a, const T* b, T* c) {
  if (!g.transpose_b || g.m > g.n || parallel_width() == 1) return library_gemm(g, a, b, c);
  constexpr std::int64_t kColumns = 16;  // a vector of AVX-512
  parallel_for(0, (g.n + kColumns - 1) / kColumns, 1, [&](std::int64_t from, std::int64_t to) {
    Gemm part = g;
    from *= kColumns;
    part.n = std::min(g.n, to * kColumns) - from;
    library_gemm(part, a, b + from * g.ldb, c + from);
  });
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
  // Several matrices: each thread computes whole ones; a library called inside a team is serial.
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
  const std::int64_t work = g.batch * g.m * g.n * g.k;  // 0: oneDNN is not called
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
