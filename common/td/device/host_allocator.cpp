// Blocks come in size classes: steps of 64 bytes to 1 KiB, then four per doubling (at most a fifth
// is wasted). A block is only ever reused for its own class, so a lookup is one list head.
//
//   up to 64 KiB   a free list per thread and class, capped; batches go to and from a shared list.
//                  No lock and no atomic instruction in the steady state.
//   above          one shared list per class under a mutex; what is kept is bounded. From 2 MiB on,
//                  blocks are aligned for huge pages.
//
// Invariant: a block's class follows from the size it was asked for with, so release needs no
// lookup, and may run on any thread.
#include "td/device/host_allocator.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>

#include "td/base/bytes.h"
#include "td/base/error.h"
#include "td/base/poison.h"

namespace td {
namespace {

constexpr std::size_t kSmallest = 64, kStepped = 1024, kSmall = 64 << 10;
constexpr std::size_t kHuge = std::size_t{2} << 20;
constexpr int kSmallClasses = 40, kClasses = 164;
constexpr std::size_t kLargest = std::size_t{1} << 47;  // the address space of a process
constexpr std::size_t kThreadShare = 512 << 10;         // what a thread keeps of one small class
constexpr std::size_t kChunk = std::size_t{1} << 20;    // small blocks are cut from chunks
constexpr std::int64_t kFlush = 256 << 10;  // a thread tells its counts when they are off by this

int class_of(std::size_t bytes) {
  if (bytes <= kStepped) return static_cast<int>((bytes - 1) / kSmallest);
  const int high = std::bit_width(bytes - 1) - 1;  // 10 or more
  return 16 + (high - 10) * 4 + static_cast<int>(((bytes - 1) >> (high - 2)) & 3);
}

std::size_t class_bytes(int c) {
  if (c < 16) return (static_cast<std::size_t>(c) + 1) * kSmallest;
  const auto step = static_cast<std::size_t>((c - 16) % 4 + 5);
  return step << ((c - 16) / 4 + 8);
}

int cap_of(int c) {
  return static_cast<int>(std::clamp<std::size_t>(kThreadShare / class_bytes(c), 8, 256));
}

struct Free {
  Free* next;
};

void push(Free*& list, void* block, std::size_t bytes) {
  unpoison(block, sizeof(Free));
  Free* entry = static_cast<Free*>(block);
  entry->next = list;
  list = entry;
  poison_after(block, sizeof(Free), bytes);
}

void* pop(Free*& list) {
  Free* entry = list;
  list = entry->next;
  return entry;
}

/// One thread's lists and counts. Other threads only read the counts.
struct ThreadCache {
  std::array<Free*, kSmallClasses> free{};
  std::array<int, kSmallClasses> count{};
  // Plain loads and stores on atomics: only the owner writes, so no locked instruction is needed.
  std::atomic<std::int64_t> live{0};  // bytes since the last flush; negative when others allocated
  std::atomic<std::int64_t> high{0};  // the largest `live` since then
  std::atomic<std::uint64_t> calls{0};
  ThreadCache *before = nullptr, *after = nullptr;
};

// Null before a thread's first block and after its end; a pointer stays readable at both times.
thread_local constinit ThreadCache* this_thread = nullptr;

class HostAllocator : public Allocator {
 public:
  void* allocate(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    if (bytes > kSmall) return allocate_large(bytes);
    const int c = class_of(bytes);
    ThreadCache* mine = this_thread;
    if (!mine || !mine->free[c]) [[unlikely]] {
      mine = refill(c);
      if (!mine) return take_shared(c, bytes);
    }
    --mine->count[c];
    void* block = pop(mine->free[c]);
    note(*mine, static_cast<std::int64_t>(class_bytes(c)));
    mine->calls.store(mine->calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    unpoison(block, bytes);
    return block;
  }

  void release(void* block, std::size_t bytes) noexcept override {
    if (!block) return;
    if (bytes > kSmall) return release_large(block, bytes);
    const int c = class_of(bytes);
    ThreadCache* mine = this_thread;
    if (!mine) [[unlikely]]
      mine = start_thread();
    if (!mine) return give_shared(c, block);
    push(mine->free[c], block, class_bytes(c));
    note(*mine, -static_cast<std::int64_t>(class_bytes(c)));
    if (++mine->count[c] > cap_of(c)) [[unlikely]]
      give_back(*mine, c, cap_of(c) / 2);
  }

  void record_stream(void*, const Stream&) override {
  }  // the cpu's work is done when a call returns
  MemoryStats stats() const override;
  void reset_peak() override;
  void empty_cache() override;

  void end_thread(ThreadCache* cache);

 private:
  void note(ThreadCache& mine, std::int64_t bytes) {
    const std::int64_t live = mine.live.load(std::memory_order_relaxed) + bytes;
    mine.live.store(live, std::memory_order_relaxed);
    if (live > mine.high.load(std::memory_order_relaxed))
      mine.high.store(live, std::memory_order_relaxed);
    if (live > kFlush || live < -kFlush) [[unlikely]]
      flush(mine);
  }
  void flush(ThreadCache& mine);
  void note_shared(std::int64_t bytes);
  void raise_peak(std::int64_t bytes);
  ThreadCache* start_thread();
  ThreadCache* refill(int c);
  void give_back(ThreadCache& mine, int c, int keep) noexcept;
  void* take_shared(int c, std::size_t bytes);
  void give_shared(int c, void* block) noexcept;
  void grow_shared(int c, int blocks);
  void* allocate_large(std::size_t bytes);
  void release_large(void* block, std::size_t bytes) noexcept;
  void* map(std::size_t bytes);
  std::size_t drop_cached(int except);
  [[noreturn]] void out_of_memory(std::size_t bytes);

  mutable std::mutex mutex_;  // guards all below but the atomics
  std::array<Free*, kClasses> shared_{};
  std::array<int, kClasses> shared_count_{};
  char *chunk_ = nullptr, *chunk_end_ = nullptr;
  ThreadCache* threads_ = nullptr;
  std::size_t reserved_ = 0, cached_large_ = 0;
  std::uint64_t system_calls_ = 0, shared_calls_ = 0;
  std::atomic<std::int64_t> live_{0}, peak_{0};
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
    if (cache) the_allocator().end_thread(cache);
  }
};
thread_local ThreadEnd thread_end;
thread_local constinit bool thread_ended = false;

std::size_t machine_memory() {
  static const std::size_t total = [] {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return kLargest;
    return (info.totalram + info.totalswap) * info.mem_unit;
  }();
  return total;
}

// Enough to hold what one training step frees and takes again, and no more than a quarter of what
// the machine has, since other programs live here too.
std::size_t cache_limit() { return machine_memory() / 4; }

ThreadCache* HostAllocator::start_thread() {
  if (thread_ended) return nullptr;
  auto* cache = new ThreadCache;
  thread_end.cache = cache;
  {
    std::lock_guard lock(mutex_);
    cache->after = threads_;
    if (threads_) threads_->before = cache;
    threads_ = cache;
  }
  this_thread = cache;
  return cache;
}

void HostAllocator::end_thread(ThreadCache* cache) {
  thread_ended = true;
  flush(*cache);
  for (int c = 0; c < kSmallClasses; ++c) give_back(*cache, c, 0);
  std::lock_guard lock(mutex_);
  shared_calls_ += cache->calls;
  if (cache->before) cache->before->after = cache->after;
  if (cache->after) cache->after->before = cache->before;
  if (threads_ == cache) threads_ = cache->after;
  delete cache;
}

void HostAllocator::raise_peak(std::int64_t bytes) {
  std::int64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < bytes && !peak_.compare_exchange_weak(peak, bytes, std::memory_order_relaxed)) {
  }
}

void HostAllocator::flush(ThreadCache& mine) {
  const std::int64_t live = mine.live.exchange(0, std::memory_order_relaxed);
  const std::int64_t high = mine.high.exchange(0, std::memory_order_relaxed);
  raise_peak(live_.fetch_add(live, std::memory_order_relaxed) + high);
}

void HostAllocator::note_shared(std::int64_t bytes) {
  if (this_thread) flush(*this_thread);
  raise_peak(live_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

/// Fills the thread's list of the class; null when the thread is past its end.
ThreadCache* HostAllocator::refill(int c) {
  ThreadCache* mine = this_thread ? this_thread : start_thread();
  if (!mine || mine->free[c]) return mine;
  const int wanted = cap_of(c) / 2;
  std::lock_guard lock(mutex_);
  if (!shared_[c]) grow_shared(c, wanted);
  for (; mine->count[c] < wanted && shared_[c]; ++mine->count[c], --shared_count_[c])
    push(mine->free[c], pop(shared_[c]), class_bytes(c));
  return mine;
}

void HostAllocator::give_back(ThreadCache& mine, int c, int keep) noexcept {
  std::lock_guard lock(mutex_);
  for (; mine.count[c] > keep; --mine.count[c], ++shared_count_[c])
    push(shared_[c], pop(mine.free[c]), class_bytes(c));
}

void* HostAllocator::take_shared(int c, std::size_t bytes) {
  note_shared(static_cast<std::int64_t>(class_bytes(c)));
  std::lock_guard lock(mutex_);
  ++shared_calls_;
  if (!shared_[c]) grow_shared(c, 1);
  --shared_count_[c];
  void* block = pop(shared_[c]);
  unpoison(block, bytes);
  return block;
}

void HostAllocator::give_shared(int c, void* block) noexcept {
  note_shared(-static_cast<std::int64_t>(class_bytes(c)));
  std::lock_guard lock(mutex_);
  push(shared_[c], block, class_bytes(c));
  ++shared_count_[c];
}

void HostAllocator::grow_shared(int c, int blocks) {
  const std::size_t bytes = class_bytes(c);
  for (int i = 0; i < blocks; ++i, ++shared_count_[c]) {
    if (chunk_end_ - chunk_ < static_cast<std::ptrdiff_t>(bytes)) {
      if (i > 0) return;  // some are enough; the rest of the chunk is lost, at most one block
      void* chunk = map(kChunk);
      if (!chunk) out_of_memory(bytes);
      chunk_ = static_cast<char*>(chunk);
      chunk_end_ = chunk_ + kChunk;
    }
    push(shared_[c], chunk_, bytes);
    chunk_ += bytes;
  }
}

/// Memory of the system, with the mutex held; null when refused.
void* HostAllocator::map(std::size_t bytes) {
  if (bytes > machine_memory()) return nullptr;  // Linux may promise more than there is
  const std::size_t slack = bytes >= kHuge ? kHuge : 0;
  void* mapped =
      mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(mapped);
  if (slack) {
    const std::size_t skip = (kHuge - reinterpret_cast<std::uintptr_t>(start) % kHuge) % kHuge;
    if (skip) munmap(start, skip);
    start += skip;
    if (slack > skip) munmap(start + bytes, slack - skip);
    madvise(start, bytes, MADV_HUGEPAGE);  // a wish; its refusal costs only time
  }
  ++system_calls_;
  reserved_ += bytes;
  return start;
}

void* HostAllocator::allocate_large(std::size_t bytes) {
  if (bytes > kLargest) out_of_memory(bytes);
  const int c = class_of(bytes);
  const std::size_t size = class_bytes(c);
  void* block = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (shared_[c]) {
      block = pop(shared_[c]);
      --shared_count_[c];
      cached_large_ -= size;
    } else {
      block = map(size);
      if (!block && drop_cached(-1)) block = map(size);
    }
    ++shared_calls_;
  }
  if (!block) out_of_memory(bytes);
  note_shared(static_cast<std::int64_t>(size));
  unpoison(block, bytes);
  return block;
}

void HostAllocator::release_large(void* block, std::size_t bytes) noexcept {
  const int c = class_of(bytes);
  const std::size_t size = class_bytes(c);
  note_shared(-static_cast<std::int64_t>(size));
  std::lock_guard lock(mutex_);
  // What other sizes left behind is likely of an earlier phase of the program: it goes first.
  if (cached_large_ + size > cache_limit()) drop_cached(c);
  if (cached_large_ + size > cache_limit()) {
    unpoison(block, size);
    munmap(block, size);
    reserved_ -= size;
    return;
  }
  push(shared_[c], block, size);
  ++shared_count_[c];
  cached_large_ += size;
}

/// Returns the kept large blocks of all classes but one to the system; how many bytes.
std::size_t HostAllocator::drop_cached(int except) {
  std::size_t dropped = 0;
  for (int c = kSmallClasses; c < kClasses; ++c) {
    if (c == except) continue;
    const std::size_t size = class_bytes(c);
    for (; shared_[c]; dropped += size, --shared_count_[c]) {
      void* block = pop(shared_[c]);
      unpoison(block, size);
      munmap(block, size);
    }
  }
  cached_large_ -= dropped;
  reserved_ -= dropped;
  return dropped;
}

MemoryStats HostAllocator::stats() const {
  std::lock_guard lock(mutex_);
  std::int64_t live = live_.load(std::memory_order_relaxed), high = live;
  std::uint64_t calls = shared_calls_;
  for (ThreadCache* t = threads_; t; t = t->after) {
    live += t->live.load(std::memory_order_relaxed);
    high += t->high.load(std::memory_order_relaxed);
    calls += t->calls.load(std::memory_order_relaxed);
  }
  MemoryStats stats;
  stats.allocated = static_cast<std::size_t>(std::max<std::int64_t>(live, 0));
  stats.peak_allocated =
      static_cast<std::size_t>(std::max({live, high, peak_.load(std::memory_order_relaxed)}));
  stats.reserved = reserved_;
  for (int c = 0; c < kClasses; ++c)
    if (shared_[c]) stats.largest_free = class_bytes(c);
  stats.allocations = calls;
  stats.device_allocations = system_calls_;
  return stats;
}

void HostAllocator::reset_peak() {
  std::lock_guard lock(mutex_);
  peak_ = 0;
  for (ThreadCache* t = threads_; t; t = t->after)
    t->high.store(t->live.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void HostAllocator::empty_cache() {
  std::lock_guard lock(mutex_);
  drop_cached(-1);  // small blocks share their chunks with live ones and stay
}

void HostAllocator::out_of_memory(std::size_t bytes) {
  fail<OutOfMemoryError>("cpu is out of memory: tried to allocate ", format_bytes(bytes),
                         "; the machine has ", format_bytes(machine_memory()), " in all, ",
                         format_bytes(static_cast<std::size_t>(
                             std::max<std::int64_t>(live_.load(std::memory_order_relaxed), 0))),
                         " in live tensors. Use a smaller batch or smaller sizes, or free tensors "
                         "you no longer need.");
}

}  // namespace

Allocator& host_allocator() { return the_allocator(); }

}  // namespace td
