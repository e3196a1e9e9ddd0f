// See host_pool.h. Small blocks are cut from chunks that are never freed. Large blocks are mappings
// of their own, which can be returned; how many bytes of them are cached is bounded.
#include "td/base/host_pool.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <new>

#include "td/base/error.h"
#include "td/base/messages.h"

namespace td {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kHuge = std::size_t{2} << 20;  // a huge page

// Of the machine, swap included.
std::size_t machine_memory() {
  static const std::size_t total = [] {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return HostClasses::kLargest;
    return (info.totalram + info.totalswap) * info.mem_unit;
  }();
  return total;
}

// Enough to hold what one training step frees and takes again, and no more than a quarter of what
// the machine has, since other programs run here too.
std::size_t cache_limit() { return machine_memory() / 4; }

}  // namespace

void HostPool::take(int c, HostBlocks& list, int count) {
  const std::lock_guard lock(mutex_);
  HostBlocks& cached = free_[static_cast<std::size_t>(c)];
  if (!cached.first && !grow(c, count)) out_of_memory(HostClasses::bytes(c));
  for (int i = 0; i < count && cached.first; ++i) list.push(cached.pop(), HostClasses::bytes(c));
}

void HostPool::give(int c, HostBlocks& list, int keep) noexcept {
  const std::lock_guard lock(mutex_);
  HostBlocks& cached = free_[static_cast<std::size_t>(c)];
  while (list.count > keep) cached.push(list.pop(), HostClasses::bytes(c));
}

/// Cuts new blocks of a small class; false when the system gave no memory for even one.
bool HostPool::grow(int c, int count) {
  const std::size_t bytes = HostClasses::bytes(c);
  for (int i = 0; i < count; ++i) {
    if (chunk_end_ - chunk_ < static_cast<std::ptrdiff_t>(bytes)) {
      if (i > 0) return true;  // some are enough; the chunk's rest is lost, less than a block
      // From the heap, and not a mapping, because a leak checker looks for pointers there: what
      // objects in the chunk point to is not lost.
      void* chunk = ::operator new(kChunk, std::align_val_t(64), std::nothrow);
      if (!chunk) return false;
      reserved_ += kChunk;
      ++system_calls_;
      chunk_ = static_cast<char*>(chunk);
      chunk_end_ = chunk_ + kChunk;
    }
    free_[static_cast<std::size_t>(c)].push(chunk_, bytes);
    chunk_ += bytes;
  }
  return true;
}

void* HostPool::take_large(std::size_t bytes) {
  if (bytes > HostClasses::kLargest) out_of_memory(bytes);
  const int c = HostClasses::of(bytes);
  const std::size_t size = HostClasses::bytes(c);
  const std::lock_guard lock(mutex_);
  HostBlocks& cached = free_[static_cast<std::size_t>(c)];
  if (cached.first) {
    cached_large_ -= size;
    return cached.pop();
  }
  void* block = map(size);
  if (!block && drop_cached(-1)) block = map(size);
  if (!block) out_of_memory(bytes);
  return block;
}

void HostPool::give_large(void* block, std::size_t bytes) noexcept {
  const int c = HostClasses::of(bytes);
  const std::size_t size = HostClasses::bytes(c);
  const std::lock_guard lock(mutex_);
  // What other sizes left behind is likely of an earlier phase of the program: it goes first.
  if (cached_large_ + size > cache_limit()) drop_cached(c);
  if (cached_large_ + size > cache_limit()) return unmap(block, size);
  free_[static_cast<std::size_t>(c)].push(block, size);
  cached_large_ += size;
}

/// Returns the cached large blocks of all classes but one to the system; whether there were any.
bool HostPool::drop_cached(int except) {
  const std::size_t before = cached_large_;
  for (int c = HostClasses::kSmall; c < HostClasses::kCount; ++c) {
    if (c == except) continue;
    HostBlocks& cached = free_[static_cast<std::size_t>(c)];
    for (; cached.first; cached_large_ -= HostClasses::bytes(c))
      unmap(cached.pop(), HostClasses::bytes(c));
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
    madvise(start, bytes, MADV_HUGEPAGE);  // a wish; its refusal costs only time
  }
  ++system_calls_;
  reserved_ += bytes;
  return start;
}

void HostPool::unmap(void* block, std::size_t bytes) {
  unpoison(block, bytes);
  munmap(block, bytes);
  reserved_ -= bytes;
}

void HostPool::empty() {
  const std::lock_guard lock(mutex_);
  drop_cached(-1);
}

MemoryStats HostPool::stats() const {
  const std::lock_guard lock(mutex_);
  MemoryStats stats;
  stats.reserved = reserved_;
  stats.device_allocations = system_calls_;
  for (int c = HostClasses::kCount - 1; c >= 0 && !stats.largest_free; --c)
    if (free_[static_cast<std::size_t>(c)].first) stats.largest_free = HostClasses::bytes(c);
  return stats;
}

void HostPool::out_of_memory(std::size_t bytes) const {
  fail<OutOfMemoryError>(
      "cpu is out of memory: tried to allocate ", format_bytes(bytes), "; the machine has ",
      format_bytes(machine_memory()), " in all, ",
      format_bytes(static_cast<std::size_t>(std::max<std::int64_t>(live.load(), 0))),
      " in live tensors. Use a smaller batch or smaller sizes, or free tensors you no longer "
      "need.");
}

}  // namespace td
