// What the tests of kernels on one vector share: numbers, and a launch with a thread per element.
#pragma once

#include <algorithm>

#include "check_kernels.h"
#include "exercises.h"

namespace check {

/// n integers from -504 to 504 in no simple order, plus `shift`, times `unit`.
inline std::vector<float> mixed_numbers(int n, int shift = 0, float unit = 1) {
  std::vector<float> numbers;
  for (int i = 0; i < n; ++i)
    numbers.push_back(unit * static_cast<float>((i * i % 1009 * 31 + i * 17) % 1009 - 504 + shift));
  return numbers;
}

/// Launches kernel(in, out, n) with blocks of `threads` threads, one thread per element, and
/// compares `out`.
template <auto* kernel>
td::simt::KernelReport run_on_vector(const std::vector<float>& in, int threads,
                                     const std::vector<double>& expected) {
  const int n = static_cast<int>(in.size());
  return run_kernels("n = " + std::to_string(n) + " with blocks of " + std::to_string(threads),
                     [&](td::Device device) -> std::vector<td::Tensor> {
                       const auto results = static_cast<std::int64_t>(expected.size());
                       const td::Tensor out = poisoned_output({results}, device);
                       td::simt::launch<kernel>(
                           {dim3(blocks_for(n, threads)), dim3(unsigned(threads))},
                           tensor_of(in, device), out, n);
                       return {out};
                     },
                     {expected})[0];
}

/// Fails if the kernel used shared memory or a barrier of the block.
inline void expect_registers_only(const td::simt::KernelReport& report) {
  expect_at_most(report, "requests to shared memory", report.profile.shared().requests, 0);
  expect_barriers_at_most(report, 0);
}

}  // namespace check
