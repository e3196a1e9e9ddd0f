// Tests of repair_linear.
#include "products.h"

namespace simt = td::simt;

namespace {

constexpr int kDepth = 32;  // of a tile

simt::KernelReport multiply(int rows, int outputs, int depth, float unit = 1) {
  const std::vector<float> x = factor(rows, depth, 0, unit), weight = factor(outputs, depth, 4);
  std::vector<float> by_columns;  // the weight as the second factor: depth x outputs
  for (int p = 0; p < depth; ++p)
    for (int o = 0; o < outputs; ++o)
      by_columns.push_back(weight[static_cast<std::size_t>(o * depth + p)]);
  return check::run_kernels(std::to_string(rows) + " rows, " + std::to_string(outputs) +
                                " outputs, depth " + std::to_string(depth),
                            [&](td::Device device) -> std::vector<td::Tensor> {
                              const td::Tensor y = check::poisoned_output({rows, outputs}, device);
                              simt::launch<linear_forward>(
                                  {dim3(check::blocks_for(outputs, 32), check::blocks_for(rows, 8)),
                                   dim3(32, 8), 0, 2.0 * rows * outputs * depth},
                                  check::tensor_of(x, device, {rows, depth}),
                                  check::tensor_of(weight, device, {outputs, depth}), y, outputs,
                                  depth);
                              return {y};
                            },
                            {product(x, by_columns, rows, outputs, depth)})[0];
}

}  // namespace

TEST_CASE("a linear layer of one pair of tiles", "[repair_linear]") { multiply(8, 32, kDepth); }

TEST_CASE("a linear layer of several pairs of tiles", "[repair_linear]") {
  for (const int tiles : {2, 3, 5}) multiply(8, 32, tiles * kDepth);
}

TEST_CASE("a linear layer of several blocks in each direction", "[repair_linear]") {
  multiply(24, 64, 3 * kDepth);
  multiply(16, 96, 2 * kDepth, check::kNoInteger);
}

TEST_CASE("the next pair of tiles is copied during the products", "[repair_linear]") {
  const int tiles = 4, bytes = (8 + 32) * kDepth * 4;
  const simt::KernelReport report = multiply(8, 32, tiles * kDepth);
  const simt::Profile& profile = report.profile;
  check::expect_at_most(report, "bytes loaded from global memory",
                        profile.global(simt::kLoad).transfers * 32, tiles * bytes);
  check::expect(profile.async_bytes == tiles * bytes,
                std::to_string(profile.async_bytes) +
                    " bytes are copied asynchronously, expected " + std::to_string(tiles * bytes) +
                    ": copy each tile once");
  check::expect(profile.overlapped_async_bytes >= (tiles - 1) * bytes,
                std::to_string(profile.overlapped_async_bytes) +
                    " bytes are copied during other work, expected " +
                    std::to_string((tiles - 1) * bytes) +
                    ": start the next copies before the products, and wait after them");
}

TEST_CASE("coalesced copies, and no bank conflicts in a linear layer", "[repair_linear]") {
  const int tiles = 3;
  const simt::KernelReport report = multiply(8, 32, tiles * kDepth);
  check::expect_barriers_at_most(report, 2 * tiles);
  check::expect_coalesced(report);
  check::expect_no_bank_conflicts(report);
}
