// What the scheduler and captures ask the map of accesses; races.h describes it.
// Invariant: as in races.h.
#include "cuda/races.h"

#include <set>

namespace td::cudart {

const std::string* kept_name(const std::string& name) {
  static auto& names = *new std::set<std::string>;
  return &*names.insert(name).first;
}

const Access* race_of(const AccessMap& accesses, const Access& access, const VectorClock& before) {
  const Access* race = nullptr;
  accesses.conflicts(access, [&](const Access& earlier) {
    if (!race && earlier.stream != access.stream && earlier.count > before[earlier.stream])
      race = &earlier;
  });
  return race;
}

const Access* later_than(const AccessMap& accesses, const VectorClock& clock, std::uintptr_t begin,
                         std::uintptr_t end) {
  constexpr unsigned kNoStream = ~0u;
  return race_of(accesses, {nullptr, kNoStream, 0, true, begin, end, nullptr}, clock);
}

void forget(AccessMap& accesses, const VectorClock& clock) {
  accesses.filter(0, UINTPTR_MAX, [&](const Access& a) { return a.count > clock[a.stream]; });
}

}  // namespace td::cudart
