// Tests of smooth.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport smooth_elements(int n, unsigned blocks) {
  const std::vector<float> in = check::small_numbers(static_cast<std::size_t>(n));
  const auto at = [&](int i) { return i < 0 || i >= n ? 0.0 : in[static_cast<std::size_t>(i)]; };
  std::vector<double> expected;
  for (int i = 0; i < n; ++i) expected.push_back((at(i - 1) + 2 * at(i) + at(i + 1)) / 4);
  return check::run_kernels(
      "n = " + std::to_string(n) + " with " + std::to_string(blocks) + " blocks",
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor out = check::poisoned_output({n}, device);
        simt::launch<smooth>({dim3(blocks), dim3(128)}, check::tensor_of(in, device), out, n);
        return {out};
      },
      {expected})[0];
}

}  // namespace

TEST_CASE("a block per tile", "[smooth]") {
  smooth_elements(128, 1);
  for (const int n : check::odd_sizes()) smooth_elements(n, check::blocks_for(n, 128));
}

TEST_CASE("several tiles per block", "[smooth]") {
  for (const int n : {129, 1023, 4096}) smooth_elements(n, 2);
}

TEST_CASE("each element is loaded once, and two barriers per tile", "[smooth]") {
  const int tiles = 32, n = tiles * 128;
  const simt::KernelReport report = smooth_elements(n, 4);
  check::expect_barriers_at_most(report, 2 * tiles / 4);
  // 16 sectors of a tile, 4 more where its loads are shifted by an element, one on each side.
  check::expect_at_most(report, "sectors loaded from `in`",
                        report.profile.of("in", simt::kLoad).transfers, tiles * (16 + 4 + 2));
}
