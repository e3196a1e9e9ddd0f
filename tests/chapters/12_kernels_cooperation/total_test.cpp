// Tests of total.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport add_up(int n, float unit = 1) {
  const std::vector<float> in = check::small_numbers(static_cast<std::size_t>(n), unit);
  double sum = 0;
  for (const float number : in) sum += number;
  return check::run_kernels("n = " + std::to_string(n),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor out = td::zeros({1}, device);
                              simt::launch<total>({dim3(check::blocks_for(n, 256)), dim3(256)},
                                                  check::tensor_of(in, device), out, n);
                              return {out};
                            },
                            {{sum}})[0];
}

}  // namespace

TEST_CASE("total: one block", "[total]") {
  add_up(256);
  for (const int n : {1, 31, 33}) add_up(n);
}

TEST_CASE("total: several blocks", "[total]") {
  for (const int n : {300, 1023, 2048}) add_up(n);
  add_up(300, check::kNoInteger);
}

TEST_CASE("nine barriers, whole warps, no bank conflicts, one atomic operation per block",
          "[total]") {
  const simt::KernelReport report = add_up(2048);
  check::expect_barriers_at_most(report, 9);
  check::expect_no_bank_conflicts(report);
  check::expect_at_most(report, "atomic operations on `out`",
                        report.profile.of("out", simt::kAtomic).lanes, 8);
  check::expect_at_most(report, "stores to `out` that are not atomic",
                        report.profile.of("out", simt::kStore).lanes, 0);
  // As in the tests of block_sum: a tree needs 3 requests per warp that adds.
  check::expect_at_most(report, "requests to shared memory", report.profile.shared().requests,
                        8 * 64);
  check::expect_at_most(report, "loads of `in` by a thread",
                        report.profile.of("in", simt::kLoad).lanes, 2048);
  check::expect_at_most(report, "atomic requests to shared memory",
                        report.profile.shared(simt::kAtomic).requests, 0);
}
