// See pinned_allocator.h. The ranges of all pinned memory, live or kept, are in one table that
// is_pinned_memory reads: backends ask it for every copy.
#include "td/device/pinned_allocator.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <shared_mutex>

#include "td/base/messages.h"
#include "td/device/access_observer.h"
#include "td/device/capture.h"

namespace td {
namespace {

constexpr std::size_t kSmallest = 512, kLargest = std::size_t{1} << 46;
constexpr std::size_t kExact = std::size_t{64} << 20;  // from here on only rounded to pages
constexpr std::size_t kPage = 4096;

std::size_t block_bytes(std::size_t asked) {
  if (asked > kExact) return (asked + kPage - 1) / kPage * kPage;
  return std::bit_ceil(std::max(asked, kSmallest));
}

struct PinnedRanges {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, std::size_t> bytes;  // by start
  std::atomic<std::size_t> count{0};            // lets programs without pinned memory skip the lock
};

PinnedRanges& ranges() {
  static PinnedRanges& instance = *new PinnedRanges;
  return instance;
}

/// Where the pinned block that holds the address begins; null for other memory.
const void* start_of_pinned(const void* data) {
  PinnedRanges& r = ranges();
  if (r.count.load(std::memory_order_acquire) == 0) return nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  std::shared_lock lock(r.mutex);
  auto after = r.bytes.upper_bound(at);
  if (after == r.bytes.begin()) return nullptr;
  --after;
  return at - after->first < after->second ? reinterpret_cast<const void*>(after->first) : nullptr;
}

}  // namespace

bool is_pinned_memory(const void* data) { return start_of_pinned(data) != nullptr; }

PinnedAllocator::PinnedAllocator(DeviceType type) : type_(type), backend_(backend(type)) {}

void* PinnedAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (capturing_graph) [[unlikely]]
    fail_in_capture("pinned memory",
                    "Replays would use it when it belongs to somebody else. Pin it before the "
                    "capture, and keep it for as long as the graph is used.");
  std::lock_guard lock(mutex_);
  if (bytes > kLargest) out_of_memory(bytes);
  deferred_.poll([this](Block* b) { free_block(b); });
  Block* block = take_kept(block_bytes(bytes));
  if (!block) block = take_new(block_bytes(bytes));
  if (!block) out_of_memory(bytes);
  live_.emplace(block->data, block);
  stats_.allocated += block->bytes;
  stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  ++stats_.allocations;
  return block->data;
}

/// A kept block that is large enough, and less than twice as large.
PinnedAllocator::Block* PinnedAllocator::take_kept(std::size_t bytes) {
  auto& kept = free_[static_cast<std::size_t>(std::bit_width(bytes) - 1)];
  for (std::size_t i = kept.size(); i-- > 0;) {
    Block* block = kept[i];
    if (block->bytes < bytes) continue;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    return block;
  }
  return nullptr;
}

PinnedAllocator::Block* PinnedAllocator::take_new(std::size_t bytes) {
  void* memory = backend_.allocate_pinned(bytes);
  if (!memory) {
    deferred_.wait_all();
    deferred_.poll([this](Block* b) { free_block(b); });
    return_blocks();
    memory = backend_.allocate_pinned(bytes);
  }
  if (!memory) return nullptr;
  Block* block = new Block;
  block->data = static_cast<char*>(memory);
  block->bytes = bytes;
  stats_.reserved += bytes;
  ++stats_.device_allocations;
  PinnedRanges& r = ranges();
  std::unique_lock lock(r.mutex);
  r.bytes.emplace(reinterpret_cast<std::uintptr_t>(memory), bytes);
  r.count.fetch_add(1, std::memory_order_release);
  return block;
}

void PinnedAllocator::release(void* memory, std::size_t) noexcept {
  if (!memory) return;
  std::lock_guard lock(mutex_);
  const auto found = live_.find(memory);
  if (found == live_.end()) return;
  Block* block = found->second;
  live_.erase(found);
  stats_.allocated -= block->bytes;
  if (AccessObserver* observer = listening_to_accesses()) [[unlikely]]
    observer->released({block->data, block->bytes}, nullptr, block->uses);
  if (!block->uses.empty()) {
    deferred_.defer(block, block->uses);
    block->uses.clear();
  }
  if (block->pending == 0) free_block(block);
}

void PinnedAllocator::record_stream(void* memory, const Stream& stream) {
  std::lock_guard lock(mutex_);
  const auto found = live_.find(start_of_pinned(memory));
  if (found == live_.end() || stream.device().is_cpu()) return;
  StreamUses& uses = found->second->uses;
  const StreamUse use{stream.device().type(), stream.device().index(), stream.native()};
  if (std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
}

void PinnedAllocator::free_block(Block* block) {
  free_[static_cast<std::size_t>(std::bit_width(block->bytes) - 1)].push_back(block);
}

void PinnedAllocator::return_blocks() {
  if (captures_underway > 0) return;  // giving memory back waits for the devices
  PinnedRanges& r = ranges();
  for (auto& kept : free_) {
    for (Block* block : kept) {
      {
        std::unique_lock lock(r.mutex);
        r.bytes.erase(reinterpret_cast<std::uintptr_t>(block->data));
        r.count.fetch_sub(1, std::memory_order_release);
      }
      backend_.release_pinned(block->data);
      stats_.reserved -= block->bytes;
      delete block;
    }
    kept.clear();
  }
}

MemoryStats PinnedAllocator::stats() const {
  std::lock_guard lock(mutex_);
  MemoryStats stats = stats_;
  for (const auto& kept : free_)
    if (!kept.empty()) stats.largest_free = kept.back()->bytes;
  return stats;
}

void PinnedAllocator::reset_peak() {
  std::lock_guard lock(mutex_);
  stats_.peak_allocated = stats_.allocated;
}

void PinnedAllocator::empty_cache() {
  std::lock_guard lock(mutex_);
  deferred_.wait_all();
  deferred_.poll([this](Block* b) { free_block(b); });
  return_blocks();
}

void PinnedAllocator::out_of_memory(std::size_t bytes) const {
  fail<OutOfMemoryError>("pinned host memory for ", device_type_name(type_),
                         " is used up: tried to allocate ", format_bytes(bytes), "; ",
                         format_bytes(stats_.allocated), " in live tensors, ",
                         format_bytes(stats_.reserved - stats_.allocated),
                         " cached. Pin only the batches that are under way.");
}

}  // namespace td
