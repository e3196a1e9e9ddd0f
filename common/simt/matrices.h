// Where the elements of matrix fragments are. Used by the machine.
#pragma once

#include <cstdint>

namespace td::simt {

/// The element of a matrix that a slot holds, as device_calls.h says. A permutation for each seed,
/// repeated where a fragment holds elements several times. @pre count is a power of two.
inline unsigned matrix_element(unsigned slot, unsigned count, std::uint64_t seed) {
  const auto odd = static_cast<unsigned>(2 * (seed * 0x9e37 + 18) + 1);
  return (slot * odd + static_cast<unsigned>(seed * 13 + 5)) & (count - 1);
}

}  // namespace td::simt
