// cuda::barrier of libcu++, for kernels on sim: threads arrive, and wait later for all that are
// expected.
//
// Invariant: a phase has a number that only grows, in one word with the threads that are missing.
#pragma once

#include <utility>

#include "simt/cuda_atomic.h"

namespace cuda {

template <thread_scope scope>
class barrier {
 public:
  using arrival_token = std::uint64_t;
  barrier() = default;
  TD_SIMT_INLINE explicit barrier(std::ptrdiff_t expected) { begin(expected); }
  barrier(const barrier&) = delete;
  friend TD_SIMT_INLINE void init(barrier* self, std::ptrdiff_t expected) { self->begin(expected); }

  /// @return the phase for which wait() waits. The thread's copies are complete then.
  TD_SIMT_INLINE arrival_token arrive(std::ptrdiff_t count = 1) {
    td::simt::async_wait(0);
    td::simt::fence();
    std::uint64_t old = __atomic_load_n(&state_, __ATOMIC_RELAXED), next = 0;
    do {
      const std::uint64_t missing = (old & kMissing) - static_cast<std::uint64_t>(count);
      next = missing > 0
                 ? (old & ~kMissing) | missing
                 : (old & ~kMissing) + kPhase + __atomic_load_n(&expected_, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&state_, &old, next, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return old / kPhase;
  }
  TD_SIMT_INLINE void wait(arrival_token phase) const { wait_for_phase(phase + 1); }
  TD_SIMT_INLINE void arrive_and_wait() { wait(arrive()); }
  TD_SIMT_INLINE void arrive_and_drop() {
    __atomic_fetch_sub(&expected_, 1, __ATOMIC_RELAXED);
    arrive();
  }
  /// Waits until this many phases are over.
  TD_SIMT_INLINE void wait_for_phase(std::uint64_t phases) const {
    while (__atomic_load_n(&state_, __ATOMIC_RELAXED) / kPhase < phases)
      td::simt::wait_for_others();
    td::simt::fence();
  }

 private:
  static constexpr std::uint64_t kPhase = std::uint64_t{1} << 32, kMissing = kPhase - 1;
  TD_SIMT_INLINE void begin(std::ptrdiff_t expected) {
    expected_ = state_ = static_cast<std::uint64_t>(expected);
  }
  std::uint64_t state_ = 0, expected_ = 0;
};

/// A size that is a multiple of `alignment`, as the addresses are.
template <std::size_t alignment>
struct aligned_size_t {
  std::size_t value;
  TD_SIMT_INLINE explicit aligned_size_t(std::size_t size) : value(size) {}
  TD_SIMT_INLINE operator std::size_t() const { return value; }
};

/// A thread alone, as a group.
struct SingleThread {
  TD_SIMT_INLINE static std::size_t thread_rank() { return 0; }
  TD_SIMT_INLINE static std::size_t size() { return 1; }
};

/// Copies that are complete when a phase of the barrier is over.
///@{
template <class Group, class T, class Size, thread_scope scope>
TD_SIMT_INLINE void memcpy_async(const Group& group, T* to, const T* from, Size bytes,
                                 barrier<scope>&) {
  td::simt::share_copy(group, to, from, bytes);
  td::simt::async_commit();
}
template <class T, class Size, thread_scope scope>
TD_SIMT_INLINE void memcpy_async(T* to, const T* from, Size bytes, barrier<scope>& b) {
  memcpy_async(SingleThread(), to, from, bytes, b);
}
///@}

}  // namespace cuda
