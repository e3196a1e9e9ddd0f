// Pinned host memory, used through pinned_allocator(type). One table holds the address ranges of
// all blocks, live or free. is_pinned_memory reads it, which backends call for every copy.
#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <shared_mutex>

#include "td/base/error.h"
#include "td/device/caching_allocator.h"
#include "td/device/graph.h"

namespace td {
namespace {

constexpr std::size_t kSmallest = 512;
constexpr std::size_t kExact = std::size_t{64} << 20;  // larger blocks are only rounded to pages
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
void* start_of_pinned(const void* data) {
  PinnedRanges& r = ranges();
  if (r.count.load(std::memory_order_acquire) == 0) return nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  std::shared_lock lock(r.mutex);
  auto after = r.bytes.upper_bound(at);
  if (after == r.bytes.begin()) return nullptr;
  const auto [start, bytes] = *--after;
  return at - start < bytes ? reinterpret_cast<void*>(start) : nullptr;
}

/// Blocks up to 64 MiB are powers of two, at least 512 bytes; larger ones are only rounded to
/// pages, because doubling them would waste too much of the system's memory. Every block is a
/// segment of its own, for any stream, and is never cut.
class PinnedAllocator : public CachingAllocator {
 public:
  /// @param type an accelerator kind that has a device.
  explicit PinnedAllocator(DeviceType type) : CachingAllocator(Device(type)) {}

  /// @param memory any address within the block: from_blob may point into pinned memory.
  void record_stream(void* memory, const Stream& stream) override;

 private:
  Block* take(std::size_t bytes, bool last_attempt) override;
  void* allocate_segment(std::size_t bytes) override;
  void release_segment(void* memory) override;
  [[noreturn]] void out_of_memory(std::size_t bytes) const override;
};

void PinnedAllocator::record_stream(void* memory, const Stream& stream) {
  CachingAllocator::record_stream(start_of_pinned(memory), stream);
}

CachingAllocator::Block* PinnedAllocator::take(std::size_t bytes, bool) {
  if (capturing_graph()) [[unlikely]]
    fail_in_capture("pinned memory",
                    "Replays would use it after it has been released and given to another tensor. "
                    "Pin it before the capture, and keep it for as long as the graph is used.");
  const std::size_t size = block_bytes(bytes);
  Block* const block = take_free(size, false, {}, true);
  if (!block) return take_segment(size, false, {});
  if (block->bytes < 2 * size) return block;
  free_block(block);  // too large: most of it would be wasted
  return take_segment(size, false, {});
}

void* PinnedAllocator::allocate_segment(std::size_t bytes) {
  void* const memory = backend_.allocate_pinned(bytes);
  if (!memory) return nullptr;
  PinnedRanges& r = ranges();
  std::unique_lock lock(r.mutex);
  r.bytes.emplace(reinterpret_cast<std::uintptr_t>(memory), bytes);
  r.count.fetch_add(1, std::memory_order_release);
  return memory;
}

void PinnedAllocator::release_segment(void* memory) {
  {
    PinnedRanges& r = ranges();
    std::unique_lock lock(r.mutex);
    r.bytes.erase(reinterpret_cast<std::uintptr_t>(memory));
    r.count.fetch_sub(1, std::memory_order_release);
  }
  backend_.release_pinned(memory);
}

void PinnedAllocator::out_of_memory(std::size_t bytes) const {
  fail<OutOfMemoryError>("pinned host memory for ", device_, " is used up: tried to allocate ",
                         format_bytes(bytes), "; ", format_bytes(stats_.allocated),
                         " in live tensors, ", format_bytes(stats_.reserved - stats_.allocated),
                         " cached. Pin only the batches that are under way.");
}

}  // namespace

bool is_pinned_memory(const void* data) { return start_of_pinned(data) != nullptr; }

Allocator* new_pinned_allocator(DeviceType type) { return new PinnedAllocator(type); }

}  // namespace td
