// Tests of scan.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

std::vector<std::int32_t> numbers(int n, int unit = 1) {
  std::vector<std::int32_t> all;
  for (int i = 0; i < n; ++i) all.push_back((i * 7 % 13 - 4) * unit);
  return all;
}

td::Tensor to_device(const std::vector<std::int32_t>& numbers, td::Device device) {
  return td::tensor(numbers).to(td::kInt32).to(device);
}

/// Sums within blocks: the sums, then those of whole blocks.
std::vector<std::vector<double>> sums_in_blocks(const std::vector<std::int32_t>& in) {
  std::vector<double> sums, blocks;
  double sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum = (i % 256 == 0 ? 0 : sum) + in[i];
    sums.push_back(sum);
    if (i % 256 == 255 || i + 1 == in.size()) blocks.push_back(sum);
  }
  return {sums, blocks};
}

simt::KernelReport scan_blocks(int n, int unit = 1) {
  const std::vector<std::int32_t> in = numbers(n, unit);
  return check::run_kernels(
      "n = " + std::to_string(n),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const unsigned blocks = check::blocks_for(n, 256);
        const td::Tensor out = check::poisoned_output({n}, device, td::kInt32);
        const td::Tensor sums =
            check::poisoned_output({static_cast<std::int64_t>(blocks)}, device, td::kInt32);
        simt::launch<scan>({dim3(blocks), dim3(256)}, to_device(in, device), out, sums, n);
        return {out, sums};
      },
      sums_in_blocks(in), {"`out`", "`block_sums`"})[0];
}

void scan_all(int n) {
  const std::vector<std::int32_t> in = numbers(n);
  std::vector<double> expected;
  double sum = 0;
  for (const std::int32_t number : in) expected.push_back(sum += number);
  check::run_kernels("scan and add_carry, n = " + std::to_string(n),
                     [&](td::Device device) -> std::vector<td::Tensor> {
                       const int blocks = static_cast<int>(check::blocks_for(n, 256));
                       const dim3 grid(static_cast<unsigned>(blocks)), block(256);
                       const td::Tensor out = check::poisoned_output({n}, device, td::kInt32);
                       const td::Tensor sums = check::poisoned_output({blocks}, device, td::kInt32);
                       const td::Tensor scanned =
                           check::poisoned_output({blocks}, device, td::kInt32);
                       const td::Tensor total = check::poisoned_output({1}, device, td::kInt32);
                       simt::launch<scan>({grid, block}, to_device(in, device), out, sums, n);
                       simt::launch<scan>({dim3(1), block}, sums, scanned, total, blocks);
                       simt::launch<add_carry>({grid, block}, out, scanned, n);
                       return {out};
                     },
                     {expected});
}

}  // namespace

TEST_CASE("the sums of one block", "[scan]") { scan_blocks(256); }

TEST_CASE("each block begins with 0, and writes its own sum", "[scan]") {
  scan_blocks(512);
  for (const int n : check::odd_sizes()) scan_blocks(n);
  scan_blocks(600, 1000003);  // float holds no integers as large as these sums
}

TEST_CASE("add_carry makes one sum of all blocks", "[scan]") {
  for (const int n : {33, 600, 1023, 5000}) scan_all(n);
}

TEST_CASE("at most 20 barriers, and no bank conflicts", "[scan]") {
  const simt::KernelReport report = scan_blocks(4096);
  check::expect_barriers_at_most(report, 20);
  check::expect_no_bank_conflicts(report);
  check::expect_coalesced(report);
}

TEST_CASE("all threads add, in eight steps", "[scan]") {
  // 8 warps with two loads and a store in each of 8 steps, and one of each before and after.
  const simt::KernelReport report = scan_blocks(1024);
  check::expect_at_most(report, "requests to shared memory", report.profile.shared().requests,
                        4 * 256);
}
