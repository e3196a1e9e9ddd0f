// Tests of async_matmul.
#include "products.h"

namespace simt = td::simt;

namespace {

simt::KernelReport multiply(int m, int n, int k, float unit = 1) {
  const std::vector<float> a = factor(m, k, 0, unit), b = factor(k, n, 4);
  return check::run_kernels(sizes_text(m, n, k),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor c = check::poisoned_output({m, n}, device);
                              simt::launch<async_matmul>(
                                  {dim3(check::blocks_for(n, 16), check::blocks_for(m, 16)),
                                   dim3(16, 16), 0, 2.0 * m * n * k},
                                  check::tensor_of(a, device, {m, k}),
                                  check::tensor_of(b, device, {k, n}), c, m, n, k);
                              return {c};
                            },
                            {product(a, b, m, n, k)})[0];
}

}  // namespace

TEST_CASE("one pair of tiles", "[async_matmul]") { multiply(16, 16, 16); }

TEST_CASE("an even and an odd number of tiles", "[async_matmul]") {
  multiply(16, 16, 32);
  multiply(16, 16, 48);
  multiply(16, 16, 112);
}

TEST_CASE("several blocks in each direction, with asynchronous copies", "[async_matmul]") {
  multiply(32, 16, 48);
  multiply(16, 48, 32);
}

TEST_CASE("copies of numbers that are no integers", "[async_matmul]") {
  multiply(16, 32, 48, check::kNoInteger);
}

TEST_CASE("each tile is copied once, while the one before is used", "[async_matmul]") {
  const int tiles = 5, bytes = 2 * 16 * 16 * 4;
  const simt::KernelReport report = multiply(16, 16, tiles * 16);
  const simt::Profile& profile = report.profile;
  check::expect_at_most(report, "bytes copied asynchronously", profile.async_bytes, tiles * bytes);
  check::expect_at_most(report, "bytes loaded from global memory",
                        profile.global(simt::kLoad).transfers * 32, tiles * bytes);
  check::expect(profile.async_bytes == tiles * bytes,
                std::to_string(profile.async_bytes) +
                    " bytes are copied asynchronously, expected " + std::to_string(tiles * bytes) +
                    ": copy all tiles so");
  check::expect(profile.overlapped_async_bytes >= (tiles - 1) * bytes,
                std::to_string(profile.overlapped_async_bytes) +
                    " bytes are in flight while their thread reads shared memory, expected " +
                    std::to_string((tiles - 1) * bytes) +
                    ": start the next copies before the products, and wait after them");
}

TEST_CASE("two buffers, two barriers per tile, and no bank conflicts", "[async_matmul]") {
  const simt::KernelReport report = multiply(16, 16, 64);
  check::expect_barriers_at_most(report, 2 * 64 / 16);
  check::expect_no_bank_conflicts(report);
}
