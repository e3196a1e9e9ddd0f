// Tests of add.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// Adds n elements with blocks of `threads`, and returns the report of the launch.
simt::KernelReport add_elements(std::size_t n, unsigned threads = 256) {
  const std::vector<float> a = check::small_numbers(n);
  std::vector<float> b(n);
  std::vector<double> sums(n);
  for (std::size_t i = 0; i < n; ++i) {
    b[i] = 2.0F * static_cast<float>(i % 1000);
    sums[i] = a[i] + b[i];
  }
  const auto size = static_cast<std::int64_t>(n);
  const auto work = [&](td::Device device) -> std::vector<td::Tensor> {
    const td::Tensor left = check::tensor_of(a, device), right = check::tensor_of(b, device);
    const td::Tensor c = check::poisoned_output({size}, device);
    simt::launch<add>({dim3(check::blocks_for(size, threads)), dim3(threads)}, left, right, c,
                      static_cast<int>(n));
    return {c, left, right};  // The arguments stay as they are.
  };
  return check::run_kernels(
      "n = " + std::to_string(n) + " with blocks of " + std::to_string(threads), work,
      {sums, {a.begin(), a.end()}, {b.begin(), b.end()}}, {"`c`", "`a`", "`b`"})[0];
}

}  // namespace

TEST_CASE("1,024 elements in four blocks", "[add]") { add_elements(1024); }

TEST_CASE("sizes that do not fill the last block", "[add]") {
  for (const int n : check::odd_sizes()) add_elements(static_cast<std::size_t>(n));
}

TEST_CASE("neighboring threads of 65,536 access neighboring elements", "[add]") {
  const simt::KernelReport report = add_elements(65536);
  check::expect_coalesced(report);
  check::expect_at_most(report, "requests to global memory", report.profile.global().requests,
                        3 * 65536 / 32);
}

TEST_CASE("blocks of another size", "[add]") { add_elements(1000, 96); }
