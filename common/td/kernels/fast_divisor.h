// Division of a loop index by a loop size. A GPU has no divider: a 64-bit division takes it some
// hundred instructions, a 32-bit one twenty, a multiplication by FastDivisor four. Used by kernels.
// Invariant: both ways are exact; FastDivisor for indices below 2^31 and sizes from 1 to 2^31.
#pragma once

#include <cstdint>

#include "td/tensor/dtype.h"

namespace td {

/// A divisor made once on the host; Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994, figure 4.1.
struct FastDivisor {
  std::uint32_t size;
  std::uint32_t multiplier;
  std::uint32_t shift;

  FastDivisor() = default;
  explicit FastDivisor(std::uint32_t divisor) : size(divisor), shift(0) {
    while ((std::uint64_t(1) << shift) < divisor) ++shift;
    const std::uint64_t above = (std::uint64_t(1) << shift) - divisor;
    multiplier = static_cast<std::uint32_t>((above << 32) / divisor + 1);
  }
  /// n / size, rounded down.
  TD_HD std::uint32_t quotient(std::uint32_t n) const {
    const auto high = static_cast<std::uint32_t>((std::uint64_t(n) * multiplier) >> 32);
    return (high + n) >> shift;
  }
};

/// n / size for n >= 0, size > 0; on a GPU in 32 bits where both fit.
TD_HD inline std::int64_t quotient(std::int64_t n, std::int64_t size) {
#ifdef __CUDA_ARCH__
  if (((n | size) >> 32) == 0)
    return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(size);
#endif
  return n / size;
}

}  // namespace td
