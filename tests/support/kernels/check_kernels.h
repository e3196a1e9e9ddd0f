// Functions for the tests of kernels, in addition to check_tensors.h. Included by the tests of
// chapters 11 to 13. A kernel runs observed on sim, in several orders of blocks and threads, and
// once more on a GPU where there is one.
// Invariant: a finding fails before a wrong result does, because it names the line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check_tensors.h"
#include "launch/launch.h"
#include "simt/observe.h"

namespace check {

/// Makes its tensors on the device, launches kernels, and returns what they wrote.
using KernelWork = std::function<std::vector<td::Tensor>(td::Device)>;

/// Runs `work` on sim:0 with blocks and threads in forward, reversed and random order, and fails
/// with the first finding, or unless the results are exactly `expected`. Notes do not fail, except
/// one of threads that returned before a barrier. Then compares the results on cuda:0, where there
/// is one. Use integers: their sums are exact in any order. Where a task needs exp or sqrt, state a
/// tolerance.
/// @param what names the launch in messages: "n = 33".
/// @param names of the results in messages; without them "result 0", "result 1" and so on.
/// @param tolerance allows |result - expected| <= tolerance * max(1, |expected|). NaN fails.
/// @return the reports of the run in forward order, one per launch.
std::vector<td::simt::KernelReport> run_kernels(const std::string& what, const KernelWork& work,
                                                const std::vector<std::vector<double>>& expected,
                                                const std::vector<std::string>& names = {},
                                                double tolerance = 0);

/// Checks of one launch, where g++ has compiled the kernel; clang reports other accesses, and there
/// they check nothing. Each fails with the table of what was counted. The first two also write a
/// picture of a warp's accesses to the build folder, and the message names it.
///@{
/// Fails unless every load and store of global memory takes the least sectors that it can.
void expect_coalesced(const td::simt::KernelReport& report);
/// Fails unless every access to shared memory takes the least passes that it can.
void expect_no_bank_conflicts(const td::simt::KernelReport& report);
/// Fails when a thread calls __syncthreads() more often than `most` times.
void expect_barriers_at_most(const td::simt::KernelReport& report, int most);
/// Fails unless `found` is at most `most`.
/// @param what names what is counted, in the plural: "sectors loaded from `a`".
void expect_at_most(const td::simt::KernelReport& report, const std::string& what,
                    std::size_t found, std::size_t most);
///@}

/// A factor for integers below 2^13: float holds each multiple exactly, and so any sum of them. int
/// and half do not, so a kernel that adds in one of these types is wrong.
constexpr float kNoInteger = 1025.0F / 1024;
/// n small integers from -5 to 5, which repeat after 11, times `unit`.
std::vector<float> small_numbers(std::size_t n, float unit = 1);

/// A tensor of these elements on the device, with these sizes; one dimension without them.
td::Tensor tensor_of(const std::vector<float>& elements, td::Device device,
                     const std::vector<std::int64_t>& sizes = {});
/// An output that is filled with a value that no kernel writes.
td::Tensor poisoned_output(const std::vector<std::int64_t>& sizes, td::Device device,
                           td::ScalarType dtype = td::kFloat32);

/// `elements` divided by `per_block`, rounded up: the blocks that a launch needs.
inline unsigned blocks_for(std::int64_t elements, std::int64_t per_block) {
  return static_cast<unsigned>((elements + per_block - 1) / per_block);
}

}  // namespace check
