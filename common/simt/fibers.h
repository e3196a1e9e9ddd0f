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
#include <memory>
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
  /// Whether the address lies on the fiber's stack.
  bool contains(std::uintptr_t address) const { return address - low_ < bytes_; }
  /// Whether the address lies in the guard before the stack, which an overflow accesses.
  bool overflows_at(std::uintptr_t address) const;

 private:
  friend class FiberPool;
  void begin();
  void arrive(boost::context::fiber&& previous);

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

}  // namespace td::simt
