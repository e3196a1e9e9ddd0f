// The random stream's bookkeeping.
#include "td/tensor/generator.h"

#include <utility>

namespace td {

void Generator::set_current_seed(std::uint64_t seed) { set_state({seed, 0}); }

std::uint64_t Generator::current_seed() const { return get_state().seed; }

Generator::State Generator::get_state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

void Generator::set_state(State state) {
  std::lock_guard lock(mutex_);
  state_ = state;
}

Generator::State Generator::reserve(std::uint64_t blocks) {
  std::lock_guard lock(mutex_);
  return {state_.seed, std::exchange(state_.offset, state_.offset + blocks)};
}

namespace {

thread_local Generator* generator_of_thread = nullptr;

}  // namespace

Generator& default_generator() {
  static Generator generator;
  return generator_of_thread ? *generator_of_thread : generator;
}

GeneratorGuard::GeneratorGuard(Generator& generator)
    : previous_(std::exchange(generator_of_thread, &generator)) {}
GeneratorGuard::~GeneratorGuard() { generator_of_thread = previous_; }

}  // namespace td
