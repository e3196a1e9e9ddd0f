// Where random operations take their place in the random stream from. A stream is a seed and a
// count of blocks used so far, so its state is two numbers that can be read, kept and put back.
// Invariant: no two reservations overlap, whatever threads ask.
#pragma once

#include <cstdint>
#include <mutex>

namespace td {

class Generator {
 public:
  /// Seed and next block: all there is to remember for repeating what follows.
  struct State {
    std::uint64_t seed = 0, offset = 0;
  };
  explicit Generator(std::uint64_t seed = 67280421310721) : state_{seed, 0} {}

  /// Starts the stream of `seed` from its beginning.
  void set_current_seed(std::uint64_t seed);
  std::uint64_t current_seed() const;
  State get_state() const;
  void set_state(State state);
  /// The state from which the caller may draw `blocks` blocks; the next caller starts behind them.
  State reserve(std::uint64_t blocks);

 private:
  mutable std::mutex mutex_;
  State state_;
};

/// The generator that operations use: one for the process and all devices.
Generator& default_generator();

}  // namespace td
