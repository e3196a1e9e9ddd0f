// Tests of dot.
#include "blocks.h"
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

std::vector<float> factors(int n) {
  std::vector<float> numbers;
  for (int i = 0; i < n; ++i) numbers.push_back(static_cast<float>((i * 5 + 1) % 7 - 3));
  return numbers;
}

simt::KernelReport multiply(int n, unsigned blocks, float unit = 1) {
  const std::vector<float> a = check::small_numbers(static_cast<std::size_t>(n), unit),
                           b = factors(n);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return check::run_kernels("n = " + std::to_string(n) + ", blocks: " + std::to_string(blocks),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor out = td::zeros({1}, device);
                              simt::launch<dot>({dim3(blocks), dim3(256)},
                                                check::tensor_of(a, device),
                                                check::tensor_of(b, device), out, n);
                              return {out};
                            },
                            {{sum}})[0];
}

}  // namespace

TEST_CASE("product: one block", "[dot]") {
  multiply(3, 1);
  multiply(256, 1);
  for (const int n : check::odd_sizes()) multiply(n, 1);
}

TEST_CASE("several blocks, with more and with fewer threads than elements", "[dot]") {
  for (const int n : check::odd_sizes()) multiply(n, 3);
  multiply(5000, 2);
}

TEST_CASE("product: numbers that are no integers", "[dot]") { multiply(300, 2, check::kNoInteger); }

TEST_CASE("coalesced, and one atomic operation per block", "[dot]") {
  const simt::KernelReport report = multiply(16384, 8);
  check::expect_at_most(report, "atomic operations on `out`",
                        report.profile.of("out", simt::kAtomic).lanes, 8);
  check::expect_at_most(report, "stores to `out` that are not atomic",
                        report.profile.of("out", simt::kStore).lanes, 0);
  check::expect_coalesced(report);
}

TEST_CASE("all blocks multiply", "[dot]") {
  multiply(1000, 4);
  const std::vector<float> ones(1000, 1);
  float sum = 0;
  check::expect_all_blocks_read(4, 256, ones, "a",
                                [&] { dot(ones.data(), ones.data(), &sum, 1000); });
}
