// Stacks, and the switches between them. AddressSanitizer and ThreadSanitizer must be notified of
// each switch, otherwise they report errors on the new stack.
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

// A slot of address space has a guard and a stack; a page is mapped when it is touched. The guard
// is larger than a usual frame, because a large local array could skip a single page.
constexpr std::size_t kGuard = 132 << 10;
#if defined(TD_ADDRESS_SANITIZER)
// Large enough for the frames of libdw, which looks up the places of accesses.
constexpr std::size_t kStack = 892 << 10;
#else
constexpr std::size_t kStack = 124 << 10;
#endif
constexpr std::size_t kSlot = kGuard + kStack;
constexpr std::size_t kMostFibers = 1024 + 1;  // the threads of a block, and one that begins

/// Stacks belong to the pool, so a fiber does not free its stack.
struct LeavesStack {
  void deallocate(context::stack_context&) noexcept {}
};

}  // namespace

bool Fiber::overflows_at(std::uintptr_t address) const {
  return address - (low_ - kGuard) < kGuard;
}

void Fiber::begin() {
#if defined(TD_ADDRESS_SANITIZER)
  ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<void*>(low_), bytes_);
  sanitizer_ = nullptr;
#elif defined(TD_THREAD_SANITIZER)
  if (sanitizer_) __tsan_destroy_fiber(sanitizer_);
  sanitizer_ = __tsan_create_fiber(0);
#endif
  context::stack_context stack;
  stack.sp = reinterpret_cast<void*>(low_ + bytes_);
  stack.size = bytes_;
  new (&stopped_)
      context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                     LeavesStack(), [this](context::fiber&& previous) {
                       arrive(std::move(previous));
                       pool_.work_(pool_.owner_, *this);
                       return context::fiber();  // not reached
                     });
  begun_ = true;
}

void Fiber::switch_to(Fiber& next) {
  if (!next.begun_) next.begin();
  pool_.left_ = this;
#if defined(TD_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&sanitizer_, reinterpret_cast<void*>(next.low_), next.bytes_);
#elif defined(TD_THREAD_SANITIZER)
  __tsan_switch_to_fiber(next.sanitizer_, 0);
#endif
  arrive(std::move(next.stopped_).resume());
}

/// The first call on a fiber after a switch: stores where the previous fiber has stopped.
void Fiber::arrive(context::fiber&& previous) {
#if defined(TD_ADDRESS_SANITIZER)
  const void* low = nullptr;
  __sanitizer_finish_switch_fiber(sanitizer_, &low, &pool_.left_->bytes_);
  pool_.left_->low_ = reinterpret_cast<std::uintptr_t>(low);
#endif
  pool_.left_->stopped_ = std::move(previous);
}

FiberPool::FiberPool(Work work, void* owner) : work_(work), owner_(owner), outside_(*this) {
  void* const space = mmap(nullptr, kMostFibers * kSlot, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TD_CHECK(Error, space != MAP_FAILED, "sim: no address space for the stacks of a block's threads");
  space_ = static_cast<char*>(space);
  outside_.begun_ = true;
#if defined(TD_THREAD_SANITIZER)
  outside_.sanitizer_ = __tsan_get_current_fiber();
#endif
}

void FiberPool::reserve_for_grid() {
  void* const space = mmap(nullptr, kMostOfGrid * kStack, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TD_CHECK(Error, space != MAP_FAILED, "sim: no address space for the stacks of a grid's threads");
  space_of_grid_ = static_cast<char*>(space);
}

FiberPool::~FiberPool() {
#if defined(TD_THREAD_SANITIZER)
  for (const auto& fiber : fibers_) __tsan_destroy_fiber(fiber->sanitizer_);
#endif
  munmap(space_, kMostFibers * kSlot);
  if (space_of_grid_) munmap(space_of_grid_, kMostOfGrid * kStack);
}

bool FiberPool::contains(std::uintptr_t address) const {
  return address - reinterpret_cast<std::uintptr_t>(space_) < kMostFibers * kSlot ||
         (space_of_grid_ &&
          address - reinterpret_cast<std::uintptr_t>(space_of_grid_) < kMostOfGrid * kStack);
}

Fiber& FiberPool::acquire() {
  if (idle_.empty()) return make();
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

Fiber& FiberPool::make() {
  const std::size_t number = fibers_.size();
  char* stack = space_ + number * kSlot + kGuard;
  if (number >= kMostFibers) {
    if (!space_of_grid_) reserve_for_grid();
    stack = space_of_grid_ + (number - kMostFibers) * kStack;
  } else {
    TD_CHECK(Error, mprotect(stack, kStack, PROT_READ | PROT_WRITE) == 0,
             "sim: no memory for the stack of a block's thread");
  }
  fibers_.push_back(std::make_unique<Fiber>(*this));
  Fiber& fiber = *fibers_.back();
  fiber.low_ = reinterpret_cast<std::uintptr_t>(stack);
  // Stacks that begin at equal offsets in their pages would compete for the same cache lines.
  fiber.bytes_ = kStack - number % 12 * 320;
  return fiber;
}

}  // namespace td::simt
