// Tests of histogram.
#include "blocks.h"
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// Counts n bytes with values below `values`.
simt::KernelReport count_bytes(int n, int values, unsigned blocks, unsigned threads) {
  std::vector<float> bytes;
  std::vector<double> expected(256, 0);
  for (int i = 0; i < n; ++i) {
    const int value = i % 997 * (i % 997) % values;
    bytes.push_back(static_cast<float>(value));
    expected[static_cast<std::size_t>(value)] += 1;
  }
  return check::run_kernels(
      "n = " + std::to_string(n) + " with " + std::to_string(blocks) +
          (blocks == 1 ? " block of " : " blocks of ") + std::to_string(threads),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor in = td::tensor(bytes).to(td::kUInt8).to(device);
        const td::Tensor bins = td::zeros({256}, td::TensorOptions(td::kInt32).device(device));
        simt::launch<histogram>({dim3(blocks), dim3(threads)}, in, n, bins);
        return {bins};
      },
      {expected})[0];
}

}  // namespace

TEST_CASE("a few bytes, all different", "[histogram]") { count_bytes(3, 256, 1, 256); }

TEST_CASE("many bytes with the same value", "[histogram]") {
  count_bytes(1000, 3, 1, 256);
  count_bytes(1000, 1, 4, 128);
  count_bytes(70000, 1, 1, 512);  // more than 16 bits can count
}

TEST_CASE("any size, any grid and any block", "[histogram]") {
  for (const int n : check::odd_sizes()) {
    count_bytes(n, 251, 1, 32);
    count_bytes(n, 251, 3, 96);
    count_bytes(n, 251, 2, 512);
  }
}

TEST_CASE("at most 256 atomic operations on global memory per block", "[histogram]") {
  const simt::KernelReport report = count_bytes(65536, 256, 8, 256);
  check::expect_at_most(report, "atomic operations on `bins`",
                        report.profile.of("bins", simt::kAtomic).lanes, 8 * 256);
  check::expect_at_most(report, "loads of `in` by a warp",
                        report.profile.of("in", simt::kLoad).requests, 65536 / 32);
}

TEST_CASE("all blocks count bytes", "[histogram]") {
  count_bytes(1000, 251, 4, 64);
  const std::vector<unsigned char> in(1000, 7);
  std::vector<unsigned> bins(256);
  check::expect_all_blocks_read(4, 64, in, "in", [&] { histogram(in.data(), 1000, bins.data()); });
}
