// Device code: what a GPU runs, the one function that launches it, and division without a divider.
// TD_DEVICE_CODE says that this compiler makes device code. nvcc does. A build for tests also sets
// it for g++, together with a header that provides CUDA's language, `start` and `Launching`.
#pragma once

#include <cstdint>

#include "td/tensor/half.h"

#ifdef __CUDACC__
#define TD_DEVICE_CODE
#include <cuda_runtime.h>

#include <type_traits>
#endif

namespace td {

#ifdef __CUDACC__
namespace {

/// kernel<<<grid, block, 0, stream>>>(arguments...). launch_on_cuda finds an error of the launch.
template <class... T>
void start(void (*kernel)(T...), dim3 grid, dim3 block, cudaStream_t stream,
           const std::type_identity_t<T>&... arguments) {
  kernel<<<grid, block, 0, stream>>>(arguments...);
}

}  // namespace
#endif

// Division of a loop index by a loop size. A GPU has no divider: a 64-bit division takes it some
// hundred instructions, a 32-bit one twenty, a multiplication by FastDivisor four.
// Invariant: both ways are exact; FastDivisor for indices below 2^31 and sizes from 1 to 2^31.

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
