// Where random operations take their place in the random stream from. A stream is a seed and a
// count of blocks used so far, so its state is two numbers that can be read, kept and put back.
// Invariant: no two reservations overlap, whatever threads ask.
#pragma once

#include <cstdint>
#include <mutex>

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
  void set_current_seed(std::uint64_t seed);
  /// The seed of the stream it is in.
  std::uint64_t current_seed() const;
  /// Where it stands, and back to where it stood.
  ///@{
  State get_state() const;
  void set_state(State state);
  ///@}
  /// The state from which the caller may draw `blocks` blocks; the next caller starts behind them.
  State reserve(std::uint64_t blocks);

 private:
  mutable std::mutex mutex_;
  State state_;
};

/// The generator that operations use: one for the process and all devices, unless a GeneratorGuard
/// of this thread says otherwise.
Generator& default_generator();

/// Operations of this thread draw from `generator` until the end of the scope. Threads that work
/// side by side get one each, or their numbers would depend on which of them asks first.
class GeneratorGuard {
 public:
  explicit GeneratorGuard(Generator& generator);
  ~GeneratorGuard();
  GeneratorGuard(const GeneratorGuard&) = delete;
  GeneratorGuard& operator=(const GeneratorGuard&) = delete;

 private:
  Generator* previous_;
};

}  // namespace td
