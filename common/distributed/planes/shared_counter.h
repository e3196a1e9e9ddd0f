// How processes wait for each other in shared memory. SharedPlane (shared_plane.h) builds its
// meetings and its mailboxes of these.
// Invariant: one rank alone writes a counter, and there is no lock: a process that is killed at any
// moment leaves nothing behind that another one could wait for, but its next step.
#pragma once

#include <atomic>
#include <cstdint>

namespace td::distributed {

/// A number that only grows, around at 2^32. Lies in zeroed shared memory and is one cache line, so
/// that waiting for one rank does not slow another down.
class alignas(64) SharedCounter {
 public:
  /// One more, by the rank whose counter it is. What it wrote before is seen by those who waited.
  void advance();
  /// Waits until the counter has reached `target`: a moment with eyes open, because the other rank
  /// is mostly about to come, then asleep. False when `stop` became true first.
  bool wait_for(std::uint32_t target, const std::atomic<bool>& stop);
  /// Ends the sleep of those who wait, so that they look at their `stop`.
  void wake();

 private:
  bool reached(std::uint32_t target) const;

  std::atomic<std::uint32_t> value_;
  std::atomic<std::uint32_t> sleepers_;
};

}  // namespace td::distributed
