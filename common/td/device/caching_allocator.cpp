// See caching_allocator.h for the scheme. Invariant: every byte of every segment is in exactly one
// Block, and a block is in live_, waiting for events, or in one of the free sets.
#include "td/device/caching_allocator.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include "td/base/messages.h"
#include "td/device/access_observer.h"
#include "td/device/capture.h"
#include "td/device/graph.h"
#include "td/device/thread_state.h"

namespace td {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kRounding = 512;             // as cudaMalloc aligns
constexpr std::size_t kSmallRequest = kMiB;        // up to here from small segments
constexpr std::size_t kMediumRequest = 10 * kMiB;  // below here from 20 MiB segments
constexpr std::size_t kSmallSegment = 2 * kMiB, kLargeSegment = 20 * kMiB;
constexpr std::size_t kAbsurd = std::size_t{1} << 47;  // sizes above cannot be rounded safely

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::size_t segment_bytes(std::size_t bytes) {
  if (bytes <= kSmallRequest) return kSmallSegment;
  if (bytes < kMediumRequest) return kLargeSegment;
  return round_up(bytes, kSmallSegment);
}

/// False where TD_NO_CACHING is set to anything but 0.
bool caches_memory() {
  static const bool answer = [] {
    const char* const value = std::getenv("TD_NO_CACHING");
    return !value || *value == '\0' || std::string_view(value) == "0";
  }();
  return answer;
}

}  // namespace

bool CachingAllocator::BestFit::operator()(const Block* a, const Block* b) const {
  const std::less<const void*> less;
  if (a->pool != b->pool) return less(a->pool, b->pool);
  if (a->stream != b->stream) return less(a->stream, b->stream);
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  return less(a->data, b->data);
}

CachingAllocator::CachingAllocator(Device device)
    : device_(device), backend_(backend(device.type())) {}

void* CachingAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const Owner owner = owner_now();
  std::lock_guard lock(mutex_);
  if (bytes > kAbsurd) out_of_memory(bytes);
  poll();
  Block* block = caches_memory() || owner.pool ? take_cached(round_up(bytes, kRounding), owner)
                                               : take_uncached(bytes, owner);
  if (!block) out_of_memory(bytes);
  block->asked = bytes;
  live_.emplace(block->data, block);
  stats_.allocated += block->bytes;
  stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  ++stats_.allocations;
  return block->data;
}

void CachingAllocator::release(void* memory, std::size_t) noexcept {
  if (!memory) return;
  std::lock_guard lock(mutex_);
  const auto found = live_.find(memory);
  if (found == live_.end()) return;  // not ours; releasing it would corrupt a neighbour
  Block* block = found->second;
  live_.erase(found);
  stats_.allocated -= block->bytes;
  if (AccessObserver* observer = listening_to_accesses()) [[unlikely]] {
    const StreamUse owner{device_.type(), device_.index(), block->stream};
    observer->released({block->data, block->bytes}, &owner, block->uses);
  }
  if (!block->uses.empty()) {
    deferred_.defer(block, block->uses);
    block->uses.clear();
  }
  if (block->pending == 0) free_block(block);
}

void CachingAllocator::record_stream(void* memory, const Stream& stream) {
  if (!memory) return;
  std::lock_guard lock(mutex_);
  const auto found = live_.find(memory);
  if (found == live_.end() || stream.device().is_cpu()) return;
  Block* block = found->second;
  if (stream.device() == device_ && stream.native() == block->stream) return;
  const StreamUse use{stream.device().type(), stream.device().index(), stream.native()};
  if (std::find(block->uses.begin(), block->uses.end(), use) == block->uses.end())
    block->uses.push_back(use);
}

CachingAllocator::Owner CachingAllocator::owner_now() const {
  const bool captured = capturing_graph && capturing_graph->device().type() == device_.type();
  return {current_native_stream(device_), captured ? capturing_graph : nullptr};
}

/// A block of `bytes`, cut from what is free or from a new segment; null when there is no room.
CachingAllocator::Block* CachingAllocator::take_cached(std::size_t bytes, Owner owner) {
  Block* block = take_free(bytes, owner);
  if (!block) block = take_segment(segment_bytes(bytes), bytes, owner);
  if (!block) block = take_after_emptying(bytes, owner);
  if (block) split(block, bytes);
  return block;
}

/// A piece of device memory of its own, not a byte longer than what was asked for.
CachingAllocator::Block* CachingAllocator::take_uncached(std::size_t bytes, Owner owner) {
  return_segments();  // what was released while a graph was captured
  Block* block = take_segment(bytes, bytes, owner);
  if (block) return block;
  deferred_.wait_all();
  poll();
  return take_segment(bytes, bytes, owner);
}

/// The best free block of the owner, out of its set; null when none fits.
CachingAllocator::Block* CachingAllocator::take_free(std::size_t bytes, Owner owner) {
  FreeBlocks& blocks = bytes <= kSmallRequest ? free_small_ : free_large_;
  Block key;
  key.stream = owner.stream;
  key.pool = owner.pool;
  key.bytes = bytes;
  const auto best = blocks.lower_bound(&key);
  if (best == blocks.end() || (*best)->stream != owner.stream || (*best)->pool != owner.pool)
    return nullptr;
  Block* block = *best;
  blocks.erase(best);
  block->free = false;
  return block;
}

/// A whole segment that nobody uses any more, for the pool of a graph; else captures that come and
/// go would take more and more from the device. Null when there is none.
CachingAllocator::Block* CachingAllocator::take_cached_segment(std::size_t segment,
                                                               std::size_t bytes, Owner owner) {
  FreeBlocks& blocks = bytes <= kSmallRequest ? free_small_ : free_large_;
  Block key;
  key.stream = owner.stream;
  key.bytes = segment;
  for (auto at = blocks.lower_bound(&key); at != blocks.end(); ++at) {
    Block* block = *at;
    if (block->stream != owner.stream || block->pool) break;
    if (block->before || block->after) continue;
    blocks.erase(at);
    block->free = false;
    block->pool = owner.pool;
    return block;
  }
  return nullptr;
}

/// A block that is a whole new segment; null when the device has no room.
CachingAllocator::Block* CachingAllocator::take_segment(std::size_t segment, std::size_t bytes,
                                                        Owner owner) {
  if (owner.pool)
    if (Block* cached = take_cached_segment(segment, bytes, owner)) return cached;
  void* memory = backend_.allocate(device_.index(), segment);
  if (!memory) return nullptr;
  ++stats_.device_allocations;
  stats_.reserved += segment;
  Block* block = new Block;
  block->data = static_cast<char*>(memory);
  block->bytes = segment;
  block->stream = owner.stream;
  block->pool = owner.pool;
  block->small = bytes <= kSmallRequest;
  return block;
}

/// The device is full: wait for blocks that other streams use, give back whole segments, try again;
/// at last with a segment no larger than what was asked for.
CachingAllocator::Block* CachingAllocator::take_after_emptying(std::size_t bytes, Owner owner) {
  deferred_.wait_all();
  poll();
  if (Block* block = take_free(bytes, owner)) return block;
  return_segments();
  if (Block* block = take_segment(segment_bytes(bytes), bytes, owner)) return block;
  return take_segment(bytes, bytes, owner);
}

/// Cuts off what the block has beyond `bytes`, where the rest is worth keeping apart.
void CachingAllocator::split(Block* block, std::size_t bytes) {
  const std::size_t rest = block->bytes - bytes;
  // A small rest of a large block would only ever serve small requests, which look elsewhere.
  if (block->small ? rest < kRounding : rest <= kSmallRequest) return;
  Block* tail = new Block;
  tail->data = block->data + bytes;
  tail->bytes = rest;
  tail->stream = block->stream;
  tail->pool = block->pool;
  tail->small = block->small;
  tail->before = block;
  tail->after = block->after;
  if (tail->after) tail->after->before = tail;
  block->after = tail;
  block->bytes = bytes;
  tail->free = true;
  (tail->small ? free_small_ : free_large_).insert(tail);
}

void CachingAllocator::free_block(Block* block) {
  FreeBlocks& blocks = block->small ? free_small_ : free_large_;
  if (Block* after = block->after; after && after->free) {
    blocks.erase(after);
    join(block, after);
  }
  if (Block* before = block->before; before && before->free) {
    blocks.erase(before);
    join(before, block);
    block = before;
  }
  block->free = true;
  blocks.insert(block);
  if (!caches_memory()) return_segments();
}

void CachingAllocator::join(Block* block, Block* after) {
  block->bytes += after->bytes;
  block->after = after->after;
  if (block->after) block->after->before = block;
  delete after;
}

void CachingAllocator::poll() {
  deferred_.poll([this](Block* block) { free_block(block); });
}

void CachingAllocator::return_segments() {
  if (captures_underway > 0) return;  // giving memory back waits for the device
  for (FreeBlocks* blocks : {&free_small_, &free_large_}) {
    for (auto at = blocks->begin(); at != blocks->end();) {
      Block* block = *at;
      if (block->before || block->after || block->pool) {
        ++at;
        continue;
      }
      at = blocks->erase(at);
      backend_.release(device_.index(), block->data);  // waits for the device first
      stats_.reserved -= block->bytes;
      delete block;
    }
  }
}

void CachingAllocator::release_pool(const void* pool) noexcept {
  std::lock_guard lock(mutex_);
  for (const auto& entry : live_)
    if (entry.second->pool == pool) entry.second->pool = nullptr;
  deferred_.visit([pool](Block* block) {
    if (block->pool == pool) block->pool = nullptr;
  });
  for (FreeBlocks* blocks : {&free_small_, &free_large_}) {
    for (auto at = blocks->begin(); at != blocks->end();) {
      const auto node = at++;
      if ((*node)->pool != pool) continue;
      auto moved = blocks->extract(node);  // its place is by pool
      moved.value()->pool = nullptr;
      blocks->insert(std::move(moved));
    }
  }
}

MemoryStats CachingAllocator::stats() const {
  std::lock_guard lock(mutex_);
  MemoryStats stats = stats_;
  for (const FreeBlocks* blocks : {&free_small_, &free_large_})
    for (const Block* block : *blocks)
      stats.largest_free = std::max(stats.largest_free, block->bytes);
  return stats;
}

void CachingAllocator::reset_peak() {
  std::lock_guard lock(mutex_);
  stats_.peak_allocated = stats_.allocated;
}

void CachingAllocator::empty_cache() {
  std::lock_guard lock(mutex_);
  deferred_.wait_all();
  poll();
  return_segments();
}

bool CachingAllocator::find(const void* address, Extent* block) const noexcept {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const auto& entry : live_) {
    const auto start = reinterpret_cast<std::uintptr_t>(entry.first);
    if (at < start || at - start >= entry.second->bytes) continue;
    *block = {entry.first, entry.second->asked};
    return true;
  }
  return false;
}

void CachingAllocator::out_of_memory(std::size_t bytes) const {
  std::size_t free = 0, total = 0, piece = 0;
  backend_.memory(device_.index(), &free, &total);
  for (const FreeBlocks* blocks : {&free_small_, &free_large_})
    for (const Block* block : *blocks) piece = std::max(piece, block->bytes);
  const std::size_t cached = stats_.reserved - stats_.allocated;
  std::string text =
      format_bytes(total) + " in all, " + format_bytes(stats_.allocated) + " in live tensors";
  if (cached)
    text += ", " + format_bytes(cached) + " cached but in pieces of at most " + format_bytes(piece);
  const std::size_t ours = stats_.reserved + free;
  if (device_.is_cuda() && total > ours)
    text += ", " + format_bytes(total - ours) + " in use by others";
  fail<OutOfMemoryError>(device_, " is out of memory: tried to allocate ", format_bytes(bytes),
                         "; ", text, ". Use a smaller batch, or free tensors you no longer need",
                         backend_.more_memory_hint(), ".");
}

}  // namespace td
