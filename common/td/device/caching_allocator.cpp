// See caching_allocator.h for the scheme. Invariant: every byte of every segment is in exactly one
// Block, and a block is live, or waits for events, or is in one of the free sets.
#include "td/device/caching_allocator.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include "td/base/error.h"
#include "td/device/context.h"

namespace td {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kRounding = 512;             // as cudaMalloc aligns
constexpr std::size_t kSmallRequest = kMiB;        // up to here from small segments
constexpr std::size_t kMediumRequest = 10 * kMiB;  // below here from 20 MiB segments
constexpr std::size_t kSmallSegment = 2 * kMiB, kLargeSegment = 20 * kMiB;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::size_t segment_bytes(std::size_t bytes) {
  if (bytes <= kSmallRequest) return kSmallSegment;
  if (bytes < kMediumRequest) return kLargeSegment;
  return round_up(bytes, kSmallSegment);
}

/// False where TD_NO_CACHING is set to anything but 0.
bool caches_memory() {
  const char* const value = std::getenv("TD_NO_CACHING");
  return !value || *value == '\0' || std::string_view(value) == "0";
}

}  // namespace

bool CachingAllocator::BestFit::operator()(const Block* a, const Block* b) const {
  return std::tie(a->pool, a->stream, a->bytes, a->data) <
         std::tie(b->pool, b->stream, b->bytes, b->data);
}

CachingAllocator::CachingAllocator(Device device)
    : device_(device),
      backend_(backend(device.type())),
      caches_(caches_memory() || !device.has_index()) {}

void* CachingAllocator::allocate(std::size_t bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 46;  // larger sizes cannot be rounded safely
  if (bytes == 0) return nullptr;
  std::lock_guard lock(mutex_);
  if (bytes > kMost) out_of_memory(bytes);
  poll();
  Block* block = take(bytes, false);
  if (!block) {  // blocks that other streams use may become free
    wait_for_streams();
    block = take(bytes, false);
  }
  if (!block) {  // free segments may make room for another one
    return_segments();
    block = take(bytes, true);
  }
  if (!block) out_of_memory(bytes);
  block->asked = bytes;
  live_.emplace(block->data, block);
  stats_.allocated += block->bytes;
  stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  ++stats_.allocations;
  return block->data;
}

void CachingAllocator::release(void* memory, std::size_t) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = live_.find(memory);
  if (found == live_.end()) return;  // not ours; releasing it would corrupt a neighbour
  Block* block = found->second;
  live_.erase(found);
  stats_.allocated -= block->bytes;
  if (observed.load(std::memory_order_acquire)) [[unlikely]] {
    const StreamUse owner{device_.type(), device_.index(), block->stream};
    tell_released({block->data, block->bytes}, device_.has_index() ? &owner : nullptr, block->uses);
  }
  if (!block->uses.empty()) wait_for_uses(block);
  if (block->pending == 0) free_block(block);
}

void CachingAllocator::record_stream(void* memory, const Stream& stream) {
  std::lock_guard lock(mutex_);
  const auto found = live_.find(memory);
  if (found == live_.end() || stream.device().is_cpu()) return;
  Block* block = found->second;
  if (stream.device() == device_ && stream.native() == block->stream) return;
  const StreamUse use{stream.device().type(), stream.device().index(), stream.native()};
  if (std::find(block->uses.begin(), block->uses.end(), use) == block->uses.end())
    block->uses.push_back(use);
}

MemoryStats CachingAllocator::stats() const {
  std::lock_guard lock(mutex_);
  MemoryStats stats = stats_;
  stats.largest_free = largest_free();
  return stats;
}

void CachingAllocator::reset_peak() {
  std::lock_guard lock(mutex_);
  stats_.peak_allocated = stats_.allocated;
}

void CachingAllocator::empty_cache() {
  std::lock_guard lock(mutex_);
  wait_for_streams();
  return_segments();
}

void* CachingAllocator::allocate_segment(std::size_t bytes) {
  return backend_.allocate(device_.index(), bytes);
}

void CachingAllocator::release_segment(void* memory) {
  backend_.release(device_.index(), memory);  // waits for the device first
}

CachingAllocator::Block* CachingAllocator::take(std::size_t bytes, bool last_attempt) {
  const Owner owner{current_native_stream(device_), memory_pool(device_.type())};
  const bool small = bytes <= kSmallRequest;
  if (!caches_ && !owner.pool) {  // device memory of its own, not a byte longer
    return_segments();            // what was released while a graph was captured
    return take_segment(bytes, small, owner);
  }
  bytes = round_up(bytes, kRounding);
  Block* block = take_free(bytes, small, owner, false);
  if (!block) block = take_segment(segment_bytes(bytes), small, owner);
  if (!block && last_attempt) block = take_segment(bytes, small, owner);
  if (block) split(block, bytes);
  return block;
}

/// Takes the best free block of the owner out of its set; null when none fits.
CachingAllocator::Block* CachingAllocator::take_free(std::size_t bytes, bool small, Owner owner,
                                                     bool whole_segment) {
  FreeBlocks& blocks = free_[small];
  Block key;
  key.stream = owner.stream;
  key.pool = owner.pool;
  key.bytes = bytes;
  for (auto at = blocks.lower_bound(&key); at != blocks.end(); ++at) {
    Block* block = *at;
    if (block->stream != owner.stream || block->pool != owner.pool) break;
    if (whole_segment && (block->before || block->after)) continue;
    blocks.erase(at);
    block->free = false;
    return block;
  }
  return nullptr;
}

/// A block that is a whole new segment; null when the device has no room.
CachingAllocator::Block* CachingAllocator::take_segment(std::size_t segment, bool small,
                                                        Owner owner) {
  // The pool of a graph takes segments that are no longer used. Otherwise, repeated captures would
  // allocate more and more memory from the device.
  Block* block = owner.pool ? take_free(segment, small, {owner.stream, 0}, true) : nullptr;
  if (!block) {
    void* memory = allocate_segment(segment);
    if (!memory) return nullptr;
    ++stats_.device_allocations;
    stats_.reserved += segment;
    block = new Block;
    block->data = static_cast<char*>(memory);
    block->bytes = segment;
    block->stream = owner.stream;
    block->small = small;
  }
  block->pool = owner.pool;
  return block;
}

/// Cuts off what the block has beyond `bytes`, where the rest is large enough to be useful.
void CachingAllocator::split(Block* block, std::size_t bytes) {
  const std::size_t rest = block->bytes - bytes;
  // A small rest of a large block would only ever serve small requests, which look elsewhere.
  if (block->small ? rest < kRounding : rest <= kSmallRequest) return;
  Block* tail = new Block(*block);
  tail->data += bytes;
  tail->bytes = rest;
  tail->before = block;
  if (tail->after) tail->after->before = tail;
  block->after = tail;
  block->bytes = bytes;
  tail->free = true;
  free_[tail->small].insert(tail);
}

void CachingAllocator::free_block(Block* block) {
  FreeBlocks& blocks = free_[block->small];
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
  if (!caches_) return_segments();
}

void CachingAllocator::join(Block* block, Block* after) {
  block->bytes += after->bytes;
  block->after = after->after;
  if (block->after) block->after->before = block;
  delete after;
}

/// Returns the free segments to the device.
void CachingAllocator::return_segments() {
  if (!may_wait_for_streams()) return;  // freeing memory does
  for (FreeBlocks& blocks : free_) {
    std::erase_if(blocks, [this](Block* block) {
      if (block->before || block->after || block->pool) return false;
      release_segment(block->data);
      stats_.reserved -= block->bytes;
      delete block;
      return true;
    });
  }
}

void CachingAllocator::release_pool(std::uint64_t pool) noexcept {
  std::lock_guard lock(mutex_);
  const auto leave_pool = [pool](Block* block) {
    if (block->pool == pool) block->pool = 0;
  };
  for (const auto& entry : live_) leave_pool(entry.second);
  for (UsingStream& stream : streams_)
    for (const Waiting& waiting : stream.waiting) leave_pool(waiting.block);
  for (FreeBlocks& blocks : free_) {
    for (Block* block : std::exchange(blocks, {})) {  // the order of a set depends on the pools
      leave_pool(block);
      blocks.insert(block);
    }
  }
}

std::size_t CachingAllocator::largest_free() const {
  std::size_t largest = 0;
  for (const FreeBlocks& blocks : free_)
    for (const Block* block : blocks) largest = std::max(largest, block->bytes);
  return largest;
}

bool CachingAllocator::find(const void* address, Extent* block) const noexcept {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const auto& [memory, live] : live_) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory);
    if (at < start || at - start >= live->bytes) continue;
    *block = {memory, live->asked};
    return true;
  }
  return false;
}

void CachingAllocator::out_of_memory(std::size_t bytes) const {
  std::size_t free = 0, total = 0;
  backend_.memory(device_.index(), &free, &total);
  const std::size_t cached = stats_.reserved - stats_.allocated;
  std::string text =
      format_bytes(total) + " in all, " + format_bytes(stats_.allocated) + " in live tensors";
  if (cached)
    text += ", " + format_bytes(cached) + " cached but in pieces of at most " +
            format_bytes(largest_free());
  const std::size_t ours = stats_.reserved + free;
  if (device_.is_cuda() && total > ours)
    text += ", " + format_bytes(total - ours) + " in use by others";
  fail<OutOfMemoryError>(device_, " is out of memory: tried to allocate ", format_bytes(bytes),
                         "; ", text, ". Use a smaller batch, or free tensors you no longer need",
                         backend_.more_memory_hint(), ".");
}

}  // namespace td
