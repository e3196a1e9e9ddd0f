// Gives random operations their part of the random stream. A stream is a seed and a count of blocks
// used so far, so its state is two numbers that can be read, stored and restored. Invariant: no two
// reservations overlap, whichever threads make them.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "td/device/context.h"

namespace td {

/// A stream of random blocks (Philox) that several threads may draw from.
class Generator {
 public:
  /// Seed and next block: all there is to remember for repeating what follows.
  struct State {
    std::uint64_t seed = 0;    ///< which stream
    std::uint64_t offset = 0;  ///< the next block of it
  };
  explicit Generator(std::uint64_t seed = 67280421310721) : state_{seed, 0} {}

  /// Starts the stream of `seed` from its beginning.
  void set_current_seed(std::uint64_t seed) { set_state({seed, 0}); }
  /// The seed of the stream it is in.
  std::uint64_t current_seed() const { return get_state().seed; }
  /// The current state, for set_state().
  State get_state() const {
    std::lock_guard lock(mutex_);
    return state_;
  }
  /// Restores a state.
  void set_state(State state) {
    std::lock_guard lock(mutex_);
    state_ = state;
  }
  /// The state from which the caller may draw `blocks` blocks; the next caller starts after them.
  State reserve(std::uint64_t blocks) {
    std::lock_guard lock(mutex_);
    return {state_.seed, std::exchange(state_.offset, state_.offset + blocks)};
  }

 private:
  mutable std::mutex mutex_;
  State state_;
};

/// The generator that operations use: one for the process and all devices, unless a GeneratorGuard
/// of this thread says otherwise.
inline Generator& default_generator() {
  static Generator generator;
  return context().generator ? *context().generator : generator;
}

/// Operations of this thread draw from `generator` until the end of the scope. Threads that run
/// concurrently get one each, or their numbers would depend on which of them draws first.
struct GeneratorGuard : ScopedValue<Generator*> {
  explicit GeneratorGuard(Generator& generator) : ScopedValue(context().generator, &generator) {}
};

}  // namespace td
