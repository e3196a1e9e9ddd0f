// Finds races between operations on memory of devices and on pinned memory, and of the host with
// them. Used by the runtime for programs and by the tests' stand-in for CUDA. Vector clocks hold
// the happens-before order: by a stream, by an event that a stream waits for, and by the host,
// which waits for a stream, an event or a device, or is told that it is done. Two conflicting uses
// without such an order are a race, also where they did not overlap in time. The scheduler compares
// each operation when it is queued, so that what is found does not depend on when work runs.
//
// All host threads count as one: an operation counts as ordered after everything that any thread
// has waited for. So a race between threads may be missed, and there are no false reports.
// Invariant: nothing here locks; the caller holds State::mutex.
#pragma once

#include <cstdint>
#include <string>

#include "sim/access_map.h"
#include "sim/vector_clock.h"

namespace td::cudart {

/// One use of memory by an operation.
struct Access {
  const std::string* name = nullptr;  ///< of the operation; null: no access
  unsigned stream = 0;
  std::uint64_t count = 0;  ///< the operation's place in its stream
  bool writes = false;
  std::uintptr_t begin = 0, end = 0;
  const void* caller = nullptr;  ///< where the program queued it, if that is known
};

using AccessMap = sim::AccessMap<Access>;
using sim::VectorClock;

/// An earlier access that conflicts with this one and does not come before it; null: none.
const Access* race_of(const AccessMap& accesses, const Access& access, const VectorClock& before);
/// The last access to [begin, end) that does not come before `clock`; null: none.
const Access* later_than(const AccessMap& accesses, const VectorClock& clock, std::uintptr_t begin,
                         std::uintptr_t end);
/// Removes the accesses that come before `clock`, since nothing can conflict with them any more.
void forget(AccessMap& accesses, const VectorClock& clock);

/// The same name at the same address, forever.
const std::string* kept_name(const std::string& name);

}  // namespace td::cudart
