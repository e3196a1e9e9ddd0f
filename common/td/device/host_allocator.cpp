// Small blocks (up to 64 KiB) come from a thread's own free lists, one a size class, capped;
// batches go to and from the pool that all threads share, so a thread that only frees cannot hoard.
// In the steady state that is no lock and no atomic instruction. Large blocks come from the pool
// itself.
//
// Invariant: `live` of the pool plus `live` of every thread is what is allocated. A block may be
// released on any thread, whose own count may then be negative.
#include "td/device/host_allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "td/device/host_pool.h"

namespace td {
namespace {

using Classes = HostClasses;
constexpr std::size_t kThreadShare = 512 << 10;  // bytes a thread keeps of one class, about
constexpr std::int64_t kFlush = 256 << 10;  // a thread tells its counts when they are off by this
constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr int most_kept(std::size_t bytes) {
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

class HostAllocator : public Allocator {
 public:
  void* allocate(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    if (bytes > Classes::kSmallBytes) return allocate_shared(bytes);
    const int c = Classes::of(bytes);
    ThreadCache* mine = this_thread;
    if (!mine || !mine->free[static_cast<std::size_t>(c)].first) [[unlikely]] {
      mine = refill(c);
      if (!mine) return allocate_shared(bytes);
    }
    void* block = mine->free[static_cast<std::size_t>(c)].pop();
    note(*mine, static_cast<std::int64_t>(Classes::bytes(c)));
    mine->calls.store(mine->calls.load(kRelaxed) + 1, kRelaxed);
    unpoison(block, bytes);
    return block;
  }

  void release(void* block, std::size_t bytes) noexcept override {
    if (!block) return;
    ThreadCache* mine = this_thread ? this_thread : start_thread();
    if (bytes > Classes::kSmallBytes || !mine) [[unlikely]]
      return release_shared(block, bytes);
    const int c = Classes::of(bytes);
    HostBlocks& list = mine->free[static_cast<std::size_t>(c)];
    list.push(block, Classes::bytes(c));
    note(*mine, -static_cast<std::int64_t>(Classes::bytes(c)));
    const int most = most_kept(Classes::bytes(c));
    if (list.count > most) [[unlikely]]
      pool_.give(c, list, most / 2);
  }

  void record_stream(void*, const Stream&) override {}  // the cpu's work ends with its call
  MemoryStats stats() const override;
  void reset_peak() override;
  void empty_cache() override { pool_.empty(); }

  void end_thread(ThreadCache* cache);

 private:
  void note(ThreadCache& mine, std::int64_t bytes) {
    const std::int64_t live = mine.live.load(kRelaxed) + bytes;
    mine.live.store(live, kRelaxed);
    if (live > mine.high.load(kRelaxed)) mine.high.store(live, kRelaxed);
    if (live > kFlush || live < -kFlush) [[unlikely]]
      flush(mine);
  }
  // What seldom runs is not inlined: saving its registers would double the common road.
  [[gnu::noinline]] void flush(ThreadCache& mine);
  void note_shared(std::int64_t bytes);
  void raise_peak(std::int64_t bytes);
  [[gnu::noinline]] ThreadCache* start_thread();
  [[gnu::noinline]] ThreadCache* refill(int c);
  [[gnu::noinline]] void* allocate_shared(std::size_t bytes);
  [[gnu::noinline]] void release_shared(void* block, std::size_t bytes) noexcept;

  HostPool pool_;
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::uint64_t> shared_calls_{0};  // not served from a thread's lists
  mutable std::mutex mutex_;                    // guards the list of threads
  ThreadCache* threads_ = nullptr;
};

HostAllocator& the_allocator() {
  static HostAllocator& instance = *new HostAllocator;
  return instance;
}

/// Gives a thread's lists back when it ends.
struct ThreadEnd {
  ThreadCache* cache = nullptr;
  ~ThreadEnd() {
    this_thread = nullptr;
    thread_ended = true;
    if (cache) the_allocator().end_thread(cache);
  }
};
thread_local ThreadEnd thread_end;

/// Null when the thread is past its end, where static destructors run.
ThreadCache* HostAllocator::start_thread() {
  if (thread_ended) return nullptr;
  auto* cache = new ThreadCache;
  thread_end.cache = cache;
  {
    const std::lock_guard lock(mutex_);
    cache->after = threads_;
    if (threads_) threads_->before = cache;
    threads_ = cache;
  }
  this_thread = cache;
  return cache;
}

void HostAllocator::end_thread(ThreadCache* cache) {
  for (int c = 0; c < Classes::kSmall; ++c)
    pool_.give(c, cache->free[static_cast<std::size_t>(c)], 0);
  const std::lock_guard lock(mutex_);
  flush(*cache);
  shared_calls_ += cache->calls;
  if (cache->before) cache->before->after = cache->after;
  if (cache->after) cache->after->before = cache->before;
  if (threads_ == cache) threads_ = cache->after;
  delete cache;
}

/// Fills the thread's list of the class.
ThreadCache* HostAllocator::refill(int c) {
  ThreadCache* mine = this_thread ? this_thread : start_thread();
  if (!mine) return nullptr;
  HostBlocks& list = mine->free[static_cast<std::size_t>(c)];
  if (!list.first) pool_.take(c, list, most_kept(Classes::bytes(c)) / 2);
  return mine;
}

void* HostAllocator::allocate_shared(std::size_t bytes) {
  void* block = nullptr;
  if (bytes > Classes::kSmallBytes) {
    block = pool_.take_large(bytes);
  } else {
    HostBlocks one;
    pool_.take(Classes::of(bytes), one, 1);
    block = one.pop();
  }
  note_shared(static_cast<std::int64_t>(Classes::bytes(Classes::of(bytes))));
  shared_calls_.fetch_add(1, kRelaxed);
  unpoison(block, bytes);
  return block;
}

void HostAllocator::release_shared(void* block, std::size_t bytes) noexcept {
  const int c = Classes::of(bytes);
  note_shared(-static_cast<std::int64_t>(Classes::bytes(c)));
  if (bytes > Classes::kSmallBytes) return pool_.give_large(block, bytes);
  HostBlocks one;
  one.push(block, Classes::bytes(c));
  pool_.give(c, one, 0);
}

void HostAllocator::raise_peak(std::int64_t bytes) {
  std::int64_t peak = peak_.load(kRelaxed);
  while (peak < bytes && !peak_.compare_exchange_weak(peak, bytes, kRelaxed)) {
  }
}

void HostAllocator::flush(ThreadCache& mine) {
  const std::int64_t live = mine.live.exchange(0, kRelaxed);
  const std::int64_t high = mine.high.exchange(0, kRelaxed);
  raise_peak(pool_.live.fetch_add(live, kRelaxed) + high);
}

void HostAllocator::note_shared(std::int64_t bytes) {
  if (this_thread) flush(*this_thread);
  raise_peak(pool_.live.fetch_add(bytes, kRelaxed) + bytes);
}

MemoryStats HostAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  std::int64_t live = pool_.live.load(kRelaxed), high = live;
  std::uint64_t calls = shared_calls_.load(kRelaxed);
  for (const ThreadCache* t = threads_; t; t = t->after) {
    live += t->live.load(kRelaxed);
    high += t->high.load(kRelaxed);
    calls += t->calls.load(kRelaxed);
  }
  MemoryStats stats;
  stats.allocated = static_cast<std::size_t>(std::max<std::int64_t>(live, 0));
  stats.peak_allocated = static_cast<std::size_t>(std::max({live, high, peak_.load(kRelaxed)}));
  stats.reserved = pool_.reserved();
  stats.largest_free = pool_.largest_free();
  stats.allocations = calls;
  stats.device_allocations = pool_.system_calls();
  return stats;
}

void HostAllocator::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = 0;
  for (ThreadCache* t = threads_; t; t = t->after) t->high.store(t->live.load(kRelaxed), kRelaxed);
}

}  // namespace

Allocator& host_allocator() { return the_allocator(); }

}  // namespace td
