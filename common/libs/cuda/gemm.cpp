// Matrix products by cuBLAS, and those with a bias by cuBLASLt, which adds it while the sums are
// still in registers. Called through Libs (libs.cpp of this folder).
// cuBLAS is column-major and reads a row-major matrix as its transpose. So C = A B is computed as
// C^T = B^T A^T: the operands are exchanged and no data is moved.
#include <algorithm>
#include <optional>

#include "libs/cuda/stream_state.h"
#include "td/base/error.h"

namespace td::cuda {
namespace {

cudaDataType_t cuda_type(ScalarType dtype) {
  if (dtype == kHalf) return CUDA_R_16F;
  if (dtype == kBFloat16) return CUDA_R_16BF;
  if (dtype == kDouble) return CUDA_R_64F;
  if (dtype == kFloat) return CUDA_R_32F;
  fail<DtypeError>("matmul on cuda: expected a floating point type but got ", dtype_name(dtype),
                   "; convert it with to(kFloat32)");
}

cublasComputeType_t compute_type(const Gemm& gemm) {
  if (gemm.dtype == kDouble) return CUBLAS_COMPUTE_64F;
  if (gemm.dtype == kFloat && gemm.allow_tf32) return CUBLAS_COMPUTE_32F_FAST_TF32;
  return CUBLAS_COMPUTE_32F;
}

cublasOperation_t operation(bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; }

// Elements from one stored row to the next. A matrix of one row may have any row stride, but cuBLAS
// requires a valid one.
struct RowSteps {
  explicit RowSteps(const Gemm& gemm)
      : a(std::max(gemm.lda, gemm.transpose_a ? gemm.m : gemm.k)),
        b(std::max(gemm.ldb, gemm.transpose_b ? gemm.k : gemm.n)),
        c(std::max(gemm.ldc, gemm.n)) {}
  std::int64_t a, b, c;
};

// A product with a bias as cuBLASLt describes it. Its columns are our rows, so its "row" that
// gets one bias is our column.
struct BiasedProduct {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t a, b, c;

  BiasedProduct(const Gemm& gemm, const void* bias) {
    const cudaDataType_t type = cuda_type(gemm.dtype);
    const RowSteps steps(gemm);
    check(cublasLtMatmulDescInit(&product, compute_type(gemm),
                                 gemm.dtype == kDouble ? CUDA_R_64F : CUDA_R_32F),
          "cublasLtMatmulDescInit");
    set(CUBLASLT_MATMUL_DESC_TRANSA, operation(gemm.transpose_b));
    set(CUBLASLT_MATMUL_DESC_TRANSB, operation(gemm.transpose_a));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    lay_out(a, type, gemm.transpose_b ? gemm.n : gemm.k, gemm.transpose_b ? gemm.k : gemm.n,
            steps.b);
    lay_out(b, type, gemm.transpose_a ? gemm.k : gemm.m, gemm.transpose_a ? gemm.m : gemm.k,
            steps.a);
    lay_out(c, type, gemm.m, gemm.n, steps.c);
  }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check(cublasLtMatmulDescSetAttribute(&product, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  }
  static void lay_out(cublasLtMatrixLayoutOpaque_t& matrix, cudaDataType_t type, std::int64_t rows,
                      std::int64_t columns, std::int64_t step) {
    check(cublasLtMatrixLayoutInit(&matrix, type, static_cast<std::uint64_t>(columns),
                                   static_cast<std::uint64_t>(rows), step),
          "cublasLtMatrixLayoutInit");
  }
};

constexpr std::uint32_t kAlignment = 16;  // bytes; what every allocation and most views have

// The best algorithm for pointers with this alignment, or none.
std::optional<cublasLtMatmulAlgo_t> choose(cublasLtHandle_t lt, BiasedProduct& p,
                                           std::size_t workspace) {
  cublasLtMatmulPreferenceOpaque_t wishes;
  check(cublasLtMatmulPreferenceInit(&wishes), "cublasLtMatmulPreferenceInit");
  const auto wish = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    check(cublasLtMatmulPreferenceSetAttribute(&wishes, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  wish(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace});
  // As in products without a bias (see the handle's math mode), sums stay in float to their end.
  wish(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
       std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  for (const auto matrix :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    wish(matrix, kAlignment);
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(lt, &p.product, &p.a, &p.b, &p.c,
                                                               &p.c, &wishes, 1, &found, &count);
  if (status != CUBLAS_STATUS_SUCCESS || count == 0) return std::nullopt;
  return found.algo;
}

}  // namespace

void run_gemm(const Gemm& gemm, const void* a, const void* b, void* c, Where where) {
  const cudaDataType_t type = cuda_type(gemm.dtype);
  const ScaleFactor alpha(gemm.dtype, gemm.alpha), beta(gemm.dtype, gemm.beta);
  const cublasOperation_t op_a = operation(gemm.transpose_a), op_b = operation(gemm.transpose_b);
  const RowSteps steps(gemm);

  Session session(where);
  const cublasHandle_t blas = session.blas();
  if (gemm.batch == 1) {
    check(
        cublasGemmEx_64(blas, op_b, op_a, gemm.n, gemm.m, gemm.k, &alpha, b, type, steps.b, a, type,
                        steps.a, &beta, c, type, steps.c, compute_type(gemm), CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
    return;
  }
  check(cublasGemmStridedBatchedEx_64(blas, op_b, op_a, gemm.n, gemm.m, gemm.k, &alpha, b, type,
                                      steps.b, gemm.stride_b, a, type, steps.a, gemm.stride_a,
                                      &beta, c, type, steps.c, gemm.stride_c, gemm.batch,
                                      compute_type(gemm), CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

bool run_gemm_with_bias(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c,
                        Where where) {
  for (const void* pointer : {a, b, bias, static_cast<const void*>(c)})
    if (reinterpret_cast<std::uintptr_t>(pointer) % kAlignment != 0) return false;
  const ScaleFactor alpha(gemm.dtype, gemm.alpha), beta(gemm.dtype, 0);
  BiasedProduct p(gemm, bias);

  Session session(where);
  // As documented, cuBLAS's handle is one of cuBLASLt's, too.
  const auto lt = reinterpret_cast<cublasLtHandle_t>(session.blas());
  const WorkMemory& work = session.blas_memory();
  auto& algorithms = session.state().with_bias;
  auto known = algorithms.find(gemm);
  if (known == algorithms.end()) [[unlikely]]
    known = algorithms.emplace(gemm, choose(lt, p, work.bytes())).first;
  if (!known->second) return false;
  const cublasStatus_t status = cublasLtMatmul(
      lt, &p.product, &alpha, b, &p.a, a, &p.b, &beta, c, &p.c, c, &p.c, &*known->second,
      work.data(), work.bytes(), static_cast<cudaStream_t>(where.stream));
  if (status == CUBLAS_STATUS_NOT_SUPPORTED)
    known->second.reset();
  else
    check(status, "cublasLtMatmul");
  return known->second.has_value();
}

}  // namespace td::cuda
