// Comparison of numbers that detects NaN and an output that was not written. Used by
// check.h; standard library only and free of Catch2, so that it can be tested by itself.
// Invariant: never compiled with -ffast-math, which removes tests for NaN.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace check {

/// Fill outputs with this before an exercise runs. Finite, so that arithmetic on it stays visible;
/// exactly a float, so that it survives conversion; no sensible result.
inline constexpr float kPoison = -7.0e33F;

/// n poisoned values.
inline std::vector<float> poisoned(std::size_t n) { return std::vector<float>(n, kPoison); }

/// Sizes that block-wise code gets wrong: one, odd, next to powers of two.
inline const std::vector<int>& odd_sizes() {
  static const std::vector<int> sizes = {1, 31, 33, 1023};
  return sizes;
}

/// Says how two sequences differ, or nothing when every |actual - expected| is at most `tolerance`
/// or at most `relative` * |expected|.
/// NaN equals nothing, on either side; infinities equal themselves only.
/// @return empty, or one line naming the first wrong index, both values and how many are wrong.
std::string difference(const std::vector<double>& actual, const std::vector<double>& expected,
                       double tolerance, double relative = 0);

}  // namespace check
