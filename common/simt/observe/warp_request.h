// Counts what one request of a warp costs: sectors of global memory, passes of shared memory.
// Called by RequestCounter and by the tests.
//
// Source of the rules: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" and
// "Shared Memory and Memory Banks"; the groups of 8- and 16-byte accesses are those that NVIDIA's
// forum names (LDS.128 takes four passes). Invariant: depends on its arguments only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/observe/profile.h"

namespace td::simt {

inline constexpr int kSectorBytes = 32;
inline constexpr int kBanks = 32;

/// The cost of one request.
struct RequestCost {
  std::size_t bytes = 0;      ///< Distinct bytes that the lanes need.
  std::size_t transfers = 0;  ///< Sectors, or passes.
  std::size_t ideal = 0;
  int ways = 0;       ///< Shared memory: the most words of one bank in one pass group.
  int same_word = 0;  ///< The most lanes whose accesses begin in one word of four bytes.
};

/// @param base address of the tensor's first byte, to which the offsets are added.
/// @param sectors becomes the numbers of the sectors (address / 32), in ascending order.
RequestCost global_cost(const WarpRequest& request, std::uintptr_t base,
                        std::vector<std::uintptr_t>& sectors);
/// How many lanes a pass over the banks can serve: 128 bytes, so 32, 16, 8 or 4.
int lanes_per_pass(std::uint32_t bytes);
/// Offsets may be negative, for lanes in a variable that comes before. Banks are counted from the
/// start of the shared variable, because its address is the compiler's choice.
RequestCost shared_cost(const WarpRequest& request);

}  // namespace td::simt
