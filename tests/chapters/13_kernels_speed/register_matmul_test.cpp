// Tests of register_matmul.
#include "products.h"

namespace simt = td::simt;

namespace {

simt::KernelReport multiply(int m, int n, int k, float unit = 1) {
  const std::vector<float> a = factor(m, k, 0, unit), b = factor(k, n, 4);
  return check::run_kernels(sizes_text(m, n, k),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor c = check::poisoned_output({m, n}, device);
                              simt::launch<register_matmul>(
                                  {dim3(check::blocks_for(n, 64), check::blocks_for(m, 64)),
                                   dim3(16, 16), 0, 2.0 * m * n * k},
                                  check::tensor_of(a, device, {m, k}),
                                  check::tensor_of(b, device, {k, n}), c, m, n, k);
                              return {c};
                            },
                            {product(a, b, m, n, k)})[0];
}

}  // namespace

TEST_CASE("one tile of 64 x 64", "[register_matmul]") { multiply(64, 64, 16); }

TEST_CASE("several tiles along k, and several blocks", "[register_matmul]") {
  multiply(64, 64, 48);
  multiply(64, 128, 16);
}

TEST_CASE("sizes that are no multiples of 64", "[register_matmul]") {
  multiply(1, 1, 31);
  multiply(31, 33, 17);
  multiply(65, 3, 16);
  multiply(5, 7, 130);
}

TEST_CASE("registers with numbers that are no integers", "[register_matmul]") {
  multiply(9, 65, 17, check::kNoInteger);
}

TEST_CASE("eight loads of shared memory for 16 products", "[register_matmul]") {
  const int k = 32;
  const simt::KernelReport report = multiply(64, 64, k);
  check::expect_at_most(report, "requests of 8 warps to load from shared memory",
                        report.profile.shared(simt::kLoad).requests, 8 * k * 8);
  check::expect_coalesced(report);
}

TEST_CASE("16 products per step: two barriers per tile, and no bank conflicts",
          "[register_matmul]") {
  const simt::KernelReport report = multiply(64, 64, 32);
  check::expect_barriers_at_most(report, 2 * 32 / 16);
  check::expect_no_bank_conflicts(report);
}
