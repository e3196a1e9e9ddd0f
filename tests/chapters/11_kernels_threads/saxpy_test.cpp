// Tests of saxpy.
#include "blocks.h"
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport saxpy_elements(std::size_t n, unsigned blocks, unsigned threads) {
  const std::vector<float> x = check::small_numbers(n);
  std::vector<double> expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = 3.0 * x[i] + static_cast<double>(i % 50);
  return check::run_kernels(
      "n = " + std::to_string(n) + " with " + std::to_string(blocks) +
          (blocks == 1 ? " block of " : " blocks of ") + std::to_string(threads),
      [&](td::Device device) -> std::vector<td::Tensor> {
        std::vector<float> y(n);
        for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<float>(i % 50);
        const td::Tensor result = check::tensor_of(y, device);
        simt::launch<saxpy>({dim3(blocks), dim3(threads)}, static_cast<int>(n), 3.0F,
                            check::tensor_of(x, device), result);
        return {result};
      },
      {expected})[0];
}

}  // namespace

TEST_CASE("a thread per element, with threads to spare", "[saxpy]") {
  for (const int n : check::odd_sizes())
    saxpy_elements(static_cast<std::size_t>(n), check::blocks_for(n, 128), 128);
}

TEST_CASE("fewer threads than elements", "[saxpy]") {
  for (const int n : check::odd_sizes()) {
    saxpy_elements(static_cast<std::size_t>(n), 1, 32);
    saxpy_elements(static_cast<std::size_t>(n), 3, 96);
  }
}

TEST_CASE("in each step the threads access neighboring elements", "[saxpy]") {
  const simt::KernelReport report = saxpy_elements(32768, 8, 256);
  check::expect_coalesced(report);
  check::expect_at_most(report, "requests to global memory", report.profile.global().requests,
                        3 * 32768 / 32);
}

TEST_CASE("all blocks compute elements of y", "[saxpy]") {
  saxpy_elements(1000, 4, 64);
  const std::vector<float> x(1000, 1);
  std::vector<float> y(1000, 2);
  check::expect_all_blocks_read(4, 64, x, "x", [&] { saxpy(1000, 3, x.data(), y.data()); });
}
