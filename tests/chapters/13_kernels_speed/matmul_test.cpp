// Tests of matmul.
#include "products.h"

namespace simt = td::simt;

namespace {

simt::KernelReport multiply(int m, int n, int k) {
  const std::vector<float> a = factor(m, k, 0), b = factor(k, n, 4);
  return check::run_kernels(sizes_text(m, n, k),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor c = check::poisoned_output({m, n}, device);
                              simt::launch<matmul>(
                                  {dim3(check::blocks_for(n, 16), check::blocks_for(m, 16)),
                                   dim3(16, 16), 0, 2.0 * m * n * k},
                                  check::tensor_of(a, device, {m, k}),
                                  check::tensor_of(b, device, {k, n}), c, m, n, k);
                              return {c};
                            },
                            {product(a, b, m, n, k)})[0];
}

}  // namespace

TEST_CASE("2 x 2, and one tile", "[matmul]") {
  multiply(2, 2, 2);
  multiply(16, 16, 16);
}

TEST_CASE("several tiles along k", "[matmul]") { multiply(16, 32, 64); }

TEST_CASE("sizes that are no multiples of 16", "[matmul]") {
  multiply(1, 1, 31);
  multiply(31, 33, 17);
  multiply(33, 1, 40);
  multiply(5, 7, 1023);
}

TEST_CASE("each element is loaded once per block, and coalesced", "[matmul]") {
  const int m = 64, n = 48, k = 80;
  const simt::KernelReport report = multiply(m, n, k);
  check::expect_coalesced(report);
  check::expect_at_most(report, "sectors loaded from global memory",
                        report.profile.global(simt::kLoad).transfers, 2 * m * n * k / (8 * 16));
}

TEST_CASE("two barriers per tile, and no bank conflicts", "[matmul]") {
  const simt::KernelReport report = multiply(32, 32, 64);
  check::expect_barriers_at_most(report, 2 * 64 / 16);
  check::expect_no_bank_conflicts(report);
}
