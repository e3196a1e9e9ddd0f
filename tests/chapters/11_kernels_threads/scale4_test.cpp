// Tests of scale4.
#include "blocks.h"
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// Scales n elements of a tensor, from element `start` on; the elements around stay as they are.
simt::KernelReport scale(std::int64_t start, std::int64_t n, unsigned blocks, unsigned threads) {
  const std::vector<float> all = check::small_numbers(static_cast<std::size_t>(start + n + 5));
  std::vector<double> expected(all.begin(), all.end());
  for (std::int64_t i = start; i < start + n; ++i) expected[static_cast<std::size_t>(i)] *= 3;
  return check::run_kernels(
      "n = " + std::to_string(n) + " from element " + std::to_string(start) + " on",
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor x = check::tensor_of(all, device);
        simt::launch<scale4>({dim3(blocks), dim3(threads)}, x.narrow(0, start, n), 3.0F,
                             static_cast<int>(n));
        return {x};
      },
      {expected})[0];
}

}  // namespace

TEST_CASE("a multiple of four elements", "[scale4]") { scale(0, 256, 1, 64); }

TEST_CASE("elements left at the end", "[scale4]") {
  for (const int n : check::odd_sizes()) scale(0, n, 2, 64);
}

TEST_CASE("a beginning between two multiples of 16 bytes", "[scale4]") {
  for (const int start : {1, 2, 3})
    for (const int n : {1, 2, 3, 9, 33, 1023}) scale(start, n, 2, 32);
}

TEST_CASE("one thread for three elements at the beginning and three at the end", "[scale4]") {
  scale(1, 10, 1, 1);
}

TEST_CASE("a request loads or stores four elements per lane", "[scale4]") {
  const int n = 16384;
  for (const int start : {0, 3}) {
    const simt::KernelReport report = scale(start, n, 4, 128);
    // 128 elements per request, and one request each for the beginning and the end.
    for (const auto kind : {simt::kLoad, simt::kStore})
      check::expect_at_most(report, kind == simt::kLoad ? "load requests" : "store requests",
                            report.profile.global(kind).requests, n / 128 + 6);
  }
  check::expect_coalesced(scale(0, n, 4, 128));
}

TEST_CASE("all blocks scale elements", "[scale4]") {
  scale(0, 4000, 4, 64);
  std::vector<float> x(4000, 1);
  check::expect_all_blocks_read(4, 64, x, "x", [&] { scale4(x.data(), 3, 4000); });
}
