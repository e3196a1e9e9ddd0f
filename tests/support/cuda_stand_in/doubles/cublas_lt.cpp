// The double of cuBLASLt: products with a bias. Its descriptors are the opaque bytes of NVIDIA's
// header, which begin with a mark so that one that was never initialized is found. An algorithm
// remembers the problem, the alignments and the work memory that it was chosen for.
#include <algorithm>
#include <cstring>

#include "doubles/products.h"

namespace cuda_stand_in {
namespace {

struct Description {
  static constexpr std::uint32_t kMark = 0xDE5C0001;
  std::uint32_t mark;
  cublasComputeType_t compute;
  cudaDataType scale;
  cublasOperation_t operation_a, operation_b;
  std::uint32_t epilogue;
  const void* bias;
};

struct Layout {
  static constexpr std::uint32_t kMark = 0xDE5C0002;
  std::uint32_t mark;
  cudaDataType type;
  std::uint64_t rows, columns;
  std::int64_t step;
};

struct Wishes {
  static constexpr std::uint32_t kMark = 0xDE5C0003;
  std::uint32_t mark;
  std::uint32_t reductions;
  std::uint64_t workspace;
  std::uint32_t alignments[4];  // of A, B, C and D
};

struct Algorithm {
  static constexpr std::uint32_t kMark = 0xDE5C0004;
  std::uint32_t mark;
  std::uint32_t reductions;
  std::uint64_t problem, workspace;
  std::uint32_t alignments[5];  // of A, B, C, D and the bias
};

template <class T, class Opaque>
T& inside(Opaque* opaque) {
  static_assert(sizeof(T) <= sizeof(Opaque));
  return *reinterpret_cast<T*>(opaque);
}

template <class T, class Opaque>
cublasStatus_t initialize(Opaque* opaque, std::size_t bytes, const T& value) {
  if (bytes != sizeof *opaque) return CUBLAS_STATUS_INVALID_VALUE;
  inside<T>(opaque) = value;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t set(const char* call, std::uint32_t mark, std::uint32_t expected, T& target,
                   const void* value, std::size_t bytes) {
  if (mark != expected) refuse(call, "the descriptor was not initialized");
  if (mark != expected || bytes != sizeof target) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&target, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

/// The arguments that the heuristics and the product have in common.
struct Problem {
  Description product;
  Layout a, b, c, d;

  bool is_initialized() const {
    return product.mark == Description::kMark && a.mark == Layout::kMark &&
           b.mark == Layout::kMark && c.mark == Layout::kMark && d.mark == Layout::kMark;
  }
  bool transposes_a() const { return product.operation_a == CUBLAS_OP_T; }
  bool transposes_b() const { return product.operation_b == CUBLAS_OP_T; }
  std::uint64_t k() const { return transposes_a() ? a.rows : a.columns; }

  bool fits_together() const {
    return k() == (transposes_b() ? b.columns : b.rows) && c.rows == d.rows &&
           c.columns == d.columns && d.rows == (transposes_a() ? a.columns : a.rows) &&
           d.columns == (transposes_b() ? b.rows : b.columns);
  }
  bool has_kernels() const {
    const cudaDataType scale = d.type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;
    return a.type == d.type && b.type == d.type && c.type == d.type && product.scale == scale &&
           product.epilogue == CUBLASLT_EPILOGUE_BIAS && has_products(d.type, product.compute);
  }
  /// A number that differs for problems that differ in more than their pointers.
  std::uint64_t number() const {
    std::uint64_t result = 14695981039346656037u;
    const auto add = [&](std::uint64_t value) { result = (result ^ value) * 1099511628211u; };
    for (const Layout* x : {&a, &b, &c, &d})
      add(x->type), add(x->rows), add(x->columns), add(static_cast<std::uint64_t>(x->step));
    add(product.compute), add(product.operation_a), add(product.operation_b);
    return result;
  }
};

/// How far the heuristics rely on the alignment of the bias, whose pointer they are given.
std::uint32_t bias_alignment(const void* bias) {
  const auto place = reinterpret_cast<std::uintptr_t>(bias) | 16;
  return static_cast<std::uint32_t>(place & -place);
}

MatrixProduct describe(const Problem& problem, const void* const (&pointers)[4]) {
  const auto matrix = [](const Layout& x, const void* data) {
    return Matrix{data, static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.columns),
                  x.step};
  };
  MatrixProduct p;
  p.call = "cublasLtMatmul";
  p.dtype = scalar_type(problem.d.type);
  p.factors = factors_of(problem.d.type, problem.product.compute, CUBLAS_DEFAULT_MATH);
  p.transpose_a = problem.transposes_a(), p.transpose_b = problem.transposes_b();
  p.a = matrix(problem.a, pointers[0]), p.b = matrix(problem.b, pointers[1]);
  p.c = matrix(problem.d, pointers[3]);
  p.m = p.c.rows, p.n = p.c.columns, p.k = static_cast<std::int64_t>(problem.k());
  p.bias = problem.product.bias;
  return p;
}

/// Why the algorithm must not be used like this; empty where it may be.
std::string why_refused(const Algorithm& algorithm, const Problem& problem,
                        const void* const (&pointers)[5]) {
  if (algorithm.mark != Algorithm::kMark) return "the algorithm comes from no heuristic";
  if (algorithm.problem != problem.number()) return "the algorithm was chosen for another problem";
  constexpr const char* kNames[] = {"A", "B", "C", "D", "the bias"};
  for (int i = 0; i < 5; ++i)
    if (reinterpret_cast<std::uintptr_t>(pointers[i]) % algorithm.alignments[i] != 0)
      return std::string(kNames[i]) + " is aligned to less than the " +
             std::to_string(algorithm.alignments[i]) + " bytes that the algorithm was chosen for";
  if (pointers[2] != pointers[3]) return "C and D are two matrices";
  return "";
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t made, std::size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  return initialize<Description>(made, bytes,
                                 {Description::kMark, compute, scale, CUBLAS_OP_N, CUBLAS_OP_N,
                                  CUBLASLT_EPILOGUE_DEFAULT, nullptr});
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t made, std::size_t bytes,
                                                 cudaDataType type, std::uint64_t rows,
                                                 std::uint64_t columns, std::int64_t step) {
  if (step < static_cast<std::int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  return initialize<Layout>(made, bytes, {Layout::kMark, type, rows, columns, step});
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t made,
                                                     std::size_t bytes) {
  return initialize<Wishes>(
      made, bytes, {Wishes::kMark, CUBLASLT_REDUCTION_SCHEME_MASK, 0, {256, 256, 256, 256}});
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  auto& product = inside<Description>(descriptor);
  const auto set_to = [&](auto& target) {
    return set("cublasLtMatmulDescSetAttribute", product.mark, Description::kMark, target, value,
               bytes);
  };
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) return set_to(product.operation_a);
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) return set_to(product.operation_b);
  if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE) return set_to(product.epilogue);
  if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER) return set_to(product.bias);
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  auto& wishes = inside<Wishes>(preference);
  const auto set_to = [&](auto& target) {
    return set("cublasLtMatmulPreferenceSetAttribute", wishes.mark, Wishes::kMark, target, value,
               bytes);
  };
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) return set_to(wishes.workspace);
  if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) return set_to(wishes.reductions);
  if (attribute < CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES ||
      attribute > CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)
    return CUBLAS_STATUS_INVALID_VALUE;
  return set_to(wishes.alignments[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES]);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int room,
                                              cublasLtMatmulHeuristicResult_t* found, int* count) {
  constexpr const char* kCall = "cublasLtMatmulAlgoGetHeuristic";
  const Inside inside_call(kCall, kBlasHandle, reinterpret_cast<cublasHandle_t>(handle));
  if (!inside_call) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Problem problem{inside<Description>(product), inside<Layout>(a), inside<Layout>(b),
                        inside<Layout>(c), inside<Layout>(d)};
  const auto& wishes = inside<Wishes>(preference);
  *count = 0;
  if (!problem.is_initialized() || wishes.mark != Wishes::kMark) {
    refuse(kCall, "a descriptor was not initialized");
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (room < 1 || !problem.fits_together()) return CUBLAS_STATUS_INVALID_VALUE;
  if (!blas().knows_bias || !problem.has_kernels()) return CUBLAS_STATUS_NOT_SUPPORTED;
  found[(*count)++] = {};
  found->workspaceSize = wishes.workspace;
  Algorithm algorithm{Algorithm::kMark, wishes.reductions, problem.number(), wishes.workspace, {}};
  std::copy(std::begin(wishes.alignments), std::end(wishes.alignments), algorithm.alignments);
  algorithm.alignments[4] = bias_alignment(problem.product.bias);
  inside<Algorithm>(&found->algo) = algorithm;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lt, cublasLtMatmulDesc_t product, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layout_a, const void* b,
                              cublasLtMatrixLayout_t layout_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layout_c, void* d,
                              cublasLtMatrixLayout_t layout_d,
                              const cublasLtMatmulAlgo_t* algorithm_bytes, void* workspace,
                              std::size_t bytes, cudaStream_t stream) {
  constexpr const char* kCall = "cublasLtMatmul";
  const auto handle = reinterpret_cast<cublasHandle_t>(lt);
  const Inside inside_call(kCall, kBlasHandle, handle, Counted::kByQueue);
  if (!inside_call) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Problem problem{inside<Description>(product), inside<Layout>(layout_a),
                        inside<Layout>(layout_b), inside<Layout>(layout_c),
                        inside<Layout>(layout_d)};
  const auto& algorithm = inside<const Algorithm>(algorithm_bytes);
  if (!problem.is_initialized() || !problem.fits_together() || !problem.product.bias || !alpha ||
      !beta || bytes < algorithm.workspace)
    return CUBLAS_STATUS_INVALID_VALUE;
  const std::string why = why_refused(algorithm, problem, {a, b, c, d, problem.product.bias});
  if (!why.empty()) refuse(kCall, why);
  if (!why.empty()) return CUBLAS_STATUS_INVALID_VALUE;
  MatrixProduct p = describe(problem, {a, b, c, d});
  p.rounds_parts = algorithm.reductions & ~CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  p.alpha = scale_factor(alpha, p.dtype), p.beta = scale_factor(beta, p.dtype);
  p.workspace = {workspace, bytes};
  return queue_product(p, *handle, stream);
}

}  // extern "C"
