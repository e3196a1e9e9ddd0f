// Numbers from a formula, from which every program that computes the same work starts.
// Invariant: Python's `numbers` in compare_gpu_torch.py returns the same bits.
#pragma once

#include <cstdint>

namespace bench {

/// Element i of the numbers with a seed: the same in every program, between -1 and 1.
inline float number(std::uint32_t i, std::uint32_t seed) {
  std::uint32_t x = i * 0x9E3779B1u + seed * 0x85EBCA77u;
  x = (x ^ x >> 15) * 0x2C1B3C6Du;
  x = (x ^ x >> 13) * 0x297A2D39u;
  x ^= x >> 16;
  return static_cast<float>(x >> 8) * 0x1p-23f - 1.0f;
}

}  // namespace bench
