// See host_pool.h. Small blocks are cut from chunks that are never freed. Each large block is a
// mapping of its own, which can be returned; the size of their cache is limited.
#include "td/base/host_pool.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <new>

#include "td/base/error.h"

namespace td {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kHuge = std::size_t{2} << 20;  // a huge page
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kNone = HostClasses::kCount;  // no class

// Bytes of memory that the machine has, including swap.
std::size_t machine_memory() {
  static const std::size_t total = [] {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return HostClasses::kLargest;
    return (info.totalram + info.totalswap) * info.mem_unit;
  }();
  return total;
}

}  // namespace

HostPool& host_pool() {
  static HostPool& instance = *new HostPool;  // never destroyed: blocks outlive static destructors
  return instance;
}

void HostPool::take(std::size_t c, HostBlocks& list, int count) {
  const std::lock_guard lock(mutex_);
  HostBlocks& cached = free_[c];
  if (!cached.first && !grow(c, count)) out_of_memory(HostClasses::bytes(c));
  for (int i = 0; i < count && cached.first; ++i) list.push(cached.pop(0), HostClasses::bytes(c));
}

void HostPool::give(std::size_t c, HostBlocks& list, int keep) noexcept {
  const std::lock_guard lock(mutex_);
  HostBlocks& cached = free_[c];
  while (list.count > keep) cached.push(list.pop(0), HostClasses::bytes(c));
}

/// Cuts new blocks of a small class; false when the system gave no memory for even one.
bool HostPool::grow(std::size_t c, int count) {
  const std::size_t bytes = HostClasses::bytes(c);
  for (int i = 0; i < count; ++i) {
    if (chunk_end_ - chunk_ < static_cast<std::ptrdiff_t>(bytes)) {
      if (i > 0) return true;  // some are enough; the chunk's rest is lost, less than a block
      // From the heap and not from a mapping, because a leak checker searches the heap for
      // pointers: it would otherwise report what objects in the chunk point to.
      void* chunk = ::operator new(kChunk, std::align_val_t(64), std::nothrow);
      if (!chunk) return false;
      stats_.reserved += kChunk;
      ++stats_.device_allocations;
      chunk_ = static_cast<char*>(chunk);
      chunk_end_ = chunk_ + kChunk;
    }
    free_[c].push(chunk_, bytes);
    chunk_ += bytes;
  }
  return true;
}

void* HostPool::take_large(std::size_t bytes) {
  if (bytes > HostClasses::kLargest) out_of_memory(bytes);
  const std::size_t c = HostClasses::of(bytes), size = HostClasses::bytes(c);
  const std::lock_guard lock(mutex_);
  if (free_[c].first) {
    cached_large_ -= size;
    return free_[c].pop(bytes);
  }
  void* block = map(size);
  if (!block && drop_cached(kNone)) block = map(size);
  if (!block) out_of_memory(bytes);
  return block;
}

void HostPool::give_large(void* block, std::size_t c) noexcept {
  const std::size_t size = HostClasses::bytes(c);
  const std::lock_guard lock(mutex_);
  // A training step frees and reuses what the cache holds. A quarter of the machine's memory is
  // enough for that, and other programs run here too. Blocks of other sizes are probably from an
  // earlier phase of the program, so they are returned first.
  const std::size_t limit = machine_memory() / 4;
  if (cached_large_ + size > limit) drop_cached(c);
  if (cached_large_ + size > limit) return unmap(block, size);
  free_[c].push(block, size);
  cached_large_ += size;
}

/// Returns the cached large blocks of all classes but one to the system; false if there were none.
bool HostPool::drop_cached(std::size_t except) {
  const std::size_t before = cached_large_;
  for (std::size_t c = HostClasses::kSmall; c < HostClasses::kCount; ++c) {
    for (; c != except && free_[c].first; cached_large_ -= HostClasses::bytes(c))
      unmap(free_[c].pop(0), HostClasses::bytes(c));
  }
  return cached_large_ < before;
}

/// Memory of the system; null when refused.
void* HostPool::map(std::size_t bytes) {
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
    madvise(start, bytes, MADV_HUGEPAGE);  // a hint; a refusal costs only time
  }
  ++stats_.device_allocations;
  stats_.reserved += bytes;
  return start;
}

void HostPool::unmap(void* block, std::size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(block, bytes);
  munmap(block, bytes);
  stats_.reserved -= bytes;
}

void HostPool::empty() {
  const std::lock_guard lock(mutex_);
  drop_cached(kNone);
}

void HostPool::add_thread(HostCounts& counts) {
  const std::lock_guard lock(mutex_);
  threads_.push_back(&counts);
}

void HostPool::remove_thread(HostCounts& counts) noexcept {
  const std::lock_guard lock(mutex_);
  collect(counts);
  std::erase(threads_, &counts);
}

void HostPool::collect(HostCounts& counts) noexcept {
  const std::int64_t high = counts.high.exchange(0, kRelaxed);
  const std::int64_t live = counts.live.exchange(0, kRelaxed);
  const std::int64_t reached = live_.fetch_add(live, kRelaxed) + high;
  std::int64_t before = peak_.load(kRelaxed);
  while (before < reached && !peak_.compare_exchange_weak(before, reached, kRelaxed)) {
  }
  calls_.fetch_add(counts.calls.exchange(0, kRelaxed), kRelaxed);
}

MemoryStats HostPool::stats() const {
  const std::lock_guard lock(mutex_);
  MemoryStats stats = stats_;
  stats.allocations = calls_.load(kRelaxed);
  std::int64_t live = live_.load(kRelaxed), high = live;
  for (const HostCounts* counts : threads_) {
    live += counts->live.load(kRelaxed);
    high += counts->high.load(kRelaxed);
    stats.allocations += counts->calls.load(kRelaxed);
  }
  stats.allocated = static_cast<std::size_t>(std::max<std::int64_t>(live, 0));
  stats.peak_allocated = static_cast<std::size_t>(std::max({live, high, peak_.load(kRelaxed)}));
  for (std::size_t c = 0; c < HostClasses::kCount; ++c)
    if (free_[c].first) stats.largest_free = HostClasses::bytes(c);
  return stats;
}

void HostPool::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = 0;
  for (HostCounts* counts : threads_) counts->high.store(counts->live.load(kRelaxed), kRelaxed);
}

void HostPool::out_of_memory(std::size_t bytes) const {
  fail<OutOfMemoryError>(
      "cpu is out of memory: tried to allocate ", format_bytes(bytes), "; the machine has ",
      format_bytes(machine_memory()), " in all, ",
      format_bytes(static_cast<std::size_t>(std::max<std::int64_t>(live_.load(), 0))),
      " in live tensors. Use a smaller batch or smaller sizes, or free tensors you no longer "
      "need.");
}

}  // namespace td
