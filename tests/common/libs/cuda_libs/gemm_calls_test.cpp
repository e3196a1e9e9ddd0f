// The calls that the wrapper of cuBLAS makes: which product, on which stream, in which memory and
// mode.
#include <cmath>

#include "catch.h"
#include "fake.h"
#include "td/base/error.h"
#include "td/device/graph.h"

namespace td {
namespace {

using cuda_stand_in::blas;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// How often cuBLASLt was asked for an algorithm.
int times_asked() { return fake::world().calls["cublasLtMatmulAlgoGetHeuristic"]; }

// Row-major matrices of integers, stored with some room between the rows.
struct Example {
  cuda::Gemm gemm;
  std::vector<float> a, b, c, bias;

  explicit Example(bool transpose_a = false, bool transpose_b = false, std::int64_t batch = 1) {
    gemm.transpose_a = transpose_a, gemm.transpose_b = transpose_b;
    gemm.m = 2, gemm.n = 3, gemm.k = 4, gemm.batch = batch, gemm.alpha = 2;
    gemm.lda = 5, gemm.ldb = 6, gemm.ldc = 7;
    gemm.stride_a = 40, gemm.stride_b = 50, gemm.stride_c = 60;
    const auto fill = [](std::vector<float>& values, std::int64_t size, std::int64_t step) {
      for (std::int64_t i = 0; i < size; ++i) values.push_back(float((i * step) % 7 - 3));
    };
    fill(a, 40 * batch, 3), fill(b, 50 * batch, 5), fill(c, 60 * batch, 4), fill(bias, 3, 2);
  }

  std::vector<float> expected(bool with_bias) const {
    std::vector<float> result = c;
    for (std::int64_t p = 0; p < gemm.batch; ++p)
      for (std::int64_t i = 0; i < gemm.m; ++i)
        for (std::int64_t j = 0; j < gemm.n; ++j) {
          float sum = 0;
          for (std::int64_t l = 0; l < gemm.k; ++l)
            sum += a[at(p * 40 + (gemm.transpose_a ? l * 5 + i : i * 5 + l))] *
                   b[at(p * 50 + (gemm.transpose_b ? j * 6 + l : l * 6 + j))];
          float& target = result[at(p * 60 + i * 7 + j)];
          target = 2 * sum + (with_bias ? bias[at(j)] : float(gemm.beta) * target);
        }
    return result;
  }
  static std::size_t at(std::int64_t place) { return static_cast<std::size_t>(place); }

  void run(cuda::Where where) { cuda::run_gemm(gemm, a.data(), b.data(), c.data(), where); }
  bool run_with_bias(cuda::Where where) {
    return cuda::run_gemm_with_bias(gemm, a.data(), b.data(), bias.data(), c.data(), where);
  }
};

cuda_stand_in::Product multiply(cuda::Where where, std::int64_t batch = 1) {
  Example(false, false, batch).run(where);
  return blas().products.back();
}

std::uintptr_t pool_of(const void* block) { return reinterpret_cast<std::uintptr_t>(block) >> 40; }

TEST_CASE("cuBLAS's column-major products give row-major ones") {
  fake::reset();
  const cuda::Where where = fake::new_stream();
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const std::int64_t batch : {1, 3})
        for (const double beta : {0.0, -1.0}) {
          Example example(ta, tb, batch);
          example.gemm.beta = beta;
          const std::vector<float> expected = example.expected(false);
          example.run(where);
          CHECK(example.c == expected);
        }
}

// The step from its only row to the next one may be anything; cuBLAS refuses less than a row.
TEST_CASE("a matrix of one row may come with any step between rows") {
  fake::reset();
  Example example;
  example.gemm.m = 1;
  const std::vector<float> product = example.expected(false), sum = example.expected(true);
  example.gemm.lda = example.gemm.ldc = 1;
  example.run(fake::new_stream());
  CHECK(example.c == product);
  CHECK(example.run_with_bias(fake::new_stream()));
  CHECK(example.c == sum);
}

TEST_CASE("cuBLASLt adds the bias to every row, and reads nothing of the result") {
  fake::reset();
  const cuda::Where where = fake::new_stream();
  for (int round = 0; round < 2; ++round)
    for (const bool ta : {false, true})
      for (const bool tb : {false, true}) {
        Example example(ta, tb);
        const std::vector<float> expected = example.expected(true);
        for (const std::size_t i : {0, 2, 7, 9}) example.c[i] = NAN;
        REQUIRE(example.run_with_bias(where));
        CHECK(example.c == expected);
      }
  CHECK(times_asked() == 4);  // once for each kind of product
  CHECK(fake::world().live.empty());
  for (const cuda_stand_in::Product& product : blas().products) {
    CHECK(product.stream == where.stream);
    CHECK(product.workspace_bytes == 32 * kMiB);
    CHECK_FALSE(product.rounds_parts);
  }
}

TEST_CASE("where cuBLASLt cannot add a bias nothing is done, and it is not called again") {
  fake::reset();
  Example example;
  const std::vector<float> before = example.c;
  blas().knows_bias = false;
  const cuda::Where where = fake::new_stream();
  for (int i = 0; i < 2; ++i) CHECK_FALSE(example.run_with_bias(where));
  CHECK(times_asked() == 1);
  CHECK(blas().products.empty());

  blas().knows_bias = true;
  blas().bias_runs_as = CUBLAS_STATUS_NOT_SUPPORTED;
  const cuda::Where other = fake::new_stream();
  for (int i = 0; i < 2; ++i) CHECK_FALSE(example.run_with_bias(other));
  CHECK(blas().products.size() == 1);
  blas().bias_runs_as = CUBLAS_STATUS_EXECUTION_FAILED;
  CHECK_THROWS_WITH(example.run_with_bias(fake::new_stream()),
                    Catch::StartsWith("cublasLtMatmul: cuBLAS reports "));

  // A bias that a view begins at any element: the vectors of a kernel would not fit.
  fake::reset();
  CHECK_FALSE(cuda::run_gemm_with_bias(example.gemm, example.a.data(), example.b.data(),
                                       example.bias.data() + 1, example.c.data(),
                                       fake::new_stream()));
  CHECK(times_asked() == 0);
  CHECK(example.c == before);
}

TEST_CASE("every product has its own work memory, and releases it") {
  fake::reset();
  const cuda::Where where = fake::new_stream(), other = fake::new_stream();
  const cuda_stand_in::Product first = multiply(where), second = multiply(where, 5),
                               third = multiply(other);
  CHECK(fake::world().live.empty());  // no stream keeps any
  for (const cuda_stand_in::Product& product : {first, second, third}) {
    CHECK(product.workspace);
    CHECK(product.workspace_bytes == 32 * kMiB);
    CHECK(product.mode == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    CHECK_FALSE(product.rounds_parts);
  }
  CHECK(first.stream == where.stream);
  CHECK(second.stream == where.stream);
  CHECK(third.stream == other.stream);
  CHECK(second.batch == 5);
}

// A replay writes to the memory that was captured, on whichever stream it runs.
TEST_CASE("a captured product works in the graph's memory, an eager one never does") {
  fake::reset();
  const cuda::Where where = fake::new_stream();
  constexpr std::uintptr_t eager = 1, graph = 2;
  CHECK(pool_of(multiply(where).workspace) == eager);
  fake::world().pool = graph;
  CHECK(pool_of(multiply(where).workspace) == graph);
  fake::world().pool = eager;
  CHECK(pool_of(multiply(where).workspace) == eager);
}

TEST_CASE("the work memory has the size that NVIDIA recommends for the GPU") {
  for (const auto& [capability, bytes] : {std::pair{75, 4 * kMiB},
                                          {80, 4 * kMiB},
                                          {89, 4 * kMiB},
                                          {90, 32 * kMiB},
                                          {100, 32 * kMiB}}) {
    fake::reset();
    fake::world().compute_capability = capability;
    CHECK(multiply(fake::new_stream()).workspace_bytes == bytes);
  }
}

TEST_CASE("a product without room for its work memory is an error; the next one may have room") {
  fake::reset();
  const cuda::Where where = fake::new_stream();
  fake::world().room = kMiB;
  CHECK_THROWS_AS(multiply(where), OutOfMemoryError);
  fake::world().room = 32 * kMiB;
  CHECK(multiply(where).workspace_bytes == 32 * kMiB);
}

TEST_CASE("a handle is not made while a graph is captured") {
  fake::reset();
  const cuda::Where where = fake::new_stream();
  context().underway.capture = reinterpret_cast<Graph*>(&context());
  CHECK_THROWS_WITH(multiply(where), Catch::StartsWith("cuBLAS: not while a graph is captured."));
  context().underway.capture = nullptr;
  multiply(where);
  context().underway.capture = reinterpret_cast<Graph*>(&context());
  CHECK_NOTHROW(multiply(where));
  context().underway.capture = nullptr;
}

}  // namespace
}  // namespace td
