// What the wrapper of cuBLAS asks for: on which stream, with whose memory, in which mode.
#include <catch2/catch.hpp>

#include "fake.h"
#include "td/base/error.h"
#include "td/device/capture.h"

namespace td {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

fake::Product multiply(cuda::Where where, std::int64_t batch = 1) {
  cuda::Gemm gemm;
  gemm.m = 2, gemm.n = 3, gemm.k = 4, gemm.lda = 4, gemm.ldb = gemm.ldc = 3, gemm.batch = batch;
  cuda::run_gemm(gemm, &gemm, &gemm, &gemm, where);
  return fake::world().products.back();
}

std::uintptr_t pool_of(const void* block) { return reinterpret_cast<std::uintptr_t>(block) >> 40; }

TEST_CASE("every product has work memory of its own, and gives it back") {
  fake::reset();
  const cuda::Where where = fake::new_stream(), other = fake::new_stream();
  const fake::Product first = multiply(where), second = multiply(where, 5), third = multiply(other);
  CHECK(fake::world().live.empty());  // no stream keeps any
  for (const fake::Product& product : {first, second, third}) {
    CHECK(product.workspace);
    CHECK(product.workspace_bytes == 32 * kMiB);
    CHECK(product.mode == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  }
  CHECK(first.stream == where.stream);
  CHECK(second.stream == where.stream);
  CHECK(third.stream == other.stream);
  // Row-major C = A B is the column-major product of the transposes: sizes change places.
  CHECK(first.m == 3);
  CHECK(first.n == 2);
  CHECK(first.k == 4);
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

TEST_CASE("a product without room for its work memory says so, and the next one may have it") {
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
  capturing_graph = reinterpret_cast<Graph*>(&capturing_graph);
  CHECK_THROWS_WITH(multiply(where), Catch::StartsWith("cuBLAS: not while a graph is captured."));
  capturing_graph = nullptr;
  multiply(where);
  capturing_graph = reinterpret_cast<Graph*>(&capturing_graph);
  CHECK_NOTHROW(multiply(where));
  capturing_graph = nullptr;
}

}  // namespace
}  // namespace td
