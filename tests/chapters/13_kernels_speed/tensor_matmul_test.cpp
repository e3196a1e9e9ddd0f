// Tests of tensor_matmul.
#include "products.h"

namespace simt = td::simt;

namespace {

simt::KernelReport multiply(const std::vector<float>& a, const std::vector<float>& b, int m, int n,
                            int k) {
  return check::run_kernels(
      sizes_text(m, n, k),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor left = td::tensor(a).reshape({m, k}).to(td::kHalf).to(device);
        const td::Tensor right = td::tensor(b).reshape({k, n}).to(td::kHalf).to(device);
        const td::Tensor c = check::poisoned_output({m, n}, device);
        simt::launch<tensor_matmul>(
            {dim3(check::blocks_for(n, 16), check::blocks_for(m, 16)), dim3(32)}, left, right, c, m,
            n, k);
        return {c};
      },
      {product(a, b, m, n, k)})[0];
}

simt::KernelReport multiply(int m, int n, int k) {
  return multiply(factor(m, k, 0), factor(k, n, 4), m, n, k);
}

}  // namespace

TEST_CASE("one tile", "[tensor_matmul]") { multiply(16, 16, 16); }

TEST_CASE("several tiles in each direction", "[tensor_matmul]") {
  multiply(16, 16, 48);
  multiply(32, 16, 16);
  multiply(16, 64, 32);
  multiply(48, 32, 80);
}

TEST_CASE("sums above 2,048, which half cannot hold", "[tensor_matmul]") {
  std::vector<float> a(16 * 48, 1), b(48 * 16, 43);
  a[0] = 2;
  multiply(a, b, 16, 16, 48);
}

TEST_CASE("k / 16 matrix products per block", "[tensor_matmul]") {
  const simt::KernelReport report = multiply(32, 48, 64);
  // A tile of half has 512 bytes, and each of its rows is a whole sector.
  check::expect_at_most(report, "sectors loaded from `a` and `b`",
                        report.profile.global(simt::kLoad).transfers, 2 * (2 * 3 * 4) * 16);
  check::expect_at_most(report, "calls of mma_sync", report.profile.matrix_products, 2 * 3 * 4);
  check::expect(report.profile.matrix_products == 2 * 3 * 4,
                std::to_string(report.profile.matrix_products) +
                    " calls of mma_sync, expected 24: use Tensor Cores for all products");
}
