// The double of cuBLASLt: products with a bias against loops in float64, and what it rejects.
#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cmath>

#include "blas.h"
#include "catch.h"
#include "fake_gpus.h"

using namespace td;

namespace {

using fake::Blas;
using fake::kType;
using Texts = std::vector<std::string>;

/// D = A B + bias, column by column, with everything that a test may change.
template <class T>
struct Biased {
  using Scale = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr std::int64_t m = 8, n = 5, k = 12;
  fake::Array<T> a{m * k, 1}, b{k * n, 2}, c{m * n + 8, 3}, bias{m + 8, 4};
  const T *from_a = a.data(), *from_bias = bias.data();
  Scale alpha = 1, beta = 0;
  cublasLtMatmulDescOpaque_t product{};
  cublasLtMatrixLayoutOpaque_t la{}, lb{}, lc{};
  cublasLtMatmulPreferenceOpaque_t wishes{};
  std::uint64_t workspace = 4096;
  cublasLtMatmulHeuristicResult_t found{};
  int count = -1;

  explicit Biased(cublasComputeType_t compute = std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F
                                                                          : CUBLAS_COMPUTE_32F) {
    cublasLtMatmulDescInit(&product, compute, kType<Scale>);
    cublasLtMatrixLayoutInit(&la, kType<T>, m, k, m);
    cublasLtMatrixLayoutInit(&lb, kType<T>, k, n, k);
    cublasLtMatrixLayoutInit(&lc, kType<T>, m, n, m);
    cublasLtMatmulPreferenceInit(&wishes);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, from_bias);
    wish(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
    wish(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  }
  template <class V>
  cublasStatus_t set(cublasLtMatmulDescAttributes_t attribute, const V& value) {
    return cublasLtMatmulDescSetAttribute(&product, attribute, &value, sizeof value);
  }
  template <class V>
  cublasStatus_t wish(cublasLtMatmulPreferenceAttributes_t attribute, const V& value) {
    return cublasLtMatmulPreferenceSetAttribute(&wishes, attribute, &value, sizeof value);
  }
  cublasStatus_t choose(Blas& blas) {
    return cublasLtMatmulAlgoGetHeuristic(reinterpret_cast<cublasLtHandle_t>(blas.handle), &product,
                                          &la, &lb, &lc, &lc, &wishes, 1, &found, &count);
  }
  cublasStatus_t run(Blas& blas) {
    return cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(blas.handle), &product, &alpha, from_a,
                          &la, b.data(), &lb, &beta, c.data(), &lc, c.data(), &lc, &found.algo,
                          blas.workspace.data(), workspace,
                          reinterpret_cast<cudaStream_t>(gpu::stream()));
  }
};

template <class T>
bool adds_the_bias(double precision) {
  Blas blas;
  Biased<T> p;
  p.alpha = 2;
  p.c.fill(T(NAN));
  if (p.choose(blas) != CUBLAS_STATUS_SUCCESS || p.count != 1) return false;
  if (p.run(blas) != CUBLAS_STATUS_SUCCESS) return false;
  const std::vector<T> a = p.a.host(), b = p.b.host(), c = p.c.host(), bias = p.bias.host();
  for (std::size_t j = 0; j < p.n; ++j)
    for (std::size_t i = 0; i < p.m; ++i) {
      double sum = double(bias[i]);
      for (std::size_t l = 0; l < p.k; ++l)
        sum += 2 * double(a[l * p.m + i]) * double(b[j * p.k + l]);
      if (!(std::abs(double(c[j * p.m + i]) - sum) <= 1e-6 + precision * std::abs(sum)))
        return false;
    }
  return true;
}

TEST_CASE("the double of cuBLASLt adds the bias to every column, and rounds once") {
  CHECK(adds_the_bias<float>(1e-6));
  CHECK(adds_the_bias<double>(1e-14));
  CHECK(adds_the_bias<Half>(0x1p-11 * 1.001));
  CHECK(adds_the_bias<BFloat16>(0x1p-8 * 1.001));
}

TEST_CASE("a mask that allows sums in the type of the output gets them rounded between parts") {
  for (const bool rounds : {false, true}) {
    Blas blas;
    Biased<Half> p;
    if (rounds)
      p.wish(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
             std::uint32_t{CUBLASLT_REDUCTION_SCHEME_MASK});
    std::vector<Half> row(p.m * p.k);  // 1 + 2^-11 in the first half of k, 2^-11 in the second one
    row[0] = Half(1.f), row[p.m] = row[6 * p.m] = Half(0x1p-11f);
    p.a.set(row), p.b.fill(Half(1.f)), p.bias.fill(Half(0.f));
    REQUIRE(p.choose(blas) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(p.run(blas) == CUBLAS_STATUS_SUCCESS);
    CHECK(float(p.c.host()[0]) == (rounds ? 1 : 1 + 0x1p-10f));
  }
}

TEST_CASE("the heuristics find nothing for what has no kernel, or where a test says so") {
  Blas blas;
  Biased<float> p;
  p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU);
  CHECK(p.choose(blas) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(p.count == 0);
  CHECK(Biased<float>(CUBLAS_COMPUTE_16F).choose(blas) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(Biased<float>(CUBLAS_COMPUTE_32F_FAST_TF32).choose(blas) == CUBLAS_STATUS_SUCCESS);
  Biased<float> turned;
  turned.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);  // now the sizes do not fit together
  CHECK(turned.choose(blas) == CUBLAS_STATUS_INVALID_VALUE);
  cuda_stand_in::blas().knows_bias = false;
  CHECK(Biased<float>().choose(blas) == CUBLAS_STATUS_NOT_SUPPORTED);
  cuda_stand_in::blas().knows_bias = true;
  cublasLtMatrixLayoutOpaque_t layout;
  CHECK(cublasLtMatrixLayoutInit(&layout, CUDA_R_32F, 8, 5, 7) == CUBLAS_STATUS_INVALID_VALUE);
}

TEST_CASE("an algorithm serves the problem, the alignment and the workspace it was chosen for") {
  cuda_stand_in::CollectRefusals refusals;
  Blas blas;
  const auto refused = [&](std::uint32_t alignment, auto change) {
    Biased<float> p;
    for (int matrix = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
         matrix <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES; ++matrix)
      p.wish(static_cast<cublasLtMatmulPreferenceAttributes_t>(matrix), alignment);
    REQUIRE(p.choose(blas) == CUBLAS_STATUS_SUCCESS);
    change(p);
    CHECK(p.run(blas) == CUBLAS_STATUS_INVALID_VALUE);
    return refusals.take();
  };
  const std::string call = "cublasLtMatmul: ";
  CHECK(refused(16, [](auto& p) { --p.workspace; }).empty());
  CHECK(refused(16, [](auto& p) { p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr); }).empty());
  CHECK(refused(256, [](auto& p) { p.from_a += 4; }) ==
        Texts{call + "A is aligned to less than the 256 bytes that the algorithm was chosen for"});
  CHECK(refused(16, [](auto& p) { p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.from_bias + 1); }) ==
        Texts{call + "the bias is aligned to less than the 16 bytes that the algorithm was "
                     "chosen for"});
  CHECK(refused(16, [](auto& p) { cublasLtMatrixLayoutInit(&p.lb, CUDA_R_32F, p.k, p.n, 16); }) ==
        Texts{call + "the algorithm was chosen for another problem"});
  CHECK(refused(16, [](auto& p) { p.found = {}; }) ==
        Texts{call + "the algorithm comes from no heuristic"});
  Biased<float> unaligned;  // 16 bytes are enough where they were asked for
  unaligned.wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, std::uint32_t{16});
  REQUIRE(unaligned.choose(blas) == CUBLAS_STATUS_SUCCESS);
  unaligned.from_a += 4;
  CHECK(unaligned.run(blas) == CUBLAS_STATUS_SUCCESS);
}

TEST_CASE("a descriptor that was not initialized is refused") {
  cuda_stand_in::CollectRefusals refusals;
  Blas blas;
  Biased<float> p;
  p.lb = {};
  CHECK(p.choose(blas) == CUBLAS_STATUS_INVALID_VALUE);
  p.product = {}, p.wishes = {};
  CHECK(p.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(p.wish(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{0}) ==
        CUBLAS_STATUS_INVALID_VALUE);
  CHECK(refusals.take() ==
        Texts{"cublasLtMatmulAlgoGetHeuristic: a descriptor was not initialized",
              "cublasLtMatmulDescSetAttribute: the descriptor was not initialized",
              "cublasLtMatmulPreferenceSetAttribute: the descriptor was not initialized"});
}

}  // namespace
