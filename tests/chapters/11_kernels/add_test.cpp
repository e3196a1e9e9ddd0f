// Tests of add.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// Adds n elements with blocks of 256 threads, and returns the report of the launch.
simt::KernelReport add_elements(std::size_t n) {
  const std::vector<float> a = check::small_numbers(n);
  std::vector<double> sums(n);
  for (std::size_t i = 0; i < n; ++i) sums[i] = a[i] + 2.0 * static_cast<double>(i % 1000);
  const auto size = static_cast<std::int64_t>(n);
  return check::run_kernels("n = " + std::to_string(n),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              std::vector<float> b(n);
                              for (std::size_t i = 0; i < n; ++i)
                                b[i] = 2.0F * static_cast<float>(i % 1000);
                              const td::Tensor c = check::poisoned_output({size}, device);
                              simt::launch<add>({dim3(check::blocks_for(size, 256)), dim3(256)},
                                                check::tensor_of(a, device),
                                                check::tensor_of(b, device), c,
                                                static_cast<int>(n));
                              return {c};
                            },
                            {sums})[0];
}

}  // namespace

TEST_CASE("1,024 elements in four blocks", "[add]") { add_elements(1024); }

TEST_CASE("sizes that do not fill the last block", "[add]") {
  for (const int n : check::odd_sizes()) add_elements(static_cast<std::size_t>(n));
}

TEST_CASE("neighboring threads of 65,536 access neighboring elements", "[add]") {
  check::expect_coalesced(add_elements(65536));
}
