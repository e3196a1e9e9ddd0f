// Waiting by futex (man 2 futex): the kernel puts a thread to sleep for as long as a word in memory
// has a value. The word may be mapped in several processes, at different addresses.
#include "distributed/planes/shared_counter.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <climits>

namespace td::distributed {
namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Looks, some ten nanoseconds each, before the core is offered to others, and offers before
// sleeping.
constexpr int kLooks = 200, kOffers = 50;
// Who took the core for longer than this is computing, perhaps this rank's own backward pass. It
// would take it again and again; who sleeps is woken in time.
constexpr std::chrono::microseconds kTaken(50);
// Nobody sleeps longer without looking at `stop`, whose change may come just before the sleep.
constexpr timespec kLongestSleep{0, 20'000'000};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Offers the core to others.
bool core_is_wanted() {
  const auto before = std::chrono::steady_clock::now();
  sched_yield();
  return std::chrono::steady_clock::now() - before > kTaken;
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

bool SharedCounter::reached(std::uint32_t target) const {
  return static_cast<std::int32_t>(value_.load(std::memory_order_acquire) - target) >= 0;
}

void SharedCounter::advance() {
  // In one order with a sleeper's announcement: either it sees the new value, or it is seen here.
  value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst)) wake();
}

void SharedCounter::wake() { futex(value_, FUTEX_WAKE, INT_MAX, nullptr); }

bool SharedCounter::wait_for(std::uint32_t target, const std::atomic<bool>& stop) {
  for (int look = 0; look < kLooks; ++look, pause())
    if (reached(target)) return true;
  for (int offer = 0; offer < kOffers && !core_is_wanted(); ++offer)
    if (reached(target)) return true;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  while (!stop.load(std::memory_order_acquire)) {
    const std::uint32_t seen = value_.load(std::memory_order_seq_cst);
    if (static_cast<std::int32_t>(seen - target) >= 0) break;
    futex(value_, FUTEX_WAIT, seen, &kLongestSleep);
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return reached(target);
}

}  // namespace td::distributed
