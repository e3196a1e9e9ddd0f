// Tests of naive_matmul.
#include "products.h"

namespace simt = td::simt;

namespace {

simt::KernelReport multiply(int m, int n, int k, float unit = 1) {
  const std::vector<float> a = factor(m, k, 0, unit), b = factor(k, n, 4);
  return check::run_kernels(sizes_text(m, n, k),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor c = check::poisoned_output({m, n}, device);
                              simt::launch<naive_matmul>(
                                  {dim3(check::blocks_for(n, 32), check::blocks_for(m, 8)),
                                   dim3(32, 8), 0, 2.0 * m * n * k},
                                  check::tensor_of(a, device, {m, k}),
                                  check::tensor_of(b, device, {k, n}), c, m, n, k);
                              return {c};
                            },
                            {product(a, b, m, n, k)})[0];
}

}  // namespace

TEST_CASE("2 x 2, and one block", "[naive_matmul]") {
  multiply(2, 2, 2);
  multiply(8, 32, 5);
}

TEST_CASE("several blocks in both directions", "[naive_matmul]") { multiply(24, 64, 16); }

TEST_CASE("sizes that are no multiples of a block", "[naive_matmul]") {
  multiply(1, 1, 31);
  multiply(31, 33, 17);
  multiply(33, 1, 40);
  multiply(5, 7, 1023);
}

TEST_CASE("product of numbers that are no integers", "[naive_matmul]") {
  multiply(9, 33, 17, check::kNoInteger);
}

TEST_CASE("loads of B and stores of C are coalesced", "[naive_matmul]") {
  check::expect_coalesced(multiply(16, 64, 24));
}

TEST_CASE("each element of C is stored once", "[naive_matmul]") {
  const int m = 16, n = 64;
  const simt::KernelReport report = multiply(m, n, 24);
  check::expect_at_most(report, "store requests", report.profile.global(simt::kStore).requests,
                        m * n / 32);
}

TEST_CASE("threads outside of C store nothing", "[naive_matmul]") {
  const simt::KernelReport report = multiply(9, 33, 17);  // a row is in two warps
  check::expect_at_most(report, "store requests", report.profile.global(simt::kStore).requests,
                        9 * 2);
}
