// What the tests of block_sum and warp_sum share: both kernels write one sum per block.
#pragma once

#include "check_kernels.h"
#include "exercises.h"

/// Launches `kernel` on n multiples of `unit` with blocks of `threads`, compares the sums of the
/// blocks, and returns the report.
template <auto* kernel>
td::simt::KernelReport sum_blocks(int n, int threads, float unit = 1) {
  const std::vector<float> in = check::small_numbers(static_cast<std::size_t>(n), unit);
  const unsigned blocks = check::blocks_for(n, threads);
  std::vector<double> sums(blocks, 0);
  for (int i = 0; i < n; ++i)
    sums[static_cast<std::size_t>(i / threads)] += in[static_cast<std::size_t>(i)];
  return check::run_kernels(
      "n = " + std::to_string(n) + " with blocks of " + std::to_string(threads),
      [&](td::Device device) -> std::vector<td::Tensor> {
        const td::Tensor out = check::poisoned_output({static_cast<std::int64_t>(blocks)}, device);
        td::simt::launch<kernel>({dim3(blocks), dim3(static_cast<unsigned>(threads))},
                                 check::tensor_of(in, device), out, n);
        return {out};
      },
      {sums})[0];
}
