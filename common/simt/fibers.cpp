// Stacks, and the switches between them. AddressSanitizer and ThreadSanitizer must be told of each
// switch, or they take another stack for a wild one.
#include "simt/fibers.h"

#include <sys/mman.h>

#include "td/base/error.h"

#if defined(TD_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(TD_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace td::simt {
namespace {

namespace context = boost::context;

constexpr std::size_t kSlot = 128 << 10;  // of address space; a page is mapped when it is touched
constexpr std::size_t kGuard = 4096;
constexpr std::size_t kMostFibers = 1024 + 1;  // the threads of a block, and one that begins

/// Stacks belong to the pool, so nothing is freed with a fiber.
struct LeavesStack {
  void deallocate(context::stack_context&) noexcept {}
};

}  // namespace

bool Fiber::overflows_at(std::uintptr_t address) const {
  return address - (low_ - kGuard) < kGuard;
}

void Fiber::begin() {
#if defined(TD_ADDRESS_SANITIZER)
  ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<void*>(low_), high_ - low_);
#endif
  context::stack_context stack;
  stack.sp = reinterpret_cast<void*>(high_);
  stack.size = high_ - low_;
  const context::preallocated place(stack.sp, stack.size, stack);
  new (&own_)
      context::fiber(std::allocator_arg, place, LeavesStack(), [this](context::fiber&& caller) {
        caller_ = std::move(caller);
#if defined(TD_ADDRESS_SANITIZER)
        __sanitizer_finish_switch_fiber(nullptr, &caller_stack_, &caller_bytes_);
#endif
        pool_->work_(pool_->owner_, *this);
        return std::move(caller_);
      });
  begun_ = true;
}

void Fiber::resume() {
  if (!begun_) begin();
#if defined(TD_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&caller_shadow_, reinterpret_cast<void*>(low_), high_ - low_);
#elif defined(TD_THREAD_SANITIZER)
  if (!own_thread_) own_thread_ = __tsan_create_fiber(0);
  caller_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_thread_, 0);
#endif
  own_ = std::move(own_).resume();
#if defined(TD_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(caller_shadow_, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
#if defined(TD_ADDRESS_SANITIZER)
  void* shadow = nullptr;
  __sanitizer_start_switch_fiber(&shadow, caller_stack_, caller_bytes_);
#elif defined(TD_THREAD_SANITIZER)
  __tsan_switch_to_fiber(caller_thread_, 0);
#endif
  caller_ = std::move(caller_).resume();
#if defined(TD_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(shadow, &caller_stack_, &caller_bytes_);
#endif
}

FiberPool::FiberPool(Work work, void* owner) : work_(work), owner_(owner) {
  void* const space = mmap(nullptr, kMostFibers * kSlot, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TD_CHECK(Error, space != MAP_FAILED, "sim: no address space for the stacks of a block's threads");
  space_ = static_cast<char*>(space);
}

FiberPool::~FiberPool() { munmap(space_, kMostFibers * kSlot); }

bool FiberPool::contains(std::uintptr_t address) const {
  return address - reinterpret_cast<std::uintptr_t>(space_) < kMostFibers * kSlot;
}

Fiber& FiberPool::acquire() {
  if (idle_.empty()) return make();
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

Fiber& FiberPool::make() {
  const std::size_t number = fibers_.size();
  char* const slot = space_ + number * kSlot;
  TD_CHECK(Error, mprotect(slot + kGuard, kSlot - kGuard, PROT_READ | PROT_WRITE) == 0,
           "sim: no memory for the stack of a block's thread");
  fibers_.push_back(std::make_unique<Fiber>());
  Fiber& fiber = *fibers_.back();
  fiber.pool_ = this;
  fiber.low_ = reinterpret_cast<std::uintptr_t>(slot) + kGuard;
  // Stacks that begin at equal places of their pages would compete for the same lines of the cache.
  fiber.high_ = reinterpret_cast<std::uintptr_t>(slot) + kSlot - number % 12 * 320;
  return fiber;
}

}  // namespace td::simt
