// The stacks on which the threads of a block run. A fiber (Boost.Context) runs a function on a
// stack of its own, which can stop in the middle and be continued later. Used by the machine, one
// pool per OS thread.
//
// Invariant: fibers and their stacks are reused for the life of the OS thread. A fiber that was
// abandoned in the middle of its work begins anew: nothing on its stack is destroyed.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace td::simt {

class FiberPool;

/// One fiber. Its work is FiberPool's function, which is called again and again.
class Fiber {
 public:
  /// Continues the fiber until it suspends. Called outside of all fibers.
  void resume();
  /// Returns to the caller of resume(). Called on this fiber.
  void suspend();
  /// The next resume() begins the work anew instead of continuing it.
  void abandon() { begun_ = false; }
  /// Whether the address lies on the fiber's stack.
  bool contains(std::uintptr_t address) const { return address - low_ < high_ - low_; }
  /// Whether the address lies in the page before the stack, which an overflow touches.
  bool overflows_at(std::uintptr_t address) const;

 private:
  friend class FiberPool;
  void begin();

  FiberPool* pool_ = nullptr;
  std::uintptr_t low_ = 0, high_ = 0;  // of the stack
  bool begun_ = false;
  // Dropped without a destructor when the fiber is abandoned, which would unwind its stack.
  union {
    boost::context::fiber own_;
  };
  boost::context::fiber caller_;
#if defined(TD_ADDRESS_SANITIZER)
  void* caller_shadow_ = nullptr;
  const void* caller_stack_ = nullptr;
  std::size_t caller_bytes_ = 0;
#elif defined(TD_THREAD_SANITIZER)
  void* own_thread_ = nullptr;
  void* caller_thread_ = nullptr;
#endif

 public:
  Fiber() {}
  ~Fiber() {}  // leaves own_ alone
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
};

/// The fibers of one OS thread: one piece of address space, of which a stack is made when it is
/// first needed.
class FiberPool {
 public:
  using Work = void (*)(void* owner, Fiber& self);
  /// @param work is called on each new fiber, and never returns.
  FiberPool(Work work, void* owner);
  ~FiberPool();
  /// A fiber that waits for work. Give it back by release().
  Fiber& acquire();
  void release(Fiber& fiber) { idle_.push_back(&fiber); }
  /// Whether the address lies on a stack of the pool.
  bool contains(std::uintptr_t address) const;

 private:
  friend class Fiber;
  Fiber& make();

  const Work work_;
  void* const owner_;
  char* space_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
};

}  // namespace td::simt
