// Tests of half2_saxpy.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport scale_and_add(const std::vector<float>& x, const std::vector<float>& y, float a,
                                 const std::vector<double>& expected) {
  const auto n = static_cast<int>(x.size());
  return check::run_kernels("n = " + std::to_string(n),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor left = check::tensor_of(x, device).to(td::kHalf);
                              const td::Tensor sum = check::tensor_of(y, device).to(td::kHalf);
                              simt::launch<half2_saxpy>(
                                  {dim3(check::blocks_for((n + 1) / 2, 64)), dim3(64)}, n, half(a),
                                  left, sum);
                              return {sum};
                            },
                            {expected})[0];
}

/// Of small integers, whose sums are exact.
simt::KernelReport scale_and_add(int n) {
  const std::vector<float> x = check::small_numbers(static_cast<std::size_t>(n));
  std::vector<float> y(x.rbegin(), x.rend());
  std::vector<double> expected;
  for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(3.0 * x[i] + y[i]);
  return scale_and_add(x, y, 3, expected);
}

}  // namespace

TEST_CASE("an even number of halves", "[half2_saxpy]") {
  for (const int n : {2, 64, 128, 1000}) scale_and_add(n);
}

TEST_CASE("an odd number of halves", "[half2_saxpy]") {
  for (const int n : check::odd_sizes()) scale_and_add(n);
  scale_and_add(127);
  scale_and_add(129);
}

TEST_CASE("the product is not rounded before the sum", "[half2_saxpy]") {
  // 2049 is no half: rounded by itself, the product would be 2048.
  scale_and_add({683, 683, 683}, {-2048, -2048, -2048}, 3, {1, 1, 1});
}

TEST_CASE("the sum is rounded once, to half", "[half2_saxpy]") {
  // 2049 lies in the middle of the halves 2048 and 2050, and the sum a little above. A float is too
  // short for the sum, so it becomes 2049 there, and then 2048.
  const float little = 1.0F / 16384;
  scale_and_add({683, 683, 683}, {little, little, little}, 3, {2050, 2050, 2050});
}

TEST_CASE("one request for 64 halves, coalesced", "[half2_saxpy]") {
  const int n = 1024;
  const simt::KernelReport report = scale_and_add(n);
  check::expect_at_most(report, "load requests", report.profile.global(simt::kLoad).requests,
                        2 * n / 64);
  check::expect_at_most(report, "store requests", report.profile.global(simt::kStore).requests,
                        n / 64);
  check::expect_coalesced(report);
}
