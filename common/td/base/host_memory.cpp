// The thread caches in front of host_pool.h: blocks up to 64 KiB come from a thread's own free
// lists, one per size class; larger ones come from the pool itself.
//
// Invariant: `live` of the pool plus `live` of every thread is what tensors have allocated. A block
// may be released on any thread, whose own count may then be negative.
#include "td/base/host_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <new>

#include "td/base/host_pool.h"

namespace td {
namespace {

using Classes = HostClasses;
constexpr std::size_t kLargestObject = 1024;
constexpr std::size_t kThreadShare = 512 << 10;  // bytes that a thread caches per class, about
constexpr std::int64_t kFlush = 256 << 10;       // a thread adds its counts when they exceed this
constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr int most_cached(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>(kThreadShare / bytes, 8, 256));
}

/// One thread's lists and counts. Other threads only read the counts.
struct ThreadCache {
  std::array<HostBlocks, Classes::kSmall> free;
  // Plain loads and stores on atomics: only the owner writes, so no locked instruction is needed.
  std::atomic<std::int64_t> live{0};  // bytes since the last flush
  std::atomic<std::int64_t> high{0};  // the largest `live` since then
  std::atomic<std::uint64_t> calls{0};
  ThreadCache *before = nullptr, *after = nullptr;
};

// Null before a thread's first block and after its end; a pointer stays readable at both times.
thread_local constinit ThreadCache* this_thread = nullptr;
thread_local constinit bool thread_ended = false;

/// What the threads share.
struct Shared {
  HostPool pool;
  std::atomic<std::int64_t> peak{0};
  std::atomic<std::uint64_t> calls{0};  // not served from a thread's lists
  std::mutex mutex;                     // guards the list of threads
  ThreadCache* threads = nullptr;
};

Shared& shared() {
  static Shared& instance = *new Shared;  // never destroyed: blocks outlive static destructors
  return instance;
}

void raise_peak(std::int64_t bytes) {
  std::atomic<std::int64_t>& peak = shared().peak;
  std::int64_t before = peak.load(kRelaxed);
  while (before < bytes && !peak.compare_exchange_weak(before, bytes, kRelaxed)) {
  }
}

// What seldom runs is not inlined: saving its registers would double the cost of the usual path.
[[gnu::noinline]] void flush(ThreadCache& mine) {
  const std::int64_t live = mine.live.exchange(0, kRelaxed);
  const std::int64_t high = mine.high.exchange(0, kRelaxed);
  raise_peak(shared().pool.live.fetch_add(live, kRelaxed) + high);
}

/// Counts bytes of tensors: allocated, or released when negative.
void count(ThreadCache& mine, std::int64_t bytes) {
  const std::int64_t live = mine.live.load(kRelaxed) + bytes;
  mine.live.store(live, kRelaxed);
  if (live > mine.high.load(kRelaxed)) mine.high.store(live, kRelaxed);
  if (live > kFlush || live < -kFlush) [[unlikely]]
    flush(mine);
}
void count_shared(std::int64_t bytes) {
  if (this_thread) flush(*this_thread);
  raise_peak(shared().pool.live.fetch_add(bytes, kRelaxed) + bytes);
}

void end_thread(ThreadCache* cache) {
  Shared& all = shared();
  for (int c = 0; c < Classes::kSmall; ++c)
    all.pool.give(c, cache->free[static_cast<std::size_t>(c)], 0);
  const std::lock_guard lock(all.mutex);
  flush(*cache);
  all.calls += cache->calls;
  if (cache->before) cache->before->after = cache->after;
  if (cache->after) cache->after->before = cache->before;
  if (all.threads == cache) all.threads = cache->after;
  delete cache;
}

/// Returns a thread's lists to the pool when it ends.
struct ThreadEnd {
  ThreadCache* cache = nullptr;
  ~ThreadEnd() {
    this_thread = nullptr;
    thread_ended = true;
    if (cache) end_thread(cache);
  }
};
thread_local ThreadEnd thread_end;

/// Null when the thread is past its end, where static destructors run.
[[gnu::noinline]] ThreadCache* start_thread() {
  if (thread_ended) return nullptr;
  auto* cache = new ThreadCache;
  thread_end.cache = cache;
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  cache->after = all.threads;
  if (all.threads) all.threads->before = cache;
  all.threads = cache;
  return this_thread = cache;
}

/// The thread's cache with at least one block of the class; null past the thread's end.
[[gnu::noinline]] ThreadCache* refill(int c) {
  ThreadCache* mine = this_thread ? this_thread : start_thread();
  if (!mine) return nullptr;
  HostBlocks& list = mine->free[static_cast<std::size_t>(c)];
  if (!list.first) shared().pool.take(c, list, most_cached(Classes::bytes(c)) / 2);
  return mine;
}

/// Returns the part of a list that has become too long.
[[gnu::noinline]] void shorten(HostBlocks& list, int c, int keep) noexcept {
  shared().pool.give(c, list, keep);
}

// A thread past its end has no lists: its blocks come from the pool one by one.
[[gnu::noinline, gnu::cold]] void* take_one(int c) {
  HostBlocks one;
  shared().pool.take(c, one, 1);
  return one.pop();
}
[[gnu::noinline, gnu::cold]] void give_one(void* block, int c) noexcept {
  HostBlocks one;
  one.push(block, Classes::bytes(c));
  shared().pool.give(c, one, 0);
}

[[gnu::noinline]] void* allocate_shared(std::size_t bytes) {
  void* block =
      bytes > Classes::kSmallBytes ? shared().pool.take_large(bytes) : take_one(Classes::of(bytes));
  count_shared(static_cast<std::int64_t>(Classes::bytes(Classes::of(bytes))));
  shared().calls.fetch_add(1, kRelaxed);
  return unpoison(block, bytes);
}

[[gnu::noinline]] void release_shared(void* block, std::size_t bytes) noexcept {
  const int c = Classes::of(bytes);
  count_shared(-static_cast<std::int64_t>(Classes::bytes(c)));
  bytes > Classes::kSmallBytes ? shared().pool.give_large(block, bytes) : give_one(block, c);
}

}  // namespace

void* slab_allocate(std::size_t bytes) {
  if (bytes > kLargestObject) return ::operator new(bytes);
  const int c = bytes ? Classes::of_small(bytes) : 0;
  ThreadCache* mine = this_thread;
  if (!mine || !mine->free[static_cast<std::size_t>(c)].first) [[unlikely]] {
    mine = refill(c);
    if (!mine) return unpoison(take_one(c), bytes);
  }
  return unpoison(mine->free[static_cast<std::size_t>(c)].pop(), bytes);
}

void slab_release(void* block, std::size_t bytes) noexcept {
  if (!block) return;
  if (bytes > kLargestObject) return ::operator delete(block);
  const int c = bytes ? Classes::of_small(bytes) : 0;
  ThreadCache* mine = this_thread;
  if (!mine) [[unlikely]] {
    mine = start_thread();
    if (!mine) return give_one(block, c);
  }
  HostBlocks& list = mine->free[static_cast<std::size_t>(c)];
  list.push(block, Classes::bytes(c));
  constexpr int kMost = most_cached(kLargestObject);
  if (list.count > kMost) [[unlikely]]
    shorten(list, c, kMost / 2);
}

void* host_allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > Classes::kSmallBytes) return allocate_shared(bytes);
  const int c = Classes::of(bytes);
  ThreadCache* mine = this_thread;
  if (!mine || !mine->free[static_cast<std::size_t>(c)].first) [[unlikely]] {
    mine = refill(c);
    if (!mine) return allocate_shared(bytes);
  }
  void* block = mine->free[static_cast<std::size_t>(c)].pop();
  count(*mine, static_cast<std::int64_t>(Classes::bytes(c)));
  mine->calls.store(mine->calls.load(kRelaxed) + 1, kRelaxed);
  return unpoison(block, bytes);
}

void host_release(void* block, std::size_t bytes) noexcept {
  if (!block) return;
  ThreadCache* mine = this_thread ? this_thread : start_thread();
  if (bytes > Classes::kSmallBytes || !mine) [[unlikely]]
    return release_shared(block, bytes);
  const int c = Classes::of(bytes);
  HostBlocks& list = mine->free[static_cast<std::size_t>(c)];
  list.push(block, Classes::bytes(c));
  count(*mine, -static_cast<std::int64_t>(Classes::bytes(c)));
  const int most = most_cached(Classes::bytes(c));
  if (list.count > most) [[unlikely]]
    shorten(list, c, most / 2);
}

MemoryStats host_memory_stats() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  std::int64_t live = all.pool.live.load(kRelaxed), high = live;
  std::uint64_t calls = all.calls.load(kRelaxed);
  for (const ThreadCache* t = all.threads; t; t = t->after) {
    live += t->live.load(kRelaxed);
    high += t->high.load(kRelaxed);
    calls += t->calls.load(kRelaxed);
  }
  MemoryStats stats = all.pool.stats();
  stats.allocated = static_cast<std::size_t>(std::max<std::int64_t>(live, 0));
  stats.peak_allocated = static_cast<std::size_t>(std::max({live, high, all.peak.load(kRelaxed)}));
  stats.allocations = calls;
  return stats;
}

void reset_host_peak() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.peak = 0;
  for (ThreadCache* t = all.threads; t; t = t->after)
    t->high.store(t->live.load(kRelaxed), kRelaxed);
}

void empty_host_cache() { shared().pool.empty(); }

}  // namespace td
