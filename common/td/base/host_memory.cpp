// The thread caches in front of host_pool.h: blocks up to 64 KiB come from a thread's own free
// lists, one per size class; larger ones come from the pool itself.
//
// Invariant: `live` of the pool plus `live` of every listed thread is what tensors have allocated.
// A block may be released on any thread, whose own count may then be negative.
#include "td/base/host_memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "td/base/host_pool.h"

namespace td {
namespace {

constexpr std::size_t kLargestObject = 1024;
constexpr std::size_t kThreadShare = 512 << 10;   // about how many bytes a thread caches per class
constexpr std::int64_t kMostCounted = 256 << 10;  // beyond this a thread reports to the pool
constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr int most_cached(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>(kThreadShare / bytes, 8, 256));
}

/// One thread's lists and counts. Trivially destructible, so that it may be used to the very end of
/// the thread, when destructors still release tensors.
struct ThreadCache {
  std::array<HostBlocks, HostClasses::kSmall> free{};
  HostCounts counts;
  enum class State { kNew, kListed, kEnded } state = State::kNew;
};

thread_local constinit ThreadCache this_thread;

/// Returns a thread's lists to the pool when it ends.
struct ThreadEnd {
  ~ThreadEnd() {
    this_thread.state = ThreadCache::State::kEnded;
    for (std::size_t c = 0; c < HostClasses::kSmall; ++c)
      host_pool().give(c, this_thread.free[c], 0);
    host_pool().remove_thread(this_thread.counts);
  }
};

/// Whether the thread may keep blocks: it may until its end. Lists a new thread first.
bool has_lists() {
  if (this_thread.state == ThreadCache::State::kNew) {
    thread_local ThreadEnd at_end;
    static_cast<void>(at_end);
    host_pool().add_thread(this_thread.counts);
    this_thread.state = ThreadCache::State::kListed;
  }
  return this_thread.state == ThreadCache::State::kListed;
}

// Rarely used code is not inlined: saving its registers would double the cost of the usual path.
[[gnu::noinline]] void collect() { host_pool().collect(this_thread.counts); }

/// Counts bytes of tensors: allocated, or released when negative.
void count(std::int64_t bytes) {
  HostCounts& counts = this_thread.counts;
  const std::int64_t live = counts.live.load(kRelaxed) + bytes;
  counts.live.store(live, kRelaxed);
  if (live > counts.high.load(kRelaxed)) counts.high.store(live, kRelaxed);
  // The counts of a thread that is not listed would not be read.
  if (std::abs(live) > kMostCounted || this_thread.state != ThreadCache::State::kListed)
      [[unlikely]]
    collect();
}

/// Gets blocks of a class from the pool: a batch, or one if the thread may not keep any.
[[gnu::noinline]] void refill(std::size_t c) {
  const int batch = has_lists() ? most_cached(HostClasses::bytes(c)) / 2 : 1;
  host_pool().take(c, this_thread.free[c], batch);
}
/// Returns the part of a list that has become too long.
[[gnu::noinline]] void shorten(std::size_t c, int keep) noexcept {
  host_pool().give(c, this_thread.free[c], has_lists() ? keep : 0);
}

/// A block of a small class from the thread's list, of which `bytes` bytes will be used.
void* take(std::size_t c, std::size_t bytes) {
  HostBlocks& list = this_thread.free[c];
  if (!list.first) [[unlikely]]
    refill(c);
  return list.pop(bytes);
}
/// Puts a block into the thread's list, which gets no longer than `most`.
void give(void* block, std::size_t c, int most) noexcept {
  HostBlocks& list = this_thread.free[c];
  list.push(block, HostClasses::bytes(c));
  if (list.count > most || this_thread.state != ThreadCache::State::kListed) [[unlikely]]
    shorten(c, most / 2);
}

}  // namespace

void* allocate_object(std::size_t bytes) {
  if (bytes > kLargestObject) return ::operator new(bytes);
  return take(bytes ? HostClasses::of(bytes) : 0, bytes);
}

void release_object(void* block, std::size_t bytes) noexcept {
  if (!block) return;
  if (bytes > kLargestObject) return ::operator delete(block);
  give(block, bytes ? HostClasses::of(bytes) : 0, most_cached(kLargestObject));
}

void* host_allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::size_t c = HostClasses::of(bytes);
  void* block = c < HostClasses::kSmall ? take(c, bytes) : host_pool().take_large(bytes);
  std::atomic<std::uint64_t>& calls = this_thread.counts.calls;
  calls.store(calls.load(kRelaxed) + 1, kRelaxed);
  count(static_cast<std::int64_t>(HostClasses::bytes(c)));
  return block;
}

void host_release(void* block, std::size_t bytes) noexcept {
  if (!block) return;
  const std::size_t c = HostClasses::of(bytes), size = HostClasses::bytes(c);
  c < HostClasses::kSmall ? give(block, c, most_cached(size)) : host_pool().give_large(block, c);
  count(-static_cast<std::int64_t>(size));
}

}  // namespace td
