// Which lanes of a warp run together: a GPU lets lanes that a branch or a loop divided meet again
// at its end. Here they wait for each other, and then go on in the order of the source.
#include <bit>
#include <utility>
#include <vector>

#include "simt/debug_info.h"
#include "simt/machine.h"

namespace td::simt {
namespace {

/// Whether the place of the first address comes first in the source.
bool is_before(std::uintptr_t pc, std::uintptr_t other) {
  const auto lines = [](std::uintptr_t address) {
    const Place place = place_before(address);
    std::vector<std::pair<int, int>> all;
    if (place.calls)
      for (const Site* call : *place.calls) all.emplace_back(call->line, call->column);
    all.emplace_back(place.site->line, place.site->column);
    return all;
  };
  return lines(pc) < lines(other);
}

}  // namespace

unsigned Machine::active_lanes(std::uintptr_t pc) {
  Thread& thread = *current_;
  thread.state = Thread::State::kInWarpFunction;
  thread.function = WarpFunction::kActive;
  thread.pc = pc;
  warps_[thread.info.warp()].active |= 1u << thread.info.lane();
  ++active_;
  wait(thread);
  return static_cast<unsigned>(thread.result);
}

/// Programs from before 2017 let the lanes of a warp share memory without __syncwarp(), through
/// pointers to volatile: the lanes made each access at the same time, and most GPUs still do that.
/// Here each access waits for those of the other lanes. Lanes that wait for each other in a loop
/// would never end so, and go on by themselves after a while.
void Machine::keep_in_step(std::uintptr_t address, std::uintptr_t pc) {
  constexpr int kMost = 1 << 16;
  if (steps_ < kMost && address_space(address) == AddressSpace::kShared) {
    ++steps_;
    active_lanes(pc);
  }
}

/// Lets those of each warp's lanes in active_lanes() go on that are at the first place in the code:
/// the others may be beyond the end of a branch or a loop, where these meet them.
void Machine::group_active() {
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    const unsigned active = warps_[warp].active;
    std::uintptr_t first = 0;
    each_lane(active, [&](unsigned lane) {
      const std::uintptr_t pc = lane_of(warp, lane).pc;
      if (first == 0 || (pc != first && is_before(pc, first))) first = pc;
    });
    unsigned group = 0;
    each_lane(active, [&](unsigned lane) {
      if (lane_of(warp, lane).pc == first) group |= 1u << lane;
    });
    each_lane(group, [&](unsigned lane) { lane_of(warp, lane).result = group; });
    warps_[warp].active &= ~group;
    active_ -= static_cast<std::uint32_t>(std::popcount(group));
    make_group_ready(warp, group);
  }
}

}  // namespace td::simt
