// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): random
// numbers as a function of (seed, index), so that every device draws the same ones in any order;
// and how an operation reserves its part of the stream. Included by random.cu and graph_random.cu.
#pragma once

#include <cstdint>

#include "td/tensor/generator.h"
#include "td/tensor/tensor.h"

namespace td {

/// Four random 32-bit words, or two of 64 bits.
struct PhiloxWords {
  std::uint32_t word[4];
  TD_HD std::uint64_t long_word(int k) const {
    return std::uint64_t{word[2 * k]} << 32 | word[2 * k + 1];
  }
};

/// The words of block `block` of the stream that starts at `offset`. One seed has 2^64 blocks.
TD_HD inline PhiloxWords philox(std::uint64_t seed, std::uint64_t offset, std::uint64_t block) {
  const std::uint64_t index = offset + block;
  std::uint32_t c0 = static_cast<std::uint32_t>(index),
                c1 = static_cast<std::uint32_t>(index >> 32);
  std::uint32_t c2 = 0, c3 = 0;
  std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * c0, b = std::uint64_t{0xCD9E8D57u} * c2;
    const std::uint32_t a1 = static_cast<std::uint32_t>(a >> 32);
    const std::uint32_t b1 = static_cast<std::uint32_t>(b >> 32);
    c0 = b1 ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(b);
    c2 = a1 ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(a);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// How many blocks `count` elements take when a block serves `per_block` of them.
constexpr std::uint64_t philox_blocks(std::int64_t count, int per_block) {
  return (static_cast<std::uint64_t>(count) + static_cast<std::uint64_t>(per_block) - 1) /
         static_cast<std::uint64_t>(per_block);
}

/// A part of the random stream that is reserved for an operation on `device`.
/// While the device's work is captured nothing is drawn: the graph counts what it needs, and each
/// replay takes as much from default_generator() and writes for the kernels where it begins.
/// Invariant: a replay draws the numbers that the same step would draw without a graph.
class PhiloxReservation {
 public:
  PhiloxReservation(std::uint64_t blocks, Device device);
  /// Where the kernel finds its numbers.
  Generator::State state() const { return state_; }
  /// In a capture: the seed, and what the state's offset is added to, as two int64 on the device
  /// that draws. Undefined outside of captures, where the state holds everything.
  const Tensor& start() const { return start_; }

 private:
  Generator::State state_;
  Tensor start_;
};

}  // namespace td
