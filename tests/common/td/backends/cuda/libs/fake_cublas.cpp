// cuBLAS: a handle is its stream, workspace and mode. Products of float32 are made, as BLAS says.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstring>

#include "fake.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::size_t bytes = 0;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
};

namespace {

// One matrix as BLAS sees it: column by column.
struct Matrix {
  const float* data;
  bool transposed;
  std::int64_t step;
  float at(std::int64_t row, std::int64_t column) const {
    return transposed ? data[row * step + column] : data[column * step + row];
  }
};

struct Call {
  std::int64_t m, n, k;
  float alpha;
  Matrix a, b;
  float beta;
  float* c;
  std::int64_t step;
  const float* bias = nullptr;  // one for each row
};

void multiply(const Call& call) {
  for (std::int64_t column = 0; column < call.n; ++column)
    for (std::int64_t row = 0; row < call.m; ++row) {
      float sum = 0;
      for (std::int64_t i = 0; i < call.k; ++i) sum += call.a.at(row, i) * call.b.at(i, column);
      float& c = call.c[column * call.step + row];
      c = call.alpha * sum + (call.beta == 0 ? 0 : call.beta * c) +
          (call.bias ? call.bias[row] : 0);
    }
}

const float* floats(const void* data) { return static_cast<const float*>(data); }

// Every product must be float32, have elements, and work in memory that is alive when it is queued.
cublasStatus_t check_product(const fake::Product& product, cudaDataType type) {
  fake::world().products.push_back(product);
  const bool usable = fake::world().live.count(product.workspace) != 0 && product.m > 0 &&
                      product.n > 0 && product.k > 0 && type == CUDA_R_32F;
  return usable ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// cuBLASLt's descriptors, as this program fills their opaque bytes.
struct Description {
  cublasOperation_t operation_a, operation_b;
  std::uint32_t epilogue;
  const float* bias;
};
struct Layout {
  std::uint64_t rows, columns;
  std::int64_t step;
  cudaDataType type;
};
struct Wishes {
  std::uint64_t workspace;
  std::uint32_t reductions, alignments;
};
template <class T, class Opaque>
T& inside(Opaque* opaque) {
  static_assert(sizeof(T) <= sizeof(Opaque));
  return *reinterpret_cast<T*>(opaque);
}
template <class T>
cublasStatus_t copy(T& target, const void* value, std::size_t bytes) {
  if (bytes != sizeof target) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&target, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->workspace = nullptr;  // as documented: back to cuBLAS's own
  handle->bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = workspace;
  handle->bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  handle->mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t) { return "STATUS"; }
const char* cublasGetStatusString(cublasStatus_t) { return "a sentence"; }

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType,
    std::int64_t lda, long long stride_a, const void* b, cudaDataType, std::int64_t ldb,
    long long stride_b, const void* beta, void* c, cudaDataType type, std::int64_t ldc,
    long long stride_c, std::int64_t batch, cublasComputeType_t, cublasGemmAlgo_t) {
  if (lda < (op_a == CUBLAS_OP_T ? k : m) || ldb < (op_b == CUBLAS_OP_T ? n : k) || ldc < m)
    return CUBLAS_STATUS_INVALID_VALUE;
  const cublasStatus_t status =
      check_product({h->stream, h->workspace, h->bytes, h->mode, m, n, k, batch}, type);
  for (std::int64_t i = 0; i < batch && status == CUBLAS_STATUS_SUCCESS; ++i)
    multiply({m,
              n,
              k,
              *floats(alpha),
              {floats(a) + i * stride_a, op_a == CUBLAS_OP_T, lda},
              {floats(b) + i * stride_b, op_b == CUBLAS_OP_T, ldb},
              *floats(beta),
              static_cast<float*>(c) + i * stride_c,
              ldc});
  return status;
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a,
                               cublasOperation_t op_b, std::int64_t m, std::int64_t n,
                               std::int64_t k, const void* alpha, const void* a,
                               cudaDataType type_a, std::int64_t lda, const void* b,
                               cudaDataType type_b, std::int64_t ldb, const void* beta, void* c,
                               cudaDataType type_c, std::int64_t ldc, cublasComputeType_t compute,
                               cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b,
                                       type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute,
                                       algorithm);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t made, std::size_t,
                                               cublasComputeType_t, cudaDataType_t) {
  inside<Description>(made) = {CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t made, std::size_t,
                                                 cudaDataType type, std::uint64_t rows,
                                                 std::uint64_t columns, std::int64_t step) {
  if (step < static_cast<std::int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  inside<Layout>(made) = {rows, columns, step, type};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t made, std::size_t) {
  inside<Wishes>(made) = {0, CUBLASLT_REDUCTION_SCHEME_MASK, 0};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  Description& description = inside<Description>(product);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return copy(description.operation_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return copy(description.operation_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return copy(description.epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return copy(description.bias, value, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t wishes,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return copy(inside<Wishes>(wishes).workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return copy(inside<Wishes>(wishes).reductions, value, bytes);
    default: {
      std::uint32_t alignment = 0;
      if (copy(alignment, value, bytes) != CUBLAS_STATUS_SUCCESS || alignment != 16)
        return CUBLAS_STATUS_INVALID_VALUE;
      ++inside<Wishes>(wishes).alignments;
      return CUBLAS_STATUS_SUCCESS;
    }
  }
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t preference, int,
                                              cublasLtMatmulHeuristicResult_t* found, int* count) {
  ++fake::world().times_asked;
  const Wishes& wishes = inside<Wishes>(preference);
  // Sums in less than float would need a wider mask; without the four alignments cuBLASLt takes
  // pointers for aligned to 256 bytes.
  if (wishes.reductions != CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE || wishes.alignments != 4)
    return CUBLAS_STATUS_INVALID_VALUE;
  *count = fake::world().knows_bias ? 1 : 0;
  found->algo.data[0] = wishes.workspace;
  return fake::world().knows_bias ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t lt, cublasLtMatmulDesc_t product, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layout_a, const void* b,
                              cublasLtMatrixLayout_t layout_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layout_c, void* d, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t bytes, cudaStream_t stream) {
  const Description& what = inside<Description>(product);
  const Layout &la = inside<Layout>(layout_a), &lb = inside<Layout>(layout_b),
               &lc = inside<Layout>(layout_c);
  const bool ta = what.operation_a == CUBLAS_OP_T, tb = what.operation_b == CUBLAS_OP_T;
  const std::uint64_t k = ta ? la.rows : la.columns;
  if (k != (tb ? lb.columns : lb.rows) || lc.rows != (ta ? la.columns : la.rows) ||
      lc.columns != (tb ? lb.rows : lb.columns) || c != d || bytes < algorithm->data[0] ||
      what.epilogue != CUBLASLT_EPILOGUE_BIAS || !what.bias)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto mode = reinterpret_cast<cublasHandle_t>(lt)->mode;
  const auto m = static_cast<std::int64_t>(lc.rows), n = static_cast<std::int64_t>(lc.columns);
  const cublasStatus_t status = check_product(
      {stream, workspace, bytes, mode, m, n, static_cast<std::int64_t>(k), 1, what.bias}, lc.type);
  if (status != CUBLAS_STATUS_SUCCESS || fake::world().bias_runs_as != CUBLAS_STATUS_SUCCESS)
    return status != CUBLAS_STATUS_SUCCESS ? status : fake::world().bias_runs_as;
  multiply({m,
            n,
            static_cast<std::int64_t>(k),
            *floats(alpha),
            {floats(a), ta, la.step},
            {floats(b), tb, lb.step},
            *floats(beta),
            static_cast<float*>(d),
            lc.step,
            what.bias});
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
