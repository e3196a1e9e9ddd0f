// Tests of matmul.
#include <cmath>

#include "products.h"

namespace simt = td::simt;

namespace {

simt::KernelReport multiply(int m, int n, int k, float unit = 1) {
  const std::vector<float> a = factor(m, k, 0, unit), b = factor(k, n, 4);
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

TEST_CASE("tiles of numbers that are no integers", "[matmul]") {
  multiply(9, 33, 17, check::kNoInteger);
}

TEST_CASE("an infinite element changes its own row only", "[matmul]") {
  const int m = 3, n = 2, k = 17;
  std::vector<float> a(static_cast<std::size_t>(m * k), 1);
  a[k] = INFINITY;  // Row 1 begins where a tile of row 0 continues past its end.
  check::run_kernels("m = 3, n = 2, k = 17, a[1][0] is infinite",
                     [&](td::Device device) -> std::vector<td::Tensor> {
                       const td::Tensor c = check::poisoned_output({m, n}, device);
                       simt::launch<matmul>({dim3(1), dim3(16, 16)},
                                            check::tensor_of(a, device, {m, k}),
                                            td::ones({k, n}, device), c, m, n, k);
                       return {c};
                     },
                     {{17, 17, INFINITY, INFINITY, 17, 17}});
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
