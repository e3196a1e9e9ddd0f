// The stacks on which the threads of a block run. A fiber (Boost.Context) runs a function on its
// own stack; the function can stop in the middle and be continued later. Used by the machine, one
// pool per OS thread.
//
// Invariant: fibers and their stacks are reused for the life of the OS thread. A fiber that was
// abandoned in the middle of its work begins again from the start: nothing on its stack is
// destroyed.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace td::simt {

class FiberPool;

/// A stack, and the place in its code where it has stopped: one of a pool's fibers, or the OS
/// thread that the pool belongs to.
class Fiber {
 public:
  explicit Fiber(FiberPool& pool) : pool_(pool), stopped_() {}
  ~Fiber() {}  // leaves stopped_ alone, whose destructor would unwind the stack
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Stops this fiber, which runs the calling code, and continues `next` until a switch back.
  void switch_to(Fiber& next);
  /// The next switch to this fiber begins the pool's work again instead of continuing it.
  void abandon() { begun_ = false; }
  /// Loads what a switch to this fiber will read first into the cache.
  void prefetch() const;
  /// Whether the address lies on the fiber's stack.
  bool contains(std::uintptr_t address) const { return address - low_ < bytes_; }
  /// Whether the address lies in the guard before the stack, which an overflow accesses.
  bool overflows_at(std::uintptr_t address) const;

 private:
  friend class FiberPool;
  void begin();
  void arrive(boost::context::fiber&& previous);
  // Tell a sanitizer of a switch.
#if defined(TD_ADDRESS_SANITIZER) || defined(TD_THREAD_SANITIZER)
  void tell_switch(Fiber& next);
  void tell_arrival();
#else
  void tell_switch(Fiber&) {}
  void tell_arrival() {}
#endif

  FiberPool& pool_;
  std::uintptr_t low_ = 0;  // of the stack
  std::size_t bytes_ = 0;
  bool begun_ = false;
  union {
    boost::context::fiber stopped_;
  };
  // What AddressSanitizer or ThreadSanitizer keeps for the stack.
  [[maybe_unused]] void* sanitizer_ = nullptr;
};

/// The fibers of one OS thread: one piece of address space, in which each stack is made when it is
/// first needed.
class FiberPool {
 public:
  using Work = void (*)(void* owner, Fiber& self);
  /// Fibers beyond those of a block, for the threads of a cooperative launch: as many as an H100
  /// runs at the same time. They have no guards, of which Linux allows 32,000 in a process.
  static constexpr std::size_t kMostOfGrid = 132 * 2048;
  /// @param work is called on each new fiber, and never returns.
  FiberPool(Work work, void* owner);
  ~FiberPool();
  /// The OS thread itself.
  Fiber& outside() { return outside_; }
  /// Returns a fiber that waits for work. Return it with release().
  Fiber& acquire();
  void release(Fiber& fiber) { idle_.push_back(&fiber); }
  /// Whether the address lies on a stack of the pool.
  bool contains(std::uintptr_t address) const;

 private:
  friend class Fiber;
  Fiber& make();
  void reserve_for_grid();

  const Work work_;
  void* const owner_;
  Fiber outside_;
  Fiber* left_ = nullptr;  // the one that has switched last
  char* space_;
  char* space_of_grid_ = nullptr;  // once a launch has more threads at once than a block
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
};

// Switches are inlined, because a barrier of a block makes one for each of its threads.
inline void Fiber::switch_to(Fiber& next) {
  if (!next.begun_) next.begin();
  pool_.left_ = this;
  tell_switch(next);
  arrive(std::move(next.stopped_).resume());
}

/// The first call on a fiber after a switch: stores where the previous fiber has stopped.
inline void Fiber::arrive(boost::context::fiber&& previous) {
  tell_arrival();
  pool_.left_->stopped_ = std::move(previous);
}

inline void Fiber::prefetch() const {
  constexpr std::size_t kBytes = 512, kLine = 64;  // its registers, and the frames of the machine
  const char* registers = nullptr;                 // all that a fiber of Boost is
  static_assert(sizeof stopped_ == sizeof registers);
  std::memcpy(&registers, &stopped_, sizeof registers);
  if (!registers) return;  // it is not stopped
  for (std::size_t i = 0; i < kBytes; i += kLine) __builtin_prefetch(registers + i);
}

}  // namespace td::simt
